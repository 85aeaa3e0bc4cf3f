import BeemedDomain

/// The presses accepted in one turn of the loop, until they are logged: each under the request id
/// by which the journal, the answer and `GET /events` know it. The comment is left out: it is
/// private.
///
/// Every press has a line, but for those that are sent again and again (`RefusalLog`), so those of
/// a turn are made and written together: one by one they took a third of a press.
struct AcceptedPresses {
    private var presses: [Acceptance] = []

    var isEmpty: Bool { presses.isEmpty }

    /// Adds a press.
    mutating func append(_ acceptance: Acceptance) { presses.append(acceptance) }

    /// Forgets them, and keeps the room for those of an ordinary turn.
    mutating func removeAll() { presses.removeAll(keepingCapacity: presses.capacity <= 1_024) }

    /// The lines, in the form of the log.
    ///
    /// - Parameter time: the local time, as text.
    /// - Returns: the lines, each with its end.
    func lines(_ time: String, isJSON: Bool) -> [UInt8] {
        var lines = Lines(isJSON ? .json : .text, time, capacity: presses.count * 192)
        for acceptance in presses { lines.add(acceptance) }
        return lines.text.bytes
    }

    /// The lines of a turn: two presses in succession often have the same device, goal and value.
    private struct Lines: ~Copyable {
        var text: JSONWriter
        private let form: Form
        private let time: String
        private var last: Acceptance?
        /// Where the beginning, the goal and the value of the last line are.
        private var (beginning, goal, value) = (0..<0, 0..<0, 0..<0)

        init(_ form: Form, _ time: String, capacity: Int) {
            text = JSONWriter(capacity: capacity)
            (self.form, self.time) = (form, time)
        }

        mutating func add(_ acceptance: Acceptance) {
            let event = acceptance.event
            let start = text.count
            if let last, event.hasSameDevice(as: last.event) {
                text.append(again: beginning)
            } else {
                text.append(literal: form.time)
                text.append(raw: time)
                text.append(literal: form.requestID)
                text.append(senderOf: event)
            }
            beginning = start..<text.count
            text.append(idOf: event)
            addGoal(event)
            addValue(event)
            text.append(literal: acceptance.isDuplicate ? form.duplicate : form.end)
            last = acceptance
        }

        private mutating func addGoal(_ event: Event) {
            let start = text.count
            if let last, event.hasSameGoal(as: last.event) {
                text.append(again: goal)
            } else {
                text.append(literal: form.goal)
                text.append(raw: event.goal.description)
                text.append(literal: form.value)
            }
            goal = start..<text.count
        }

        private mutating func addValue(_ event: Event) {
            let start = text.count
            if let last, event.hasSameValue(as: last.event) {
                text.append(again: value)
            } else {
                text.append(raw: event.value)
            }
            value = start..<text.count
        }
    }

    /// What stands before each part of a line, and at its end.
    private struct Form {
        let time, requestID, goal, value, end, duplicate: StaticString

        static let text = Form(
            time: "time=", requestID: " level=info msg=accepted requestid=", goal: " goal=",
            value: " value=", end: "\n", duplicate: " duplicate=true\n")
        static let json = Form(
            time: #"{"time":""#,
            requestID: #"","level":"info","msg":"accepted","requestid":""#,
            goal: #"","goal":""#, value: #"","value":""#, end: "\"}\n",
            duplicate: "\",\"duplicate\":\"true\"}\n")
    }
}

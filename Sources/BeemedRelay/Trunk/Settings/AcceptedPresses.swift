import BeemedDomain

/// The presses accepted in one turn of the loop, until they are logged: each under the request id
/// by which the journal, the answer and `GET /events` know it. The comment is left out: it is
/// private.
///
/// Every press has a line, but for those that are sent again and again (`RefusalLog`), and nobody
/// waits for it: those of a turn are written together, behind the answers.
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
        var lines = JSONWriter(capacity: presses.count * 192)
        let form = isJSON ? Form.json : .text
        for acceptance in presses { form.write(acceptance, time, to: &lines) }
        return lines.bytes
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

        func write(_ acceptance: Acceptance, _ time: String, to lines: inout JSONWriter) {
            let event = acceptance.event
            lines.append(literal: self.time)
            lines.append(raw: time)
            lines.append(literal: requestID)
            lines.append(requestIDOf: event.key)
            lines.append(literal: goal)
            lines.append(raw: event.goal.description)
            lines.append(literal: value)
            lines.append(raw: event.value)
            lines.append(literal: acceptance.isDuplicate ? duplicate : end)
        }
    }
}

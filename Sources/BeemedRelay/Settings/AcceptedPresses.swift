import BeemedDomain

/// The presses accepted in one turn of the loop, until they are logged: each under the request id
/// by which the journal, the answer and `GET /events` know it. The comment is left out: it is
/// private.
///
/// Every press has a line, so those of a turn are made and written together: one by one they took a
/// third of a press.
struct AcceptedPresses {
    private var presses: [Acceptance] = []

    var isEmpty: Bool { presses.isEmpty }

    /// Adds a press.
    mutating func note(_ acceptance: Acceptance) { presses.append(acceptance) }

    /// Forgets them, and keeps the room for those of an ordinary turn.
    mutating func removeAll() { presses.removeAll(keepingCapacity: presses.capacity <= 1_024) }

    /// The lines, in the form of the log.
    ///
    /// - Parameter time: the local time, as text.
    /// - Returns: the lines, each with its end.
    func lines(_ time: String, isJSON: Bool) -> [UInt8] {
        let form = isJSON ? Form.json : Form.text
        var lines = JSONWriter(capacity: presses.count * 192)
        for acceptance in presses {
            let event = acceptance.event
            lines.append(raw: form.time)
            lines.append(raw: time)
            lines.append(raw: form.requestID)
            lines.append(event.key)
            lines.append(raw: form.goal)
            lines.append(raw: event.goal.description)
            lines.append(raw: form.value)
            lines.append(raw: event.value)
            lines.append(raw: acceptance.isDuplicate ? form.duplicate : form.end)
        }
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
    }
}

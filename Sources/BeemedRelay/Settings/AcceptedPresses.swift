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
    /// - Returns: the lines, without the end of the last one.
    func lines(_ time: String, isJSON: Bool) -> String {
        // What stands before, between and after the request id, the goal and the value.
        let texts =
            isJSON
            ? [
                "{\"time\":\"\(time)\",\"level\":\"info\",\"msg\":\"accepted\",\"requestid\":\"",
                "\",\"goal\":\"", "\",\"value\":\"", "\"", ",\"duplicate\":\"true\"", "}", "\n",
            ]
            : [
                "time=\(time) level=info msg=accepted requestid=", " goal=", " value=", "",
                " duplicate=true", "", "\n",
            ]
        let parts = texts.map { Array($0.utf8) }
        let (head, goal, value, end) = (parts[0], parts[1], parts[2], parts[3])
        let (duplicate, close, lineFeed) = (parts[4], parts[5], parts[6])
        var lines = JSONWriter(capacity: presses.count * 192)
        for acceptance in presses {
            let event = acceptance.event
            if lines.count > 0 { lines.append(raw: lineFeed) }
            lines.append(raw: head)
            lines.append(event.key)
            lines.append(raw: goal)
            lines.append(raw: event.goal.description)
            lines.append(raw: value)
            lines.append(raw: event.value)
            lines.append(raw: end)
            if acceptance.isDuplicate { lines.append(raw: duplicate) }
            lines.append(raw: close)
        }
        return String(decoding: lines.bytes, as: UTF8.self)
    }
}

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
        let parts =
            isJSON
            ? [
                "{\"time\":\"\(time)\",\"level\":\"info\",\"msg\":\"accepted\",\"requestid\":\"",
                "\",\"goal\":\"", "\",\"value\":\"", "\"", ",\"duplicate\":\"true\"", "}",
            ]
            : [
                "time=\(time) level=info msg=accepted requestid=", " goal=", " value=", "",
                " duplicate=true", "",
            ]
        let (head, goal, value, end) = (parts[0].utf8, parts[1].utf8, parts[2].utf8, parts[3].utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(presses.count * 192)
        for acceptance in presses {
            let event = acceptance.event
            if !bytes.isEmpty { bytes.append(0x0A) }
            bytes.append(contentsOf: head)
            bytes.append(contentsOf: event.key.requestID.utf8)
            bytes.append(contentsOf: goal)
            bytes.append(contentsOf: event.goal.description.utf8)
            bytes.append(contentsOf: value)
            bytes.append(contentsOf: event.value.description.utf8)
            bytes.append(contentsOf: end)
            if acceptance.isDuplicate { bytes.append(contentsOf: parts[4].utf8) }
            bytes.append(contentsOf: parts[5].utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import BeemedDomain
import RelayHTTP

extension RelayCore {
    /// The outcome that a press would have; runs every check that precedes the journal.
    func rehearsed(
        _ press: Press, _ reading: PressReading, at now: Moment, _ rehearsal: inout Rehearsal
    ) throws(Problem) -> RehearsedPress {
        switch rehearse(press, at: now, &rehearsal) {
        case .accepted(let event, let state, let isDuplicate):
            return RehearsedPress(
                press: press, reading: reading, event: event, state: state,
                isDuplicate: isDuplicate)
        case .refused(let refusal): throw refusal.problem
        }
    }
}

/// A press as it would be accepted.
package struct RehearsedPress: Sendable {
    let press: Press
    let reading: PressReading
    let event: Event
    let state: EventState
    /// Whether the press is known already, or comes for the second time in the same queue.
    package let isDuplicate: Bool

    var response: Response {
        .ok { json in
            json.add("dryRun", true)
            let end = #","parsed":"\#(reading.form.rawValue)"}"#.utf8.count + 1
            write(to: &json, atMost: Acceptance.maxAnswerBytes - json.count - end)
            json.add("parsed", reading.form.rawValue)
        }
    }

    /// Writes the event that would be accepted, its time for Beeminder, and the source of the time.
    ///
    /// - Parameter room: the bytes that there is room for; what is left of the comment and of
    ///   unknown names beyond that is left out.
    func write(to json: inout JSONWriter, atMost room: Int = .max) {
        let start = json.count
        if let id = press.id { json.add("id", id.description) }
        json.add("goal", event.goal.description)
        json.add("value", event.value)
        json.add("state", state.rawValue)
        if let by = event.guardedBy { json.add(by, of: event.preset) }
        json.add("duplicate", isDuplicate)
        if case .age(let seconds) = press.time { json.add("age", seconds) }
        json.add("timestamp", event.at.seconds)
        if TimeRules.replacement(of: press.time, in: event) == nil {
            json.add("time", event.timeSource.rawValue)
        }
        reading.writeNotes(
            on: event, to: &json, atMost: room - (json.count - start), withoutComment: true)
        // In what is left: a device with little memory reads the rest.
        let left = room - (json.count - start) - #","comment":"#.utf8.count
        let comment = PressReading.fitting(String(event.comment.prefix(100)), in: left)
        if !comment.isEmpty { json.add("comment", comment) }
    }
}

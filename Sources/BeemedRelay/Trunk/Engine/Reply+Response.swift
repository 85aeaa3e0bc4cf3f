package import BeemedDomain
package import RelayHTTP

extension Reply {
    /// The answer to the device: exactly 200 for every press that is durable, since some buttons
    /// keep a red light on for any other success. The time is read only to state the next attempt.
    func result(_ press: ReadPress?, at now: @autoclosure () -> Moment) -> Result<
        Response, Problem
    > {
        switch self {
        case .accepted(let acceptance):
            .success(.ok { acceptance.write(press, to: &$0) })
        case .usable(let goal): .success(.json { $0.add("goal", goal.description) })
        case .changed(let view): .success(.json { view.write(to: &$0, at: now()) })
        case .total(let answer): .success(.json { $0.add("state", answer.state.word) })
        case .refused(let refusal): .failure(refusal.problem)
        }
    }
}

extension Refusal {
    /// The refusal as the answer to a request.
    package var problem: Problem {
        switch self {
        case .conflict(let event):
            Problem(
                .idReused,
                "this device has used the id '\(event.key.id)' for another press to this goal; "
                    + "give every press an id of its own")
        case .notConnected: .notConnected
        case .unknownGoal(let goal, let suggestion):
            .unknownGoal(
                "goal '\(goal)' is not yours; "
                    + (suggestion.map { "did you mean '\($0)'?" }
                        ?? "if it is new, send this again in 15 seconds"),
                suggestion: suggestion)
        case .unusableTime(let fault): Problem(.unusableTime, fault.advice)
        case .timeAsValue(let unit):
            Problem(
                .unusableValue,
                "the value is \(unit.words), and no amount; send the amount, or nothing to log 1, "
                    + "and the time in '\(unit == .digitsOfDay ? "daystamp" : "timestamp")'")
        case .needsValue(let goal, let why):
            Problem(
                .unusableValue,
                "'\(goal)' \(why), so a press without a value is not taken: send the value that "
                    + "it has now, as in {\"value\": 80.5}")
        case .diskFull: .diskFull
        case .tooManyWaiting(let device):
            .retryLater(
                .tooManyWaiting,
                "nothing was taken: too many presses of '\(device)', or to goals in no list, wait "
                    + "for Beeminder; send the same again later (GET /healthz tells why)",
                after: 60)
        case .tooManyUnsent(let device, let seconds):
            .retryLater(
                .tooManyRequests,
                "nothing was taken: too many presses of '\(device)' were undone, merged or did "
                    + "not count, and all of them are kept; let it send fewer, and send the same "
                    + "again later", after: seconds)
        case .tooManyRefused(let goal):
            .retryLater(
                .tooManyRefused,
                "nothing was taken: Beeminder has refused too many presses to '\(goal)'; retry or "
                    + "discard those of GET /events?state=refused first", after: 60)
        case .unknownEvent: .notFound("no such event is known; ids are the device's own")
        case .notPossible(let state): Problem(.notPossible, state.refusal)
        case .dayTaken(let goal, let id):
            Problem(
                .notPossible,
                "'\(goal)' has this day of the rule already, as '\(id)'; take that back first, or "
                    + "this one")
        }
    }
}

extension EventState {
    /// Why something cannot be done to an event in this state.
    fileprivate var refusal: String {
        let words = "this cannot be done to an event that is \(rawValue)"
        return switch self {
        case .undone:
            "\(words): press anew; a day is sent again when 'erased' says that it is gone"
        case .refused: "\(words): it is being looked for; try again in some seconds"
        case .sending: "\(words): try again when the request is answered"
        case .queued, .delivered, .guarded, .merged: words
        case .held:
            "this event waits for the account that it was made for, or for the clock: "
                + "GET /healthz says for what, and DELETE /events/ID takes it back"
        }
    }
}

extension TimeUnit {
    /// The present time that a value says.
    fileprivate var words: String {
        switch self {
        case .seconds: "the present time in seconds"
        case .milliseconds: "the present time in milliseconds"
        case .digitsOfDay: "a day of these weeks"
        }
    }
}

extension TimeFault {
    fileprivate var advice: String {
        switch self {
        case .milliseconds: "'timestamp' looks like milliseconds; send Unix seconds"
        case .digitsOfDay: "'timestamp' has the digits of a day; send it as 'daystamp'"
        case .age: "'age' must be from 0 seconds to 35 days"
        case .otherAge: "'timestamp' and 'age' say different times; send only one of them"
        case .day: "the day must be from 35 days back to tomorrow"
        case .otherDay: "the time is of another day than the one named; send one of them"
        }
    }
}

extension Response {
    /// JSON with this status, as it is.
    package static func json(
        _ body: [UInt8], status: Int = 200, fields: [Field] = []
    ) -> Response {
        Response(status: status, fields: fields.isEmpty ? plain : plain + fields, body: body)
    }

    /// An object as JSON.
    package static func json(
        status: Int = 200, fields: [Field] = [], _ members: (inout JSONWriter) -> Void
    ) -> Response {
        json(JSONWriter.objectLine(members), status: status, fields: fields)
    }

    /// The same for a request that was carried out, which `ok` says before all else.
    package static func ok(
        fields: [Field] = [], _ members: (inout JSONWriter) -> Void = { _ in }
    ) -> Response {
        json(fields: fields) { json in
            json.add("ok", true)
            members(&json)
        }
    }

    /// The fields of most answers, created once.
    private static let plain = [Field("Content-Type", "application/json")]
}

extension Acceptance {
    /// The greatest size of an answer to a press, in bytes: ESPHome reads an answer into a buffer
    /// of as many.
    static let maxAnswerBytes = 512

    /// Writes the members of the answer to the press.
    fileprivate func write(_ press: ReadPress?, to json: inout JSONWriter) {
        json.add("id", plain: event.key.id.description)
        json.addPlain("requestid") { $0.write(requestIDOf: event.key) }
        json.add("goal", plain: event.goal.description)
        json.add("value", event.value)
        json.add("state", plain: state.rawValue)
        json.add("duplicate", isDuplicate)
        json.add("parsed", plain: (press?.form ?? .empty).rawValue)
        // Behind the notes come the end of the object and that of the line.
        press?.writeNotes(
            on: event, guardedBy: guardedBy, to: &json, atMost: Acceptance.maxAnswerBytes - 2)
    }
}

extension RelayCore {
    /// The outcome that a press would have; runs every check that precedes the journal.
    func rehearsed(
        _ read: ReadPress, at now: Moment, _ rehearsal: inout Rehearsal
    ) throws(Problem) -> RehearsedPress {
        switch rehearse(read.press, at: now, &rehearsal) {
        case .accepted(let event, let state, let isDuplicate):
            return RehearsedPress(
                read: read, event: event, state: state, isDuplicate: isDuplicate)
        case .refused(let refusal): throw refusal.problem
        }
    }
}

/// A press as it would be accepted.
package struct RehearsedPress: Sendable {
    let read: ReadPress
    let event: Event
    let state: EventState
    /// Whether the press is known already, or comes for the second time in the same queue.
    package let isDuplicate: Bool

    var response: Response {
        .ok { json in
            json.add("dryRun", true)
            let end = #","parsed":"\#(read.form.rawValue)"}"#.utf8.count + 1
            write(to: &json, atMost: Acceptance.maxAnswerBytes - end)
            json.add("parsed", read.form.rawValue)
        }
    }

    /// Writes the event that would be accepted, its time for Beeminder, and the source of the time.
    ///
    /// - Parameter most: the bytes that the output may have, as for the notes.
    func write(to json: inout JSONWriter, atMost most: Int = .max) {
        // A press of another goal may have its id, and the answer's is `id~goal` then.
        if read.press.id != nil { json.add("id", event.key.id.description) }
        json.add("goal", event.goal.description)
        json.add("value", event.value)
        json.add("state", state.rawValue)
        json.add("duplicate", isDuplicate)
        if case .age(let seconds) = read.press.time { json.add("age", seconds) }
        json.add("timestamp", event.at.seconds)
        if TimeRules.replacement(of: read.press.time, in: event) == nil {
            json.add("time", event.timeSource.rawValue)
        }
        read.writeNotes(
            on: event, guardedBy: event.guardedBy, to: &json, atMost: most, withoutComment: true)
        json.addBeginning(of: event.comment.cut(to: 100), atMost: most)
    }
}

import BeemedDomain
import RelayHTTP

/// A device's queue: each event has its own outcome, so that the device deletes those accepted.
final class PostedEvents {
    private let call: Call
    /// The query's fields, which are about all events.
    private let options: PressFields
    /// Whether the answer lists only events that were not accepted.
    private let isShort: Bool
    private var reader: EventReader
    private var rehearsal = RelayCore.Rehearsal()
    /// Remaining searches for names similar to an unknown goal.
    private var suggestions = PostedEvents.maxSuggestions
    /// The outcomes as JSON; nil while pending, and empty if omitted from the answer. They are
    /// written as they arrive, so that only joining them remains at the end.
    private var elements: [[UInt8]?]
    private var refused = 0
    private var refusal: Problem?
    /// The first refusal that is not about the event: the same is taken later.
    private var trouble: Problem?

    private static let maxEvents = 10_000
    /// Unknown goals of one request for which similar names are searched.
    private static let maxSuggestions = 5
    /// Requests that may wait for their next slice: each holds a body of up to 1 MiB.
    private static let maxWaiting = 32

    /// `POST /events`: queued events, in order.
    static func receive(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        try Slots.check(call, among: maxWaiting, heldBy: relay.begun(like: call))
        let queue = try PostedEvents(call)
        return relay.later(call) { () async throws(Problem) in
            let isWhole = try await Replies.takeAll(queue.elements.count, of: call, in: relay) {
                queue.take($0, in: relay, at: $1, $2)
            }
            return isWhole ? queue.response(in: relay) : nil
        }
    }

    private init(_ call: Call) throws(Problem) {
        let query = call.request.target.query
        options = try BodyReader.fields(ofQuery: query)
        let answer = options.metadata.removeValue(forKey: "answer")?.lowercased() ?? "full"
        guard ["short", "full"].contains(answer) else {
            throw .malformed("'answer' must be 'short', or be left out")
        }
        // A goal or value for all events is not supported: each event has its own.
        for (name, _) in FormDecoder.pairs(query ?? "") where PressFields.isContent(name) {
            options.emptyNames.insert(name)
        }
        (self.call, isShort) = (call, answer == "short")
        reader = try EventReader(call.request.body, atMost: PostedEvents.maxEvents)
        elements = Array(repeating: nil, count: reader.count)
    }

    /// Takes the next event, which has this index.
    private func take(_ index: Int, in relay: isolated Relay, at now: Moment, _ replies: Replies) {
        var id: EventID?
        do throws(Problem) {
            let fields = try reader.nextFields()
            id = fields[.id].flatMap { EventID($0) }
            let read = ReadPress(try press(fields, in: relay, at: now), fields)
            id = read.press.id
            try relay.checkIsGood(call)
            guard options.isDryRun else {
                let reply = replies.expected { self.settle(index, $0, read, in: relay) }
                return relay.engine.submit(read.press, at: now, for: reply)
            }
            let rehearsed = try relay.engine.core.rehearsed(read, at: now, &rehearsal)
            accept(index) { json in
                json.add("outcome", "read")
                rehearsed.write(to: &json)
            }
        } catch {
            refuse(index, error, id, in: relay)
        }
    }

    private func press(
        _ fields: PressFields, in relay: isolated Relay, at now: Moment
    ) throws(Problem) -> Press {
        fields.isStrict = fields.isStrict || options.isStrict
        guard options.isDryRun || !fields.isDryRun else { throw PostedEvents.dryEvent }
        var press = try Press(fields, path: nil, from: call.bearer, relay.presets.book) {
            relay.engine.core.view.goals.names(of: $0)
        }
        press.wantsSuggestion = suggestions > 0
        if relay.engine.core.lookup.isUnknown(press.goal, at: now) { suggestions -= 1 }
        return press
    }

    /// Among others that count, an event in the answer would pass for one that was taken.
    private static let dryEvent = Problem.malformed(
        "'dry_run' is for all events of a request: POST /events?dry_run=1")

    // MARK: Outcomes

    private func settle(
        _ index: Int, _ reply: Reply, _ read: ReadPress, in relay: isolated Relay
    ) {
        switch reply {
        case .accepted(let acceptance):
            accept(index) { acceptance.writeOutcome(read, to: &$0) }
        case .refused(let refusal): refuse(index, refusal.problem, read.press.id, in: relay)
        case .total, .usable, .changed: preconditionFailure("a press is accepted or refused")
        }
    }

    private func accept(_ index: Int, _ members: (inout JSONWriter) -> Void) {
        elements[index] = isShort ? [] : JSONWriter.object(members)
    }

    private func refuse(
        _ index: Int, _ problem: Problem, _ id: EventID?, in relay: isolated Relay
    ) {
        relay.records.metrics.count(problem)
        refused += 1
        refusal = refusal ?? problem
        if problem.mayPass { trouble = trouble ?? problem }
        elements[index] = JSONWriter.object { json in
            if isShort { json.add("index", Int64(index)) }
            json.add("outcome", "refused")
            if let id { json.add("id", id.description) }
            json.add("status", Int64(problem.status))
            json.add("code", problem.code.rawValue)
            json.add("detail", problem.detail)
            if let suggestion = problem.suggestion { json.add("suggestion", suggestion) }
        }
    }

    /// The answer when every event has its outcome: 200 when all have been decided; 507, 503 or
    /// 429 when some are to be sent again, so that a device that reads only the status resends
    /// everything.
    private func response(in relay: isolated Relay) -> Response {
        // The same name here and in the log.
        let request = refusal.map { relay.records.name($0, from: call.context.peer) }
        return .json(status: trouble?.status ?? 200, fields: trouble?.fields ?? []) { json in
            json.add("ok", options.isDryRun || refused == 0)
            if options.isDryRun {
                json.add("dryRun", true)
            } else {
                json.add("accepted", Int64(elements.count - refused))
                json.add("refused", Int64(refused))
            }
            if let request { json.add("request", request) }
            let ignored = options.ignored
            if !ignored.isEmpty { json.addArray("ignored", of: ignored) }
            json.addArray("events") { list in
                for case let element? in elements where !element.isEmpty {
                    list.element(json: element)
                }
            }
        }
    }
}

extension Acceptance {
    fileprivate func writeOutcome(_ read: ReadPress, to json: inout JSONWriter) {
        json.add("outcome", isDuplicate ? "duplicate" : "accepted")
        json.add("id", event.key.id.description)
        json.add("goal", event.goal.description)
        json.add("state", state.rawValue)
        read.writeNotes(on: event, guardedBy: guardedBy, to: &json)
    }
}

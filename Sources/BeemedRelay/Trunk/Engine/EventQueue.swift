import BeemedDomain
import RelayHTTP

/// A device's queue: each event has its own outcome, so that the device deletes those accepted.
final class EventQueue: PressQueue {
    let call: Call
    /// What the query says of all events.
    private let options: PressFields
    /// Whether the answer lists only events that were not accepted.
    private let isShort: Bool
    private var reader: EventReader
    /// Remaining searches for names similar to an unknown goal.
    private var suggestions = EventQueue.maxSuggestions
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
    fileprivate static let maxWaiting = 32

    fileprivate init(_ call: Call) throws(Problem) {
        let query = call.request.target.query
        options = try BodyReader.fields(ofQuery: query)
        let answer = options.metadata.removeValue(forKey: "answer")?.lowercased() ?? "full"
        guard ["short", "full"].contains(answer) else {
            throw .malformed("'answer' must be 'short', or be left out")
        }
        // A goal or value for all events is not supported: each event has its own.
        for (name, _) in FormDecoder.pairs(query ?? "") where PressFields.isField(name) {
            options.emptyNames.insert(name)
        }
        (self.call, isShort) = (call, answer == "short")
        reader = try EventReader(call.request.body, atMost: EventQueue.maxEvents)
        elements = Array(repeating: nil, count: reader.count)
    }

    // MARK: In

    var count: Int { elements.count }

    func next(_ index: Int, in relay: isolated Relay, at now: Moment) -> QueuedPress {
        var id: EventID?
        do throws(Problem) {
            let fields = try reader.nextFields()
            id = fields[.id].flatMap { EventID($0) }
            fields.isStrict = fields.isStrict || options.isStrict
            guard options.isDryRun || !fields.isDryRun else { throw EventQueue.dryEvent }
            var press = try Press(fields, path: nil, from: call.bearer, relay.presets.book) {
                relay.engine.core.goals.names(of: $0)
            }
            press.wantsSuggestion = suggestions > 0
            if relay.engine.core.isUnknown(press.goal, at: now) { suggestions -= 1 }
            let reading = PressReading(fields, time: press.time, id: press.id)
            return .press(press, reading, isDryRun: options.isDryRun)
        } catch {
            return .refused(error, id: id)
        }
    }

    /// Among others that count, an event in the answer would pass for one that was taken.
    private static let dryEvent = Problem.malformed(
        "'dry_run' is for all events of a request: POST /events?dry_run=1")

    // MARK: Out

    func settle(_ index: Int, _ outcome: PressOutcome, in relay: isolated Relay) {
        precondition(elements[index] == nil, "an event settled twice")
        if case .refused(let problem, _) = outcome {
            refused += 1
            refusal = refusal ?? problem
            if problem.mayPass { trouble = trouble ?? problem }
        } else if isShort {
            elements[index] = []
            return
        }
        elements[index] = JSONWriter.object { json in
            if isShort { json.add("index", Int64(index)) }
            outcome.write(to: &json)
        }
    }

    func end(_ end: PressQueueEnd, in relay: isolated Relay) {
        switch end {
        case .complete:
            let name = refusal.map { relay.records.name($0, from: call.context.peer) }
            relay.answer(call, .success(response(request: name)))
        case .deserted: break
        case .failed: relay.answer(call, .failure(.outcomeUnknown))
        }
    }

    /// 200 when every event has been decided; 507, 503 or 429 when some are to be sent again, so
    /// that a device that reads only the status resends everything.
    ///
    /// - Parameter request: the request's name here and in the log, if an event was refused.
    private func response(request: String?) -> Response {
        .json(status: trouble?.status ?? 200, fields: trouble?.fields ?? []) { json in
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

extension PressOutcome {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .accepted(let acceptance, let reading):
            json.add("outcome", acceptance.isDuplicate ? "duplicate" : "accepted")
            json.add("id", acceptance.event.key.id.description)
            json.add("goal", acceptance.event.goal.description)
            json.add("state", acceptance.state.rawValue)
            if let by = acceptance.guardedBy { json.add(by, of: acceptance.event.preset) }
            reading.writeNotes(on: acceptance.event, to: &json)
        case .rehearsed(let press):
            json.add("outcome", "read")
            press.write(to: &json)
        case .refused(let problem, let id):
            json.add("outcome", "refused")
            if let id { json.add("id", id.description) }
            json.add("status", Int64(problem.status))
            json.add("code", problem.code.rawValue)
            json.add("detail", problem.detail)
            if let suggestion = problem.suggestion { json.add("suggestion", suggestion) }
        }
    }
}

extension Relay {
    /// `POST /events`: queued events, in order.
    func receiveEvents(_ call: Call) throws(Problem) -> Response? {
        guard hasPlace(for: call, among: EventQueue.maxWaiting, heldBy: intakes.calls) else {
            throw .retryLater(
                .crowded,
                "many queues are being taken already; send the same again in a few seconds",
                after: 5)
        }
        intakes.begin(try EventQueue(call), in: self)
        return nil
    }
}

import BeemedDomain
import RelayHTTP

/// The options of a request with many events.
struct EventOptions: Sendable {
    /// Dry run: nothing is accepted; the answer tells the outcome of each event.
    var isDryRun = false
    /// Unknown names cause an event to be refused.
    var isStrict = false
    /// The answer lists only events that were not accepted.
    var isShort = false
    /// Unknown names in the query.
    var ignored: [String] = []

    /// Reads the query.
    ///
    /// - Throws: `Problem` for an unknown kind of answer.
    init(query: String?) throws(Problem) {
        let asked = try BodyReader.fields(ofQuery: query)
        (isDryRun, isStrict) = (asked.isDryRun, asked.isStrict)
        if let answer = asked.metadata.removeValue(forKey: "answer") {
            guard ["short", "full"].contains(answer.lowercased()) else {
                throw .malformed("'answer' must be 'short', or be left out")
            }
            isShort = answer.lowercased() == "short"
        }
        // A goal or value for all events is not supported: each event has its own.
        for field in PressFields.Field.allCases where field != .token && asked[field] != nil {
            asked.emptyNames.insert("\(field)")
        }
        ignored = asked.ignored
    }
}

/// Many events in one request: each has its own outcome, so that a device deletes exactly the
/// accepted ones from its queue.
struct EventBatch {
    enum Outcome {
        case accepted(Acceptance, PressReading)
        /// It would be accepted.
        case rehearsed(RehearsedPress)
        /// The id as the device sent it, if it could be read.
        case refused(Problem, id: EventID?)

        init(_ reply: Reply, _ reading: PressReading) {
            switch reply {
            case .accepted(let acceptance): self = .accepted(acceptance, reading)
            case .refused(let refusal): self = .refused(refusal.problem, id: reading.id)
            case .total, .usable, .changed:
                preconditionFailure("a press is accepted or refused")
            }
        }
    }

    let call: Call
    let options: EventOptions
    /// The outcomes as JSON; nil while pending, and empty if omitted from the answer. They are
    /// written as they arrive, so that only joining them remains at the end.
    private var elements: [[UInt8]?]
    /// Events without an outcome.
    private(set) var missing: Int
    private var refused = 0
    private(set) var refusal: Problem?
    /// The first refusal that is not about the event: the same is taken later.
    private var trouble: Problem?

    init(_ call: Call, _ options: EventOptions, count: Int) {
        self.call = call
        self.options = options
        elements = Array(repeating: nil, count: count)
        missing = count
    }

    /// Whether every event has an outcome.
    var isComplete: Bool { missing == 0 }

    mutating func settle(_ index: Int, _ outcome: Outcome) {
        precondition(elements[index] == nil, "an event settled twice")
        missing -= 1
        if case .refused(let problem, _) = outcome {
            refused += 1
            refusal = refusal ?? problem
            if problem.status >= 500 || problem.status == 429 { trouble = trouble ?? problem }
        } else if options.isShort {
            elements[index] = []
            return
        }
        elements[index] = JSONWriter.object { json in
            if options.isShort { json.add("index", Int64(index)) }
            outcome.write(to: &json)
        }
    }

    /// 200 when every event has been decided; 507, 503 or 429 when some are to be sent again, so
    /// that a device that reads only the status resends everything.
    ///
    /// - Parameter request: the request's name here and in the log, if an event was refused.
    func response(request: String?) -> Response {
        let body = JSONWriter.object { json in
            json.add("ok", options.isDryRun || refused == 0)
            if options.isDryRun {
                json.add("dryRun", true)
            } else {
                json.add("accepted", Int64(elements.count - refused))
                json.add("refused", Int64(refused))
            }
            if let request { json.add("request", request) }
            if !options.ignored.isEmpty {
                json.addArray("ignored") { names in
                    for name in options.ignored { names.element(name) }
                }
            }
            json.addArray("events") { list in
                for case let element? in elements where !element.isEmpty {
                    list.element(json: element)
                }
            }
        }
        return .json(body, status: trouble?.status ?? 200, fields: trouble?.fields ?? [])
    }
}

extension EventBatch.Outcome {
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

/// The batches with pending outcomes.
struct EventBatches {
    private var batches: [Int: EventBatch] = [:]
    private var last = 0

    /// Opens a batch.
    ///
    /// - Returns: its number.
    mutating func open(_ call: Call, _ options: EventOptions, count: Int) -> Int {
        last += 1
        batches[last] = EventBatch(call, options, count: count)
        return last
    }

    /// Events of a batch without an outcome.
    func missing(_ number: Int) -> Int { batches[number]?.missing ?? 0 }

    /// Records the outcome of one event.
    ///
    /// - Returns: the batch, when it is complete.
    mutating func settle(_ number: Int, _ index: Int, _ outcome: EventBatch.Outcome) -> EventBatch?
    {
        batches[number]?.settle(index, outcome)
        return removeIfComplete(number)
    }

    /// Removes and returns a complete batch; an empty one is complete at once.
    mutating func removeIfComplete(_ number: Int) -> EventBatch? {
        guard batches[number]?.isComplete == true else { return nil }
        return batches.removeValue(forKey: number)
    }

    /// Removes a batch whose client has disconnected.
    mutating func remove(_ number: Int) { batches[number] = nil }

    /// Removes all batches.
    ///
    /// - Returns: the batches, which must still be answered.
    mutating func removeAll() -> [EventBatch] {
        defer { batches.removeAll() }
        return Array(batches.values)
    }
}

extension Relay {
    /// Records the outcome of one event, and answers the batch when it is complete.
    func finish(_ batch: Int, _ index: Int, _ outcome: EventBatch.Outcome) {
        if case .refused(let problem, _) = outcome { records.metrics.count(problem) }
        if let whole = queues.batches.settle(batch, index, outcome) { answer(whole) }
    }

    /// Answers a complete batch.
    func answer(_ whole: EventBatch) {
        let refusal = whole.refusal.map { name($0, from: whole.call.context.peer) }
        answer(whole.call, .success(whole.response(request: refusal)))
    }
}

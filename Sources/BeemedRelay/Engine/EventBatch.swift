import BeemedDomain
import RelayHTTP

/// What a request with many events asks for beside them.
struct EventOptions: Sendable {
    /// Nothing is taken; it is only asked what would become of it.
    var isDryRun = false
    /// A name without a meaning is a reason to refuse an event.
    var isStrict = false
    /// Only what was not accepted is answered.
    var isShort = false
    /// Names in the query that mean nothing here.
    var ignored: [String] = []

    /// Reads the query.
    ///
    /// - Throws: `Problem` for an answer of a kind that there is not.
    init(query: String?) throws(Problem) {
        var asked = BodyReader.query(query)
        (isDryRun, isStrict) = (asked.isDryRun, asked.isStrict)
        if let answer = asked.metadata.removeValue(forKey: "answer") {
            guard ["short", "full"].contains(answer.lowercased()) else {
                throw .malformed("'answer' must be 'short', or be left out")
            }
            isShort = answer.lowercased() == "short"
        }
        // A goal or a value for all of them is not understood here: each event has its own.
        for field in PressFields.Field.allCases where field != .token && asked[field] != nil {
            asked.emptyNames.insert("\(field)")
        }
        ignored = asked.ignored
    }
}

/// Many events in one request, `transferUserInfo` over HTTP: each has an outcome of its own, so
/// that a device forgets exactly what was taken.
struct EventBatch {
    /// What became of one event.
    enum Outcome {
        case accepted(Acceptance, PressReading)
        /// It would be accepted.
        case rehearsed(RehearsedPress)
        /// The id is as the device gave it, if it could be read.
        case refused(Problem, id: EventID?)

        init(_ reply: Reply, _ reading: PressReading, at now: @autoclosure () -> Moment) {
            switch reply.result(reading, at: now()) {
            case .failure(let problem): self = .refused(problem, id: reading.id)
            case .success:
                guard case .accepted(let acceptance) = reply else {
                    preconditionFailure("only what is accepted succeeds")
                }
                self = .accepted(acceptance, reading)
            }
        }
    }

    let exchange: ExchangeID
    /// Where it is noted how it was answered.
    let entry: RequestLog.Entry
    let options: EventOptions
    /// The outcomes as they are told, in JSON; nil where one is missing, and empty where it is not
    /// told. They are written as they come, so that the answer is only put together at the end.
    private var elements: [[UInt8]?]
    /// How many events have no outcome.
    private(set) var missing: Int
    private var refused = 0
    /// The first refusal.
    private(set) var refusal: Problem?
    /// The first refusal that lies with the relay.
    private var trouble: Problem?

    init(
        _ exchange: ExchangeID, _ entry: RequestLog.Entry, _ options: EventOptions, count: Int
    ) {
        self.exchange = exchange
        self.entry = entry
        self.options = options
        elements = Array(repeating: nil, count: count)
        missing = count
    }

    /// Whether every event has its outcome.
    var isComplete: Bool { missing == 0 }

    mutating func settle(_ index: Int, _ outcome: Outcome) {
        precondition(elements[index] == nil, "an event settled twice")
        missing -= 1
        if case .refused(let problem, _) = outcome {
            refused += 1
            refusal = refusal ?? problem
            if problem.status >= 500 { trouble = trouble ?? problem }
        } else if options.isShort {
            elements[index] = []
            return
        }
        elements[index] = JSONWriter.object { json in
            if options.isShort { json.add("index", Int64(index)) }
            outcome.write(to: &json)
        }
    }

    /// 200 when every event has been judged; 507 or 503 when the relay could take none, so that a
    /// device that looks at the status alone sends everything again.
    ///
    /// - Parameter request: names the request here and in the log, if anything of it was refused.
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

/// The batches whose events are on their way to the disk.
struct EventBatches {
    private var batches: [Int: EventBatch] = [:]
    private var last = 0

    /// A new batch.
    ///
    /// - Returns: its number.
    mutating func open(
        _ exchange: ExchangeID, _ entry: RequestLog.Entry, _ options: EventOptions, count: Int
    ) -> Int {
        last += 1
        batches[last] = EventBatch(exchange, entry, options, count: count)
        return last
    }

    /// How many events of a batch have no outcome.
    func missing(_ number: Int) -> Int { batches[number]?.missing ?? 0 }

    /// Notes what became of one event.
    ///
    /// - Returns: the batch, when that was the last one missing.
    mutating func settle(_ number: Int, _ index: Int, _ outcome: EventBatch.Outcome) -> EventBatch?
    {
        batches[number]?.settle(index, outcome)
        return removeIfComplete(number)
    }

    /// Takes a batch out when every event has its outcome; at once when there is none.
    mutating func removeIfComplete(_ number: Int) -> EventBatch? {
        guard batches[number]?.isComplete == true else { return nil }
        return batches.removeValue(forKey: number)
    }

    /// Forgets a batch for whose answer nobody waits.
    mutating func remove(_ number: Int) { batches[number] = nil }

    /// Forgets all of them.
    ///
    /// - Returns: them, so that somebody is told.
    mutating func removeAll() -> [EventBatch] {
        defer { batches.removeAll() }
        return Array(batches.values)
    }
}

extension Relay {
    /// Notes what became of one event of a batch, and answers when it was the last one.
    func finish(_ batch: Int, _ index: Int, _ outcome: EventBatch.Outcome) {
        if case .refused(let problem, _) = outcome { metrics.note(problem) }
        if let whole = batches.settle(batch, index, outcome) { answer(whole) }
    }

    /// Answers a batch in which every event has its outcome.
    func answer(_ whole: EventBatch) {
        let refusal = whole.refusal.map { name($0, from: whole.entry.peer) }
        let response = whole.response(request: refusal)
        whole.entry.ending = RequestLog.Ending(status: response.status)
        answers.append(Answer(to: whole.exchange, response))
    }
}

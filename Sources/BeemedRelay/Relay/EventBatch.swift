import BeemedDomain
import RelayHTTP

/// Many events in one request, `transferUserInfo` over HTTP: each has an outcome of its own, so
/// that a device forgets exactly what was taken.
struct EventBatch {
    /// What became of one event.
    enum Outcome {
        case accepted(Acceptance)
        case refused(Problem)

        init(_ reply: Reply, at now: @autoclosure () -> Moment) {
            switch reply.result(form: .json, at: now()) {
            case .failure(let problem): self = .refused(problem)
            case .success:
                guard case .accepted(let acceptance) = reply else {
                    preconditionFailure("only what is accepted succeeds")
                }
                self = .accepted(acceptance)
            }
        }
    }

    let exchange: ExchangeID
    /// Where it is noted how it was answered.
    let entry: RequestLog.Entry
    private var outcomes: [Outcome?]
    private var missing: Int

    init(_ exchange: ExchangeID, _ entry: RequestLog.Entry, count: Int) {
        self.exchange = exchange
        self.entry = entry
        outcomes = Array(repeating: nil, count: count)
        missing = count
    }

    /// Whether every event has its outcome.
    var isComplete: Bool { missing == 0 }

    /// What was refused, and why.
    var refusals: [Problem] {
        outcomes.compactMap { outcome in
            if case .refused(let problem)? = outcome { problem } else { nil }
        }
    }

    mutating func settle(_ index: Int, _ outcome: Outcome) {
        precondition(outcomes[index] == nil, "an event settled twice")
        outcomes[index] = outcome
        missing -= 1
    }

    /// 200 when every event has been judged; 507 or 503 when the relay could take none, so that a
    /// device that looks at the status alone sends everything again.
    ///
    /// - Parameter request: names the request here and in the log, if anything of it was refused.
    func response(request: String?) -> Response {
        let refusals = refusals
        let trouble = refusals.first { $0.status >= 500 }
        let body = JSONWriter.object { json in
            json.add("ok", refusals.isEmpty)
            json.add("accepted", Int64(outcomes.count - refusals.count))
            json.add("refused", Int64(refusals.count))
            if let request { json.add("request", request) }
            json.addArray("events") { list in
                for outcome in outcomes { list.object { outcome?.write(to: &$0) } }
            }
        }
        return .json(body, status: trouble?.status ?? 200, fields: trouble?.fields ?? [])
    }
}

extension EventBatch.Outcome {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .accepted(let acceptance):
            json.add("outcome", acceptance.isDuplicate ? "duplicate" : "accepted")
            json.add("id", acceptance.event.key.id.description)
            json.add("goal", acceptance.event.goal.description)
            json.add("state", acceptance.state.rawValue)
        case .refused(let problem):
            json.add("outcome", "refused")
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
    mutating func open(_ exchange: ExchangeID, _ entry: RequestLog.Entry, count: Int) -> Int {
        last += 1
        batches[last] = EventBatch(exchange, entry, count: count)
        return last
    }

    /// Notes what became of one event.
    ///
    /// - Returns: the batch, when that was the last one missing.
    mutating func settle(_ number: Int, _ index: Int, _ outcome: EventBatch.Outcome) -> EventBatch?
    {
        batches[number]?.settle(index, outcome)
        guard batches[number]?.isComplete == true else { return nil }
        return batches.removeValue(forKey: number)
    }

    /// Forgets all of them.
    ///
    /// - Returns: them, so that somebody is told.
    mutating func removeAll() -> [EventBatch] {
        defer { batches.removeAll() }
        return Array(batches.values)
    }
}

extension Relay {
    /// Events of one request at most.
    private static let mostEvents = 10_000

    /// `POST /events`: queued events, in order.
    func events(_ exchange: Exchange, _ visit: Visit) throws(Problem) -> Response? {
        let device = try access.authenticate(
            exchange.request, bodyToken: nil, devices, .log, visit)
        let list: [PressFields?]
        do throws(BodyReader.Fault) {
            list = try BodyReader.events(exchange.request.body)
        } catch {
            throw .malformed(
                "send a JSON array of events, an object with 'events', or one object a line")
        }
        guard list.count <= Relay.mostEvents else {
            throw Problem(
                .tooLarge,
                "at most \(Relay.mostEvents) events at once; send the rest after these")
        }
        current.events = list.count
        guard !Relay.isDryRun(exchange.request) else { return dryRun(list, from: device) }
        guard !list.isEmpty else {
            return EventBatch(exchange.id, current, count: 0).response(request: nil)
        }
        let batch = batches.open(exchange.id, current, count: list.count)
        for (index, fields) in list.enumerated() {
            do throws(Problem) {
                guard let fields else {
                    throw .malformed("this event is no JSON object; send {\"goal\": \"water\"}")
                }
                let press = try Press(fields, path: nil, from: device, presetBook)
                take(press, for: .batch(batch, index: index), visit.moment)
            } catch {
                finish(batch, index, .refused(error))
            }
        }
        return nil
    }
}

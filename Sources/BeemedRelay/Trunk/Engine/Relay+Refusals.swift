import BeemedDomain
import RelayHTTP

/// Refusals: each has a name, the same in the answer and in the log. And how much is logged of what
/// clients may send without a bound.
extension Relay {
    /// The answer to a refused request, which is also logged.
    func refusal(of entry: RequestLog.Entry, _ problem: Problem) -> Response {
        let name = name(problem, from: entry.peer, entry.shown)
        records.metrics.count(problem)
        records.end(
            entry, RequestLog.Ending(status: problem.status, problem: problem, name: name))
        return problem.response(to: entry.shown, name: name)
    }

    /// The answer to bytes that are no HTTP request.
    func refusal(of fault: ParseError, from peer: Endpoint) -> Response {
        let entry = RequestLog.Entry(nil, from: peer.address, at: environment.clock().wall)
        defer { records.record(entry) }
        return refusal(of: entry, Problem(fault))
    }

    /// Assigns a name to a refusal, and logs it, within the limit on log lines.
    ///
    /// - Parameter request: the refused request, if known.
    func name(_ problem: Problem, from peer: Address, _ request: Request? = nil) -> String {
        let name = records.names.next()
        let now = environment.clock().monotonic
        summarizeRefusals(now)
        let kind = RefusalLog.Kind(peer: peer, code: problem.code)
        guard records.refusals.count(kind, at: now) else { return name }
        var pairs = [("request", name), ("peer", "\(peer)")]
        // Over the rate limit a refusal must stay cheap: no redaction.
        if let request, problem.code != .tooManyRequests {
            pairs.append(("method", Redaction.tokens(request.method.token)))
            let path = request.target.path
            let shown = routes.shownPath(of: path)
            pairs.append(("path", shown ?? Redaction.path(path)))
        }
        pairs += [("status", "\(problem.status)"), ("code", problem.code.rawValue)]
        log.info("refused", pairs)
        return name
    }

    /// Logs that a batch found no room in the journal, within the same limit: on a full disk there
    /// is one with each press.
    func logRejection(_ error: DiskError) {
        let now = environment.clock().monotonic
        summarizeRefusals(now)
        let kind = RefusalLog.Kind(peer: nil, code: .diskFull)
        guard records.refusals.count(kind, at: now) else { return }
        log.error("disk full, nothing of the batch was taken", [("cause", error.cause)])
    }

    /// Counts and logs an accepted press; a repeated press within the same limit: nothing else
    /// bounds how often a device repeats one.
    func register(_ acceptance: Acceptance) {
        records.metrics.count(acceptance)
        if acceptance.isDuplicate {
            let now = environment.clock().monotonic
            summarizeRefusals(now)
            let kind = RefusalLog.Kind(device: acceptance.event.key.identity)
            guard records.refusals.count(kind, at: now) else { return }
        }
        records.accepted.append(acceptance)
    }

    /// Logs the number of refusals without a line of their own, at the end of each minute, and of
    /// presses that were accepted before.
    func summarizeRefusals(_ now: Monotonic) {
        guard let summary = records.refusals.takeSummary(at: now) else { return }
        for (kind, count) in summary {
            if let device = kind?.device {
                log.info("accepted before", [("device", "\(device)"), ("more", "\(count)")])
                continue
            }
            let peer = kind?.peer.map { [("peer", "\($0)")] } ?? []
            let code = kind?.code.map { [("code", $0.rawValue)] } ?? []
            log.info("refused likewise", peer + code + [("more", "\(count)")])
        }
    }
}

/// The records of requests, for people: the latest requests, the refusals, and counts.
struct RequestRecords {
    var names = RequestNames()
    private(set) var requests = RequestLog()
    var refusals = RefusalLog()
    var metrics = Metrics()
    var accepted = AcceptedPresses()
    /// The known facts about the heads of the connections.
    var heads = KnownHeads()

    /// Paths that browsers request from every server of their own accord.
    private static let unasked: Set<String> = [
        "/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png", "/robots.txt",
    ]

    /// Records how a request ended, and counts it.
    mutating func end(_ entry: RequestLog.Entry, _ ending: RequestLog.Ending) {
        entry.ending = ending
        metrics.count(entry.route, status: ending.status)
    }

    /// Records a request, unless it is a read without a refusal, or of a browser's own accord.
    mutating func record(_ entry: RequestLog.Entry) {
        let isRefused = entry.ending?.problem != nil
        guard isRefused || !entry.isReadOnly else { return }
        if isRefused, let path = entry.shown?.target.path,
            RequestRecords.unasked.contains(path)
        {
            return
        }
        requests.append(entry)
    }
}

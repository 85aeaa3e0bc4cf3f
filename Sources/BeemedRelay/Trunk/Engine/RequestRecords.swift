import BeemedDomain
import RelayHTTP

/// The records of requests, for people: the latest requests, the refusals, and counts.
///
/// Each refusal has a name, the same in the answer and in the log. Lines that clients can cause
/// without a limit are limited here.
final class RequestRecords {
    /// The requests, in memory only: they show the user why a device's press is missing.
    private var entries: [RequestEntry] = []
    var metrics = Metrics()
    /// Names of this process begin with a text of its own.
    private let start = String(UInt32.random(in: 0 ... .max), radix: 36)
    private var named: UInt32 = 0
    /// Log lines of each kind, from each address or device, and those of all addresses.
    private var lines = RateLimiter(rate: 5.0 / 60, burst: RequestRecords.linesAtOnce)
    private var linesOfPeers = RateLimiter(rate: 5, burst: RequestRecords.linesOfPeersAtOnce)
    /// The refusals, and presses that were sent again, without a line since the last one that says
    /// their number.
    private var unlogged = 0
    private var accepted: [Acceptance] = []
    let routes: RouteTable
    private let log: Log
    private let clock: @Sendable () -> Moment

    init(_ routes: RouteTable, _ log: Log, clock: @escaping @Sendable () -> Moment) {
        (self.routes, self.log, self.clock) = (routes, log, clock)
    }

    // MARK: Ends

    /// Paths that browsers request from every server of their own accord.
    private static let unasked: Set<String> = [
        "/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png", "/robots.txt",
    ]

    /// Records how a request ended, and counts it.
    func end(_ entry: RequestEntry, _ ending: consuming RequestEntry.Ending) {
        metrics.count(entry.route?.pattern ?? "none", status: ending.status)
        entry.ending = ending
    }

    /// Records a request, unless it is a read without a refusal, as displays send all the time, or
    /// of a browser's own accord.
    func add(_ entry: RequestEntry) {
        let isRefused = entry.ending?.problem != nil
        guard isRefused || entry.route?.isRead != true else { return }
        if isRefused, let path = entry.shown?.target.path,
            RequestRecords.unasked.contains(path)
        {
            return
        }
        entries.append(entry)
        if entry.device == nil {
            let latest = entries.suffix(RequestRecords.maxEntries)
            if latest.count(where: { $0.device == nil }) > RequestRecords.maxOfStrangers,
                let oldest = latest.firstIndex(where: { $0.device == nil })
            {
                entries.remove(at: oldest)
            }
        }
        // Not each time: to move a hundred entries takes as long as to write an answer.
        if entries.count >= 2 * RequestRecords.maxEntries {
            entries.removeFirst(RequestRecords.maxEntries)
        }
    }

    private static let maxEntries = 100
    /// Requests among them whose sender is not known, at most: those of strangers must not displace
    /// those of devices.
    private static let maxOfStrangers = 25

    var newestFirst: [RequestEntry] { entries.suffix(RequestRecords.maxEntries).reversed() }

    // MARK: Refusals

    /// The answer to a refused request, which is also logged.
    func refusal(of entry: RequestEntry, _ problem: Problem) -> Response {
        let name = name(problem, from: entry.peer, entry.shown)
        metrics.count(problem)
        end(entry, RequestEntry.Ending(status: problem.status, problem: problem, name: name))
        return problem.response(to: entry.shown, name: name)
    }

    /// The answer to bytes that are no HTTP request.
    func refusal(of fault: ParseError, from peer: Endpoint) -> Response {
        let entry = RequestEntry(nil, from: peer.address, at: clock().wall)
        defer { add(entry) }
        return refusal(of: entry, Problem(fault))
    }

    /// The answer to a request whose wait ends, which is not logged.
    func unloggedRefusal(_ problem: Problem) -> Response {
        problem.response(request: nextName())
    }

    /// Assigns a name to a refusal, and logs it, within the limit on log lines.
    func name(
        _ problem: Problem, from peer: Address, _ request: Request? = nil
    ) -> String {
        let name = nextName()
        guard mayLog(problem.code, from: peer) else { return name }
        var pairs = [("request", name), ("peer", "\(peer)")]
        // Over the rate limit a refusal must stay cheap: no redaction.
        if let request, problem.code != .tooManyRequests {
            pairs.append(("method", Redaction.tokens(request.method.token)))
            let path = request.target.path
            let shown = routes.shownPath(of: path)
            pairs.append(("path", shown ?? Redaction.path(path)))
        }
        pairs += [("status", "\(problem.status)"), ("code", problem.code.rawValue)]
        log.info("refused", pairs + takeUnlogged())
        return name
    }

    /// A name for a request, the same in the log and in the answer.
    private func nextName() -> String {
        named &+= 1
        return "\(start)-\(String(named, radix: 36))"
    }

    /// Logs that a batch found no room, within the same limit: a full disk has one with each press.
    func logRejection(_ error: DiskError) {
        guard mayLog("\(ErrorCode.diskFull)") else { return }
        log.error(
            "disk full, nothing of the batch was taken",
            [("cause", error.cause)] + takeUnlogged())
    }

    // MARK: Presses

    /// Counts and logs an accepted press; a repeated press within the same limit: nothing else
    /// bounds how often a device repeats one.
    func register(_ acceptance: Acceptance) {
        metrics.count(acceptance)
        if acceptance.isDuplicate {
            guard mayLog("\(acceptance.event.key.identity)") else { return }
        }
        accepted.append(acceptance)
    }

    func writeAccepted() { log.write(&accepted) }

    // MARK: The limit

    /// Lines of a kind at once, from an address or a device; later five a minute.
    static let linesAtOnce = 5.0
    /// Lines at once of all addresses together, of which anybody may have many.
    static let linesOfPeersAtOnce = 300.0

    private func mayLog(_ code: ErrorCode, from peer: Address) -> Bool {
        guard mayLog("\(peer) \(code)") else { return false }
        guard linesOfPeers.consume("", at: clock().monotonic) != nil else { return true }
        unlogged += 1
        return false
    }

    /// Whether a line of this kind is written, which is counted otherwise. So no client can fill
    /// the disk, and the user still sees what comes, from where, and how often.
    private func mayLog(_ kind: String) -> Bool {
        guard lines.consume(kind, at: clock().monotonic) != nil else { return true }
        unlogged += 1
        return false
    }

    /// The number of those without a line, for the next line.
    private func takeUnlogged() -> [(String, String)] {
        defer { unlogged = 0 }
        return unlogged > 0 ? [("unlogged", "\(unlogged)")] : []
    }
}

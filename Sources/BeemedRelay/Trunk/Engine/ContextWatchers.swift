import BeemedDomain
import RelayHTTP

/// A client that waits for the context to change: for one answer, or for all of them as a stream.
struct ContextWait {
    let exchange: ExchangeID
    /// The digest of the token or session cookie: the wait ends when that is revoked, and waits are
    /// counted per token.
    let bearer: TokenDigest
    let view: ContextView
    /// For one answer: the client's ETags, and when it is due at the latest; nil for a stream.
    let poll: (known: KnownTags?, until: Monotonic)?

    var isStream: Bool { poll == nil }
}

/// The clients that wait for the context to change, and the context as they get it. Between changes
/// a stream costs only a heartbeat, by which each side detects that the other has gone.
package final class ContextWatchers {
    /// The waiting requests, by their start.
    private(set) var waits: [ContextWait] = []
    var cache = ContextCache()
    /// The edition of the context that was sent last.
    private var edition: UInt64 = 0
    /// The time of the next heartbeat; nil without streams.
    private var heartbeatAt: Monotonic?

    /// Seconds between heartbeats: less than the idle time-outs of routers and browsers.
    package static let heartbeatSeconds = 15.0
    /// Waiting requests of one token, at most, streams included.
    static let maxWaits = 32

    /// When the next long poll ends, heartbeats are due, or the context changes by time alone; nil
    /// while nobody waits.
    var wakeAt: Monotonic? {
        guard !waits.isEmpty else { return nil }
        let ends = waits.lazy.compactMap { $0.poll?.until }.min()
        let beat = waits.contains(where: \.isStream) ? heartbeatAt : nil
        return Monotonic.soonest(Monotonic.soonest(ends, beat), cache.wakeAt)
    }

    // MARK: The context

    /// Takes over the context if it has changed, by an event or by time.
    func refresh(_ core: RelayCore, at now: Moment) {
        guard cache.isStale(version: core.view.version, at: now.monotonic) else { return }
        cache.fill(
            core.view.snapshot(at: now, limit: 100), at: now.monotonic,
            corrected: core.view.corrected(now).wall)
    }

    /// The context as an event of a stream; nil for a client that has this version.
    func event(_ view: ContextView, known: String? = nil) -> [UInt8]? {
        let response = cache.response(view, ifNoneMatch: nil)
        let tag = (response.field("ETag") ?? "").filter { $0 != "\"" }
        if let known, known == tag { return nil }
        // Compact JSON contains no line feed but its last, so one `data` line is enough.
        return Array("id: \(tag)\nevent: context\ndata: ".utf8) + response.body + [0x0A]
    }

    // MARK: Waiting

    /// Adds a client that has the present context.
    func add(_ wait: ContextWait, at now: Moment) {
        waits.append(wait)
        guard wait.isStream else { return }
        if heartbeatAt == nil { planHeartbeat(now) }
    }

    /// The answers that are due, once the present context was taken over: to all when it has
    /// changed, to long polls whose time is over, and heartbeats.
    ///
    /// - Parameter isOpen: whether the client of a stream is still there.
    func due(at now: Moment, isOpen: (ExchangeID) -> Bool) -> [Answer] {
        let hasChanged = edition != cache.edition
        edition = cache.edition
        let isBeat = !hasChanged && heartbeatAt.map { $0 <= now.monotonic } ?? false
        if isBeat { waits.removeAll { $0.isStream && !isOpen($0.exchange) } }
        var answers: [Answer] = []
        waits.removeAll { wait in
            if let (known, until) = wait.poll {
                let isOver = until <= now.monotonic
                guard hasChanged || isOver else { return false }
                let response = cache.response(wait.view, ifNoneMatch: known)
                guard response.status != 304 || isOver else { return false }
                answers.append(Answer(to: wait.exchange, response))
                return true
            }
            guard hasChanged || isBeat else { return false }
            let text = isBeat ? ContextWatchers.beat : event(wait.view) ?? []
            answers.append(Answer(to: wait.exchange, .more(text)))
            return false
        }
        if hasChanged || isBeat { planHeartbeat(now) }
        return answers
    }

    private static let beat = Array(": still here\n\n".utf8)

    private func planHeartbeat(_ now: Moment) {
        heartbeatAt =
            waits.contains(where: \.isStream)
            ? now.monotonic.adding(seconds: ContextWatchers.heartbeatSeconds) : nil
    }

    // MARK: Ending

    /// Ends the oldest waits, so that this bearer may begin one more: its own at the limit of one
    /// token, any bearer's when waits hold half of all connections, since presses have priority on
    /// connections. The new wait is not refused: a display that lost its power reconnects as a new
    /// client.
    func makeRoom(for bearer: TokenDigest, among connections: Int) -> [Answer] {
        let isAtLimit = waits.count(where: { $0.bearer == bearer }) >= ContextWatchers.maxWaits
        let own = isAtLimit ? endFirst { $0.bearer == bearer } : nil
        let any = waits.count >= max(1, connections / 2) ? endFirst { _ in true } : nil
        return [own, any].compactMap(\.self)
    }

    private func endFirst(where isMeant: (ContextWait) -> Bool) -> Answer? {
        waits.firstIndex(where: isMeant).map { end(waits.remove(at: $0)) }
    }

    /// The last answer to a client: a long poll gets the context as it is.
    func end(_ wait: ContextWait) -> Answer {
        guard let poll = wait.poll else { return Answer(to: wait.exchange, .end) }
        return Answer(to: wait.exchange, cache.response(wait.view, ifNoneMatch: poll.known))
    }

    /// Removes the wait of this exchange, and returns it; nil if there is none.
    func remove(_ id: ExchangeID) -> ContextWait? {
        waits.firstIndex { $0.exchange == id }.map { waits.remove(at: $0) }
    }

    /// Ends all waits of these bearers: streams just end, and long polls get this response.
    func endAll(
        where isOver: (TokenDigest) -> Bool = { _ in true }, with response: () -> Response
    ) -> [Answer] {
        let ended = waits.filter { isOver($0.bearer) }
        waits.removeAll { isOver($0.bearer) }
        return ended.map { wait in
            wait.isStream
                ? Answer(to: wait.exchange, .end) : Answer(to: wait.exchange, response())
        }
    }
}

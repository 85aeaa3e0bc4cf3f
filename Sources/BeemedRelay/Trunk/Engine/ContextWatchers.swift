import BeemedDomain
import RelayHTTP

/// The clients that wait for the context to change, and the context as they get it. A class: every
/// turn asks when the next answer is due, and must not copy all that.
final class ContextWatchers {
    var longPolls: [LongPoll] = []
    var streams = ContextStreams()
    var cache = ContextCache()
    /// The edition of the context at the last look at the long polls.
    var edition: UInt64 = 0

    /// Whether nobody waits.
    var isEmpty: Bool { longPolls.isEmpty && streams.list.isEmpty }

    /// When the next long poll ends, heartbeats are due, or the context changes by time alone; nil
    /// while nobody waits.
    var wakeAt: Monotonic? {
        guard !isEmpty else { return nil }
        let beat = streams.list.isEmpty ? nil : streams.heartbeatAt
        let ends = Monotonic.soonest(longPolls.map(\.until).min(), beat)
        return Monotonic.soonest(ends, cache.expiresAt)
    }
}

extension Relay {
    /// Answers what the present context answers.
    func tellWatchers(_ now: Moment) {
        refreshContext(at: now)
        tellLongPolls(now)
        tellStreams(now)
    }

    /// The current context.
    func currentContext(
        _ view: ContextView, ifNoneMatch condition: KnownTags?, at now: Moment
    ) -> Response {
        refreshContext(at: now)
        return watchers.cache.response(view, ifNoneMatch: condition)
    }

    /// Rebuilds the context if it has changed, by an event or by time.
    func refreshContext(at now: Moment) {
        guard watchers.cache.isStale(version: engine.core.version, at: now) else { return }
        watchers.cache.fill(
            engine.core.snapshot(at: now, limit: 100), at: now,
            corrected: engine.core.corrected(now).wall)
    }
}

/// A client that waits for the context to change.
struct LongPoll {
    var exchange: ExchangeID
    var bearer: Bearer
    var view: ContextView
    /// The client's ETags.
    var condition: KnownTags?
    var since: Monotonic
    var until: Monotonic
}

extension Relay {
    /// Answers long polls when the context has changed or their time is over.
    func tellLongPolls(_ now: Moment) {
        guard !watchers.longPolls.isEmpty else { return }
        let hasChanged = watchers.cache.edition != watchers.edition
        watchers.edition = watchers.cache.edition
        var left: [LongPoll] = []
        for longPoll in watchers.longPolls {
            guard hasChanged || longPoll.until <= now.monotonic else {
                left.append(longPoll)
                continue
            }
            let response = currentContext(
                longPoll.view, ifNoneMatch: longPoll.condition, at: now)
            guard response.status != 304 || longPoll.until <= now.monotonic else {
                left.append(longPoll)
                continue
            }
            answers.append(Answer(to: longPoll.exchange, response))
        }
        watchers.longPolls = left
    }
}

/// A client that receives changes as they happen.
struct ContextStream {
    var exchange: ExchangeID
    var bearer: Bearer
    var view: ContextView
    var since: Monotonic
}

/// The clients that receive changes as they happen. Between changes they cost only a heartbeat, by
/// which each side detects that the other has gone.
package struct ContextStreams {
    var list: [ContextStream] = []
    /// The edition of the context that was sent last.
    var edition: UInt64 = 0
    /// The time of the next heartbeat.
    var heartbeatAt: Monotonic?

    /// Seconds between heartbeats: less than the idle time-outs of routers and browsers.
    package static let heartbeatSeconds = 15.0
}

extension Relay {
    /// Sends changes to every stream, and heartbeats.
    func tellStreams(_ now: Moment) {
        guard !watchers.streams.list.isEmpty else { return }
        if watchers.streams.edition != watchers.cache.edition {
            watchers.streams.edition = watchers.cache.edition
            var made: [ContextView: [UInt8]] = [:]
            for stream in watchers.streams.list {
                let bytes = made[stream.view] ?? contextEvent(stream.view, known: nil, now) ?? []
                made[stream.view] = bytes
                answers.append(Answer(to: stream.exchange, more: bytes))
            }
            planHeartbeat(now.monotonic)
        } else if let due = watchers.streams.heartbeatAt, due <= now.monotonic {
            let server = site?.server
            watchers.streams.list.removeAll { stream in
                server?.assumeIsolated { $0.holds(stream.exchange) } != true
            }
            let beat = Array(": still here\n\n".utf8)
            for stream in watchers.streams.list {
                answers.append(Answer(to: stream.exchange, more: beat))
            }
            planHeartbeat(now.monotonic)
        }
    }

    /// Sets the time of the next heartbeat.
    func planHeartbeat(_ now: Monotonic) {
        watchers.streams.heartbeatAt =
            watchers.streams.list.isEmpty
            ? nil : now.adding(seconds: ContextStreams.heartbeatSeconds)
    }

    /// The context as an event; nil for a client that has this version.
    func contextEvent(_ view: ContextView, known: String?, _ now: Moment) -> [UInt8]? {
        let response = currentContext(view, ifNoneMatch: nil, at: now)
        let tag = (response.field("ETag") ?? "").filter { $0 != "\"" }
        if let known, known == tag { return nil }
        // Compact JSON contains no line feed but its last, so one `data` line is enough.
        return Array("id: \(tag)\nevent: context\ndata: ".utf8) + response.body + [0x0A]
    }
}

/// Limits on waiting requests. Each holds a connection, and presses have priority on connections.
extension Relay {
    /// Waiting requests of one token, at most, streams included.
    static let maxWaits = 32

    /// Ends the oldest waits, so that this bearer may begin one more: its own at the limit of one
    /// token, any bearer's when waits hold half of all connections. The new wait is not refused,
    /// since a display that lost its power reconnects as a new client.
    func evictWait(for bearer: Bearer, _ now: Moment) {
        let own =
            watchers.longPolls.count { $0.bearer == bearer }
            + watchers.streams.list.count { $0.bearer == bearer }
        if own >= Relay.maxWaits { endOldestWait(now) { $0 == bearer } }
        let most = max(1, (site?.server.maxConnections ?? 2) / 2)
        if watchers.longPolls.count + watchers.streams.list.count >= most {
            endOldestWait(now) { _ in true }
        }
    }

    /// Ends all waits of revoked tokens and sessions; the answer says only that.
    func endWaits(where isOver: @escaping (Bearer) -> Bool) {
        for longPoll in watchers.longPolls where isOver(longPoll.bearer) {
            let response = Problem.revoked.response(request: records.names.next())
            answers.append(Answer(to: longPoll.exchange, response))
        }
        watchers.longPolls.removeAll { isOver($0.bearer) }
        for stream in watchers.streams.list where isOver(stream.bearer) { end(stream) }
        watchers.streams.list.removeAll { isOver($0.bearer) }
        tell(.revoked(isOver))
    }

    /// The answer for a long poll that ends early, because its connection is needed; nil for a
    /// stream, or when the client is unknown here.
    func endWait(_ id: ExchangeID) -> Answer? {
        if let index = watchers.longPolls.firstIndex(where: { $0.exchange == id }) {
            let longPoll = watchers.longPolls.remove(at: index)
            return answer(to: longPoll, environment.clock())
        }
        watchers.streams.list.removeAll { $0.exchange == id }
        tell(.waitEnded(id))
        return nil
    }

    private func endOldestWait(_ now: Moment, where isMeant: (Bearer) -> Bool) {
        // Both lists are ordered by start.
        let longPoll = watchers.longPolls.firstIndex { isMeant($0.bearer) }
        let stream = watchers.streams.list.firstIndex { isMeant($0.bearer) }
        let isStream: Bool
        switch (longPoll, stream) {
        case (nil, nil): return
        case (nil, _?): isStream = true
        case (_?, nil): isStream = false
        case (let longPoll?, let stream?):
            isStream = watchers.streams.list[stream].since < watchers.longPolls[longPoll].since
        }
        if isStream, let stream { end(watchers.streams.list.remove(at: stream)) }
        if !isStream, let longPoll { end(watchers.longPolls.remove(at: longPoll), now) }
    }

    private func end(_ longPoll: LongPoll, _ now: Moment) {
        answers.append(answer(to: longPoll, now))
    }

    private func end(_ stream: ContextStream) {
        answers.append(Answer(ending: stream.exchange))
    }

    private func answer(to longPoll: LongPoll, _ now: Moment) -> Answer {
        Answer(
            to: longPoll.exchange,
            currentContext(longPoll.view, ifNoneMatch: longPoll.condition, at: now))
    }
}

import BeemedDomain
import RelayHTTP

/// The clients that wait for the context to change, and the context as they get it. An object:
/// every turn asks it when it is due, and must not copy it for that.
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

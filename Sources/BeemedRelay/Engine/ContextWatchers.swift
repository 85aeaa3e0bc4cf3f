import BeemedDomain
import RelayHTTP

/// The clients that wait for the context to change, and the context as they get it. An object:
/// every turn asks it when it is due, and must not copy it for that.
final class ContextWatchers {
    var longPolls: [LongPoll] = []
    var streams = ContextStreams()
    var cache = ContextCache()
    /// The context version of the last look at the long polls.
    var version: UInt64 = 0

    /// Whether nobody waits.
    var isEmpty: Bool { longPolls.isEmpty && streams.list.isEmpty }

    /// When the next long poll ends, or heartbeats are due.
    var wakeAt: Monotonic? {
        Monotonic.soonest(longPolls.map(\.until).min(), streams.heartbeatAt)
    }
}

extension Relay {
    /// Answers what the present context answers.
    func tellWatchers(_ now: Moment) {
        tellLongPolls(now)
        tellStreams(now)
    }
}

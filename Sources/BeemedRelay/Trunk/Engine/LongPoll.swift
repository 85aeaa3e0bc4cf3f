import BeemedDomain
import RelayHTTP

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

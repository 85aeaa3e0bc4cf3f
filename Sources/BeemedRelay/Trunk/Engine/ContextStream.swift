import BeemedDomain
import RelayHTTP

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

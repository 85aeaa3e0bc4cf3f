import BeemedDomain
import RelayHTTP

struct ContextStream {
    var exchange: ExchangeID
    var bearer: Bearer
    var view: ContextView
    var since: Monotonic
}

/// The clients that receive changes as they happen. Between changes they cost only a heartbeat, by
/// which each side detects that the other has gone.
struct ContextStreams {
    var list: [ContextStream] = []
    /// The edition of the context that was sent last.
    var edition: UInt64 = 0
    /// The time of the next heartbeat.
    var heartbeatAt: Monotonic?

    /// Seconds between heartbeats: less than the idle time-outs of routers and browsers.
    static let heartbeatSeconds = 15.0
}

extension Relay {
    /// `GET /context/stream`: the context as server-sent events, now and after each change. The
    /// event id is the context's ETag, so a client that reconnects with `Last-Event-ID` receives
    /// only a newer version.
    func stream(_ call: Call) throws(Problem) -> Response? {
        let device = try authenticate(call, .read)
        call.isReadOnly = true
        let view = try ContextView(query: call.request.target.query).form
        guard !view.isText else { throw .malformed("a stream is JSON; leave 'format' out") }
        // Existing streams must not miss the edition that this client receives.
        refreshContext(at: call.moment)
        tellStreams(call.moment)
        let known = call.request.fields.all("last-event-id").first
        var start = Array("retry: 2000\n\n".utf8)
        start += event(view, known: known, call.moment) ?? []
        let fields = [
            Response.Field("Content-Type", "text/event-stream"),
            .notStored, Response.Field("X-Accel-Buffering", "no"),
        ]
        let response = Response(status: 200, fields: fields, body: start)
        let bearer = Bearer(device)
        if call.request.method == .get { evictWait(for: bearer, call.moment) }
        answers.append(Answer(to: call.id, opening: response))
        guard call.request.method == .get else { return nil }
        watchers.streams.edition = watchers.cache.edition
        watchers.streams.list.append(
            ContextStream(
                exchange: call.id, bearer: bearer, view: view,
                since: call.moment.monotonic))
        if watchers.streams.heartbeatAt == nil { planHeartbeat(call.moment.monotonic) }
        return nil
    }

    /// Sends changes to every stream, and heartbeats.
    func tellStreams(_ now: Moment) {
        guard !watchers.streams.list.isEmpty else { return }
        if watchers.streams.edition != watchers.cache.edition {
            watchers.streams.edition = watchers.cache.edition
            var made: [ContextView: [UInt8]] = [:]
            for stream in watchers.streams.list {
                let bytes = made[stream.view] ?? event(stream.view, known: nil, now) ?? []
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

    private func planHeartbeat(_ now: Monotonic) {
        watchers.streams.heartbeatAt =
            watchers.streams.list.isEmpty
            ? nil : now.adding(seconds: ContextStreams.heartbeatSeconds)
    }

    /// The context as an event; nil for a client that has this version.
    private func event(_ view: ContextView, known: String?, _ now: Moment) -> [UInt8]? {
        let response = currentContext(view, ifNoneMatch: nil, at: now)
        let tag = (response.field("ETag") ?? "").filter { $0 != "\"" }
        if let known, known == tag { return nil }
        // Compact JSON contains no line feed but its last, so one `data` line is enough.
        return Array("id: \(tag)\nevent: context\ndata: ".utf8) + response.body + [0x0A]
    }
}

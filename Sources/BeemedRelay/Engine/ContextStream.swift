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
    /// The context version that was sent last.
    var version: UInt64 = 0
    /// The time of the next heartbeat.
    var heartbeatAt: Monotonic?

    /// Seconds between heartbeats: less than the idle time-outs of routers and browsers.
    static let heartbeatSeconds = 15.0
}

extension Relay {
    /// `GET /context/stream`: the context as server-sent events, now and after each change. The
    /// event id is the context's ETag, so a client that reconnects with `Last-Event-ID` receives
    /// only a newer version.
    func stream(_ exchange: Exchange, _ context: RequestContext) throws(Problem) -> Response? {
        let request = exchange.request
        let device = try access.authenticate(request, bodyToken: nil, devices, .read, context)
        current.isReadOnly = true
        let view = try ContextView(query: request.target.query).form
        guard !view.isText else { throw .malformed("a stream is JSON; leave 'format' out") }
        // Existing streams must not miss the version that this client receives.
        tellStreams(context.moment)
        let known = request.fields.all("last-event-id").first
        var start = Array("retry: 2000\n\n".utf8)
        start += event(view, known: known, context.moment) ?? []
        let fields = [
            Response.Field("Content-Type", "text/event-stream"),
            Response.Field("Cache-Control", "no-store"), Response.Field("X-Accel-Buffering", "no"),
        ]
        let response = Response(status: 200, fields: fields, body: start)
        let bearer = Bearer(device)
        if request.method == .get { makeRoomToWait(for: bearer, context.moment) }
        answers.append(Answer(to: exchange.id, opening: response))
        guard request.method == .get else { return nil }
        streams.version = core.version
        streams.list.append(
            ContextStream(
                exchange: exchange.id, bearer: bearer, view: view,
                since: context.moment.monotonic))
        if streams.heartbeatAt == nil { planHeartbeat(context.moment.monotonic) }
        return nil
    }

    /// Sends changes to every stream, and heartbeats.
    func tellStreams(_ now: Moment) {
        guard !streams.list.isEmpty else { return }
        if streams.version != core.version {
            streams.version = core.version
            var made: [ContextView: [UInt8]] = [:]
            for stream in streams.list {
                let bytes = made[stream.view] ?? event(stream.view, known: nil, now) ?? []
                made[stream.view] = bytes
                answers.append(Answer(to: stream.exchange, more: bytes))
            }
            planHeartbeat(now.monotonic)
        } else if let due = streams.heartbeatAt, due <= now.monotonic {
            let server = server
            streams.list.removeAll { stream in
                server?.assumeIsolated { $0.holds(stream.exchange) } != true
            }
            let beat = Array(": still here\n\n".utf8)
            for stream in streams.list { answers.append(Answer(to: stream.exchange, more: beat)) }
            planHeartbeat(now.monotonic)
        }
    }

    private func planHeartbeat(_ now: Monotonic) {
        streams.heartbeatAt =
            streams.list.isEmpty ? nil : now.adding(seconds: ContextStreams.heartbeatSeconds)
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

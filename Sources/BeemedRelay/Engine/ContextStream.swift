import BeemedDomain
import RelayHTTP

/// A client of `GET /context/stream`.
struct ContextStream {
    var exchange: ExchangeID
    var bearer: Bearer
    var view: ContextView
    var since: Monotonic
}

/// Everybody who is told of changes as they happen. They cost nothing while nothing changes but a
/// word now and then, by which both sides notice that the other has gone.
struct ContextStreams {
    var list: [ContextStream] = []
    /// The version of the context that they know.
    var version: UInt64 = 0
    /// When they are told that the relay is still there.
    var heartbeatAt: Monotonic?

    /// How long nothing may be said, in seconds: less than what routers and browsers take for the
    /// end.
    static let heartbeatSeconds = 15.0
}

extension Relay {
    /// `GET /context/stream`: the context as server-sent events, now and whenever it changes. An
    /// event's id is the context's ETag, so who comes back with `Last-Event-ID` is told only what
    /// is new.
    func stream(_ exchange: Exchange, _ context: RequestContext) throws(Problem) -> Response? {
        let request = exchange.request
        let device = try access.authenticate(request, bodyToken: nil, devices, .read, context)
        current.isReadOnly = true
        let view = try ContextView(query: request.target.query).form
        guard !view.isText else { throw .malformed("a stream is JSON; leave 'format' out") }
        // Whoever waits already must not miss what this one is told.
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

    /// Tells everybody of a change, and now and then that nothing has changed.
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

    /// The context as an event; nil for a client that knows it.
    private func event(_ view: ContextView, known: String?, _ now: Moment) -> [UInt8]? {
        let response = currentContext(view, ifNoneMatch: nil, at: now)
        let tag = (response.field("ETag") ?? "").filter { $0 != "\"" }
        if let known, known == tag { return nil }
        // JSON has no raw line feed but the one that ends it, so one line of data is enough.
        return Array("id: \(tag)\nevent: context\ndata: ".utf8) + response.body + [0x0A]
    }
}

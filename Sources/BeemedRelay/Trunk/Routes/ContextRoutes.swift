import BeemedDomain
import RelayHTTP

/// Snapshots of the pinned goals.
extension Relay {
    /// `GET /context`: the latest snapshot. With `wait` and the client's ETag, the answer is held
    /// until the context changes.
    func context(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        let view = try ContextView(query: call.request.target.query)
        let condition = KnownTags(call.request)
        let response = currentContext(view.form, ifNoneMatch: condition, at: call.moment)
        guard response.status == 304, view.waitSeconds > 0 else { return response }
        let bearer = Bearer(device)
        evictWait(for: bearer, call.moment)
        let now = call.moment.monotonic
        watchers.longPolls.append(
            LongPoll(
                exchange: call.id, bearer: bearer, view: view.form, condition: condition,
                since: now, until: now.adding(seconds: view.waitSeconds)))
        answers.append(Answer(waiting: call.id))
        return nil
    }

    /// `GET /context/stream`: the context as server-sent events, now and after each change. The
    /// event id is the context's ETag, so a client that reconnects with `Last-Event-ID` receives
    /// only a newer version.
    func stream(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        let view = try ContextView(query: call.request.target.query).form
        guard !view.isText else { throw .malformed("a stream is JSON; leave 'format' out") }
        // Existing streams must not miss the edition that this client receives.
        refreshContext(at: call.moment)
        tellStreams(call.moment)
        let known = call.request.fields.all("last-event-id").first
        var start = Array("retry: 2000\n\n".utf8)
        start += contextEvent(view, known: known, call.moment) ?? []
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
}

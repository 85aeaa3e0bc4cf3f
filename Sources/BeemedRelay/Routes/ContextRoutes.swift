import BeemedDomain
import RelayHTTP

/// Snapshots of the pinned goals.
extension Relay {
    /// `GET /context`: the latest snapshot. With `wait` and the client's ETag, the answer is held
    /// until the context changes.
    func context(_ call: Call) throws(Problem) -> Response? {
        let device = try authenticate(call, .read)
        call.isReadOnly = true
        let view = try ContextView(query: call.request.target.query)
        let condition = call.request.fields.joined(.ifNoneMatch)
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

    /// The current context.
    func currentContext(
        _ view: ContextView, ifNoneMatch condition: String?, at now: Moment
    ) -> Response {
        refreshContext(at: now)
        return watchers.cache.response(view, ifNoneMatch: condition)
    }

    /// Rebuilds the context if it has changed, by an event or by time.
    func refreshContext(at now: Moment) {
        guard watchers.cache.isStale(version: engine.core.version, at: now) else { return }
        watchers.cache.fill(
            engine.snapshot(at: now, limit: 100), at: now, corrected: engine.corrected(now).wall)
    }
}

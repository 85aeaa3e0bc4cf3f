package import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /goals`: all active goals, in Beeminder's order of urgency.
    func goals(_ call: Call) throws(Problem) -> Response {
        let overview = engine.core.overview(at: call.moment)
        // The number of daily sums to include.
        let days = try call.request.query.number("days", from: 1...31)
        let sums = days.map { engine.core.dailyValues(days: $0, at: call.moment) } ?? [:]
        return .json { json in
            if let user = overview.user { json.add("user", user) }
            json.add("known", engine.core.goals.isKnown)
            json.addArray("goals", of: overview.goals) { goal, json in
                goal.writeWhole(to: &json, days: GoalSlug(goal.goal.slug).flatMap { sums[$0] })
            }
        }
    }

    /// Refuses a goal that is known not to be the user's.
    package func checkGoal(_ goal: GoalSlug) throws(Problem) {
        let goals = engine.core.goals
        guard goals.isKnown, goals[goals.current(goal)] == nil else { return }
        let suggestion = goals.suggestion(for: goal)
        let hint = suggestion.map { "did you mean '\($0)'? " } ?? ""
        throw .unknownGoal(
            "goal '\(goal)' is not yours; \(hint)GET /goals names them", suggestion: suggestion)
    }

    /// `POST /goals/refresh`: starts a refresh; `GET /goals` shows its result shortly after.
    func refreshGoals() -> Response {
        engine.handle(.goalsRequested)
        return .ok { $0.add("sync", engine.core.sync.rawValue) }
    }

    /// `PUT /pins/{goal}`: pins a goal, at the end or at `?position=`, counted from 1. The list may
    /// be older than the goal, so Beeminder is asked before an unknown goal is refused.
    func pin(_ call: Call) throws(Problem) -> Response? {
        let goal = try Relay.pinned(call)
        let position = try call.request.query.number("position", from: 1...1_000).map { $0 - 1 }
        engine.submit(.find(goal), at: call.moment) { self.pin($0, at: position, for: call) }
        return nil
    }

    /// `DELETE /pins/{goal}`.
    func unpin(_ call: Call) throws(Problem) -> Response? {
        let goal = try Relay.pinned(call)
        return try changePins(call) { (pins) throws(Problem) in
            guard let index = pins.firstIndex(of: goal.description) else {
                throw .notFound("'\(goal)' is not pinned; see GET /pins")
            }
            pins.remove(at: index)
        }
    }

    private static func pinned(_ call: Call) throws(Problem) -> GoalSlug {
        guard let goal = GoalSlug(call.name) else { throw .noGoalName(call.name) }
        return goal
    }

    /// Pins a goal that exists, as the reply says.
    private func pin(_ reply: Reply?, at position: Int?, for call: Call) {
        guard case .usable(let goal)? = reply else { return answer(call, reply) }
        do throws(Problem) {
            try checkIsGood(call)
            _ = try changePins(call) { pins in
                let index = pins.firstIndex(of: goal.description)
                if let index { pins.remove(at: index) }
                pins.insert(
                    goal.description, at: min(pins.count, position ?? index ?? pins.count))
            }
        } catch {
            answer(call, .failure(error))
        }
    }

    private func changePins(
        _ call: Call, _ edit: (inout [String]) throws(Problem) -> Void
    ) throws(Problem) -> Response? {
        try change(
            call, .pins, "the pins", from: { self.pinnedNames },
            { (pins) throws(Problem) in
                try edit(&pins)
                return Relay.list(pins: pins)
            }, apply: { engine.handle(.pinned($0.compactMap(GoalSlug.init))) })
    }

    private var pinnedNames: [String] { engine.core.pins.map(\.description) }

    /// `GET /pins`: the pinned goals, in order.
    var pinList: Response { Relay.list(pins: pinnedNames) }

    private static func list(pins: [String]) -> Response {
        .json { $0.addArray("pins", of: pins) }
    }
}

/// Snapshots of the pinned goals.
extension Relay {
    /// `GET /context`: the latest snapshot; with `wait` and its ETag, not before it changes.
    func context(_ call: Call) throws(Problem) -> Response? {
        let view = try ContextView(query: call.request.target.query)
        let condition = KnownTags(call.request)
        refreshContext(at: call.moment)
        let response = watchers.cache.response(view.form, ifNoneMatch: condition)
        guard response.status == 304, view.waitSeconds > 0 else { return response }
        let until = call.moment.monotonic.adding(seconds: view.waitSeconds)
        wait(call, view.form, poll: (condition, until))
        answers.append(Answer(to: call.id, .hold))
        return nil
    }

    /// Adds a client that waits; the oldest waits end where there is no room for it.
    private func wait(
        _ call: Call, _ view: ContextView,
        poll: (known: KnownTags?, until: Monotonic)? = nil
    ) {
        let wait = ContextWait(
            exchange: call.id, bearer: call.bearer.tokenHash, view: view, poll: poll)
        answers += watchers.makeRoom(for: wait.bearer, among: site?.server.maxConnections ?? 2)
        watchers.add(wait, at: call.moment)
    }

    /// `GET /context/stream`: the context as server-sent events, now and after each change. The
    /// event id is the context's ETag, so a client that reconnects with `Last-Event-ID` receives
    /// only a newer version.
    func stream(_ call: Call) throws(Problem) -> Response? {
        let view = try ContextView(query: call.request.target.query).form
        guard !view.isText else { throw .malformed("a stream is JSON; leave 'format' out") }
        // Existing streams must not miss the edition that this client receives.
        tellWatchers(call.moment)
        let known = call.request.fields.all("last-event-id").first
        let start = Array("retry: 2000\n\n".utf8) + (watchers.event(view, known: known) ?? [])
        let fields = [
            Response.Field("Content-Type", "text/event-stream"),
            .notStored, Response.Field("X-Accel-Buffering", "no"),
        ]
        let response = Response(status: 200, fields: fields, body: start)
        if call.request.method == .get { wait(call, view) }
        answers.append(Answer(to: call.id, .opening(response, hasEnd: false)))
        return nil
    }
}

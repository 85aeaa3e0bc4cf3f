package import BeemedDomain
import RelayHTTP

enum GoalRoutes {
    /// `GET /goals`: all active goals, in Beeminder's order of urgency.
    static func list(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let core = relay.engine.core
        let overview = core.view.overview(at: call.moment)
        // The number of daily sums to include.
        let days = try call.request.query.number("days", from: 1...31)
        let sums = days.map { core.view.dailyValues(days: $0, at: call.moment) } ?? [:]
        return .json { json in
            if let user = overview.user { json.add("user", user) }
            json.add("known", core.view.goals.isKnown)
            json.addArray("goals", of: overview.goals) { goal, json in
                goal.writeWhole(to: &json, days: GoalSlug(goal.goal.slug).flatMap { sums[$0] })
            }
        }
    }

    /// `POST /goals/refresh`: starts a refresh; `GET /goals` shows its result shortly after.
    static func refresh(_ relay: isolated Relay, _ call: Call) -> Response? {
        relay.engine.handle(.goalsRequested)
        return .ok { $0.add("sync", relay.engine.core.view.sync.rawValue) }
    }
}

extension GoalBook {
    /// Refuses a goal that is known not to be the user's.
    package func check(_ goal: GoalSlug) throws(Problem) {
        guard isKnown, self[current(goal)] == nil else { return }
        let suggestion = suggestion(for: goal)
        let hint = suggestion.map { "did you mean '\($0)'? " } ?? ""
        throw .unknownGoal(
            "goal '\(goal)' is not yours; \(hint)GET /goals names them", suggestion: suggestion)
    }
}

enum PinRoutes {
    static func list(_ relay: isolated Relay, _ call: Call) -> Response? {
        .json { $0.addArray("pins", of: relay.engine.core.pins.map(\.description)) }
    }

    /// `PUT /pins/{goal}`: pins a goal, at the end or at `?position=`, counted from 1. The list may
    /// be older than the goal, so Beeminder is asked before an unknown goal is refused.
    static func pin(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let goal = try goal(of: call)
        let position = try call.request.query.number("position", from: 1...1_000).map { $0 - 1 }
        let pinFound = { (reply: Reply?) in
            guard case .usable(let goal)? = reply else { return relay.answer(call, reply) }
            do throws(Problem) {
                try relay.checkIsGood(call)
                _ = try change(relay, call) { pins in
                    let index = pins.firstIndex(of: goal.description)
                    if let index { pins.remove(at: index) }
                    pins.insert(
                        goal.description, at: min(pins.count, position ?? index ?? pins.count))
                }
            } catch {
                relay.answer(call, .failure(error))
            }
        }
        relay.engine.submit(.find(goal), at: call.moment, for: .function(pinFound))
        return nil
    }

    static func unpin(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let goal = try goal(of: call)
        return try change(relay, call) { (pins) throws(Problem) in
            guard let index = pins.firstIndex(of: goal.description) else {
                throw .notFound("'\(goal)' is not pinned; see GET /pins")
            }
            pins.remove(at: index)
        }
    }

    private static func goal(of call: Call) throws(Problem) -> GoalSlug {
        guard let goal = GoalSlug(call.name) else { throw .noGoalName(call.name) }
        return goal
    }

    private static func change(
        _ relay: isolated Relay, _ call: Call, _ edit: (inout [String]) throws(Problem) -> Void
    ) throws(Problem) -> Response? {
        let engine = relay.engine
        return try relay.change(
            call, .pins, "the pins", from: { engine.core.pins.map(\.description) },
            { (pins) throws(Problem) in
                try edit(&pins)
                return .json { $0.addArray("pins", of: pins) }
            }, apply: { engine.handle(.pinned($0.compactMap(GoalSlug.init))) })
    }
}

/// The routes of the context: snapshots of the pinned goals.
enum ContextRoutes {
    /// `GET /context`: the latest snapshot; with `wait` and its ETag, not before it changes.
    static func show(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let view = try ContextView(query: call.request.target.query)
        let condition = KnownTags(call.request)
        relay.watchers.refresh(relay.engine.core, at: call.moment)
        let response = relay.watchers.cache.response(view.form, ifNoneMatch: condition)
        guard response.status == 304, view.waitSeconds > 0 else { return response }
        let until = call.moment.monotonic.adding(seconds: view.waitSeconds)
        wait(relay, call, view.form, poll: (condition, until))
        relay.add(Answer(to: call.id, .hold))
        return nil
    }

    /// Adds a client that waits; the oldest waits end where there is no room for it.
    private static func wait(
        _ relay: isolated Relay, _ call: Call, _ view: ContextView,
        poll: (known: KnownTags?, until: Monotonic)? = nil
    ) {
        let wait = ContextWait(
            exchange: call.id, bearer: call.bearer.tokenHash, view: view, poll: poll)
        let connections = relay.site?.server.maxConnections ?? 2
        for answer in relay.watchers.makeRoom(for: wait.bearer, among: connections) {
            relay.add(answer)
        }
        relay.watchers.add(wait, at: call.moment)
    }

    /// `GET /context/stream`: the context as server-sent events, now and after each change. The
    /// event id is the context's ETag, so a client that reconnects with `Last-Event-ID` receives
    /// only a newer version.
    static func stream(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let view = try ContextView(query: call.request.target.query).form
        guard !view.isText else { throw .malformed("a stream is JSON; leave 'format' out") }
        // Existing streams must not miss the edition that this client receives.
        relay.tellWatchers(call.moment)
        let known = call.request.fields.all("last-event-id").first
        let event = relay.watchers.event(view, known: known) ?? []
        let fields = [
            Response.Field("Content-Type", "text/event-stream"),
            .notStored, Response.Field("X-Accel-Buffering", "no"),
        ]
        let response = Response(
            status: 200, fields: fields, body: Array("retry: 2000\n\n".utf8) + event)
        if call.request.method == .get { wait(relay, call, view) }
        relay.add(Answer(to: call.id, .opening(response, hasEnd: false)))
        return nil
    }
}

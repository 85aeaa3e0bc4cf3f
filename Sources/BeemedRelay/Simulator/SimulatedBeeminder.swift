import RelayHTTP

/// Beeminder as a value: accounts, goals, datapoints and faults; no sockets, clocks or randomness.
///
/// It takes a call with its time and returns the action. Its behaviour follows the API reference
/// and answers recorded 2026-01.
package struct SimulatedBeeminder: Sendable {
    var users: [SimulatedUser] = []
    var quirks = SimulatedQuirks()
    /// The first fault that applies decides; delays add up.
    var faults: [SimulatedFault] = []
    var apps: [SimulatedApp] = []
    /// The style sheet of the page for the user.
    package var style = ""
    /// The charges, in order.
    var charges: [SimulatedCharge] = []
    /// The user whose browser is simulated: `auth_token.json` and the authorize page use the
    /// session.
    var signedInUser: String?
    /// The times of the calls of the last minute.
    private var recentCalls: [Double] = []
    var ids: ObjectIDs
    var random: SeededGenerator

    /// An empty instance; the seed determines ids and random faults.
    init(seed: UInt64 = 1) {
        ids = ObjectIDs(seed: seed)
        random = SeededGenerator(seed: seed)
    }

    /// Responds to one call at that time, in seconds since 1970.
    mutating func respond(to call: SimulatedCall, at now: Double) -> SimulatedAction {
        if call.path.first == "control" { return control(call, at: now) }
        if call.path.isEmpty {
            return SimulatedAction(.page(200, page(at: now, host: call.host ?? "localhost")))
        }
        if let host = quirks.canonicalHost, call.host?.lowercased() != host.lowercased() {
            return SimulatedAction(redirect(call, to: host))
        }
        if call.path == ["apps", "authorize"] { return SimulatedAction(authorize(call)) }
        guard let route = APIRoute(call.path) else {
            return SimulatedAction(.beeminder(404, Refusal.notFound.body))
        }
        // A preflight carries no credentials, and faults do not apply to it.
        if call.method == .options { return SimulatedAction(.preflight(call.corsHeaders)) }
        revertPledges(at: now)
        if isThrottled(at: now) {
            return SimulatedAction(.throttled(retryAfterSeconds: quirks.retryAfterSeconds))
        }
        return respond(to: call, route, at: now)
    }

    private mutating func respond(
        to call: SimulatedCall, _ route: APIRoute, at now: Double
    ) -> SimulatedAction {
        var delaySeconds = 0.0
        var decisive: SimulatedFault?
        for index in faults.indices where faults[index].strikes(call.method, route, &random) {
            delaySeconds += faults[index].delaySeconds
            if decisive == nil, faults[index].mood != .slow { decisive = faults[index] }
        }
        var action =
            decisive.map(\.isApplied) ?? true
            ? perform(call, route, at: now) : SimulatedAction(.text(500, ""))
        if let decisive { distort(&action, by: decisive.mood, call) }
        action.delaySeconds = delaySeconds
        return action
    }

    private func distort(
        _ action: inout SimulatedAction, by mood: SimulatedFault.FaultKind, _ call: SimulatedCall
    ) {
        switch mood {
        case .slow: break
        case .status(let status): action.response = failure(status, call)
        case .throttled(let seconds): action.response = .throttled(retryAfterSeconds: seconds)
        case .html: action.response = .page(200, "<html><body>Down for a moment</body></html>")
        case .hangUp: action.ending = .hangUp
        case .cutShort(let bytes): action.ending = .cutShort(bytes: bytes)
        case .redirect:
            action.response = redirect(call, to: call.host ?? "localhost")
        }
    }

    /// Beeminder API reference: "we do not forward parameters for POST requests".
    private func redirect(_ call: SimulatedCall, to host: String) -> Response {
        let isRead = call.method == .get || call.method == .head
        let query = isRead ? call.rawQuery.map { "?\($0)" } ?? "" : ""
        return .redirect(to: "http://\(host)\(call.rawPath)\(query)")
    }

    /// The answer with that status: JSON from the application, HTML from its front end.
    private func failure(_ status: Int, _ call: SimulatedCall) -> Response {
        switch status {
        case 401:
            let isPersonal = call.text("auth_token") != nil
            let refusal = isPersonal ? Refusal.badAuthToken : .badAccessToken
            return .beeminder(status, refusal.body)
        case 404: return .beeminder(status, Refusal.notFound.body)
        case 422: return .beeminder(status, Refusal.closedGoal.body)
        case _:
            let title = "Beeminder is having a bad day (\(status))"
            return .page(status, "<html><body><h1>\(title)</h1></body></html>")
        }
    }

    private mutating func isThrottled(at now: Double) -> Bool {
        guard let limit = quirks.callsPerMinute else { return false }
        recentCalls.removeAll { $0 <= now - 60 }
        guard recentCalls.count < limit else { return true }
        recentCalls.append(now)
        return false
    }

    private mutating func perform(
        _ call: SimulatedCall, _ route: APIRoute, at now: Double
    ) -> SimulatedAction {
        var results = CallResults()
        do throws(Refusal) {
            guard !call.isUnreadable else { throw .unreadableParameters }
            guard route.methods.contains(call.method) else {
                let allowed = route.methods.filter { $0 != .head }.map(\.token)
                throw .wrongMethod(allowed: allowed.joined(separator: " or "))
            }
            let body = try perform(call, route, at: now, &results)
            return results.action(.beeminder(results.status, body))
        } catch {
            return results.action(.beeminder(error.status, error.body))
        }
    }

    private mutating func perform(
        _ call: SimulatedCall, _ route: APIRoute, at now: Double, _ results: inout CallResults
    ) throws(Refusal) -> OrderedJSON {
        if let slug = route.goal {
            let position = try locate(route.user, slug, call)
            return try perform(call, route, on: position, at: now, &results)
        }
        switch route.resource {
        case .authToken: return try showAuthToken()
        case .charges: return try charge(call, at: now)
        case .goals where call.method == .post:
            return try createGoal(try owner(route.user, call), call, at: now)
        case .goals, .archived:
            let isArchived = route.resource == .archived
            let user = try owner(route.user, call)
            return listGoals(user, call, isArchived: isArchived, at: now)
        case _:
            let user = try owner(route.user, call)
            results.redirect = try redirectTarget(call)
            return showUser(user, call, at: now)
        }
    }

    private mutating func perform(
        _ call: SimulatedCall, _ route: APIRoute, on position: GoalPosition, at now: Double,
        _ results: inout CallResults
    ) throws(Refusal) -> OrderedJSON {
        switch route.resource {
        case .stepdown: try scheduleStepdown(position, at: now)
        // Recorded 2026-01: 200 also when none was scheduled.
        case .cancelStepdown: users[position.user].goals[position.goal].stepdownAt = nil
        case .shortcircuit: shortCircuit(position, at: now)
        case .refreshGraph: return refreshGraph(position, at: now, &results)
        case .datapoints:
            return call.method == .post
                ? try post(call.parameters, to: position, at: now, &results)
                : try listDatapoints(position, call)
        case .createAll: return try postAll(call, to: position, at: now, &results)
        case .datapoint:
            return call.method == .delete
                ? try delete(route.datapoint, from: position, at: now)
                : try update(route.datapoint, of: position, call, at: now)
        case _:
            if call.method == .put || call.method == .patch {
                try updateGoal(position, call, at: now)
            }
        }
        return showGoal(position, call, at: now)
    }
}

/// The results of a call beside its body.
struct CallResults: Sendable {
    var status = 200
    var posted: [PostedDatapoint] = []
    var callbacks: [SimulatedCallback] = []
    /// The redirect that replaces the body.
    var redirect: String?

    /// The answer with all results.
    func action(_ response: Response) -> SimulatedAction {
        var action = SimulatedAction(redirect.map(Response.redirect) ?? response)
        action.posted = posted
        action.callbacks = callbacks
        return action
    }
}

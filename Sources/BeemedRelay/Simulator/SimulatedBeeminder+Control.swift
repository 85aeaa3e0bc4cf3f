import RelayHTTP

/// Control of the simulated Beeminder: actions on the web, and faults.
extension SimulatedBeeminder {
    /// The reason why a control call changes nothing; as text, since the user reads it.
    struct ControlFault: Error {
        let status: Int
        let message: String

        static let unknown = ControlFault(status: 404, message: "no such control; see GET /")
    }

    /// `/control/...`: answers with the state, or with the error of the call.
    mutating func control(_ call: SimulatedCall, at now: Double) -> SimulatedAction {
        var callbacks: [SimulatedCallback] = []
        do throws(ControlFault) {
            let path = Array(call.path.dropFirst())
            switch path.first {
            case nil where call.method == .get || call.method == .head: break
            case "faults"?: try controlFaults(call)
            case "quirks"?: try controlQuirks(call)
            case "goals"?: try controlGoals(Array(path.dropFirst()), call, at: now)
            case "account"?: callbacks = try controlAccount(call)
            case "apps"?: try controlApps(call)
            case _: throw .unknown
            }
        } catch {
            return SimulatedAction(.beeminder(error.status, ["error": .string(error.message)]))
        }
        // A button of the page returns to the page.
        var action = SimulatedAction(
            call.isOn("back") ? .redirect(to: "/") : .beeminder(200, state(at: now)))
        action.callbacks = callbacks
        return action
    }

    private mutating func controlFaults(_ call: SimulatedCall) throws(ControlFault) {
        switch call.method {
        case .post where call.text("mood") == "good": faults = []
        case .post: faults.append(try FaultReader(call).fault())
        case .delete: faults = []
        case .get, .head, .put, .patch, .options, .other: throw .unknown
        }
    }

    private mutating func controlQuirks(_ call: SimulatedCall) throws(ControlFault) {
        guard call.method == .post else { throw .unknown }
        var changed = quirks
        for member in call.parameters.members where member.key != "back" {
            try changed.set(member.key, member.value)
        }
        quirks = changed
    }

    private mutating func controlAccount(
        _ call: SimulatedCall
    ) throws(ControlFault) -> [SimulatedCallback] {
        guard call.method == .post, !users.isEmpty else { throw .unknown }
        if let token = call.text("auth_token"), !token.isEmpty { users[0].authToken = token }
        if call.parameters["signed_in"] != nil {
            signedInUser = call.isOn("signed_in") ? users[0].username : nil
        }
        return call.isOn("revoke") ? revokeAccessTokens() : []
    }

    private mutating func controlApps(_ call: SimulatedCall) throws(ControlFault) {
        guard call.method == .post, let id = call.text("client_id"),
            let redirect = call.text("redirect_uri")
        else {
            throw ControlFault(status: 422, message: "POST client_id and redirect_uri")
        }
        apps.removeAll { $0.clientID == id }
        apps.append(
            SimulatedApp(
                clientID: id, redirectURI: redirect,
                deauthorizeURL: call.text("deauthorize_url"),
                autofetchURL: call.text("autofetch_url")))
    }

    private mutating func controlGoals(
        _ path: [String], _ call: SimulatedCall, at now: Double
    ) throws(ControlFault) {
        guard let slug = path.first else { return try controlNewGoal(call, at: now) }
        guard let position = locate(goal: slug) else {
            throw ControlFault(status: 404, message: "no goal '\(slug)'")
        }
        switch (call.method, path.count, path.count > 1 ? path[1] : "") {
        case (.delete, 1, _): deleteGoal(position, at: now)
        case (.delete, 3, "datapoints"):
            var isGone = false
            change(position, at: now) { goal in
                isGone = goal.remove(path[2]) != nil
                return isGone
            }
            guard isGone else { throw ControlFault(status: 404, message: "no such datapoint") }
        case (.post, 2, "rename"): try rename(position, to: call.text("to") ?? "", at: now)
        case (.post, 2, "archive"): set(position, at: now) { $0.isArchived = true }
        case (.post, 2, "unarchive"): set(position, at: now) { $0.isArchived = false }
        case (.post, 2, "freeze"): set(position, at: now) { $0.isFrozen = true }
        case (.post, 2, "unfreeze"): set(position, at: now) { $0.isFrozen = false }
        case (.post, 2, "backburner"): set(position, at: now) { $0.isOnBackburner = true }
        case (.post, 2, "frontburner"): set(position, at: now) { $0.isOnBackburner = false }
        case _: throw .unknown
        }
    }

    private mutating func controlNewGoal(
        _ call: SimulatedCall, at now: Double
    ) throws(ControlFault) {
        guard call.method == .post, !users.isEmpty, let slug = call.text("slug"),
            SimulatedBeeminder.isSlug(slug), locate(goal: slug) == nil
        else {
            throw ControlFault(status: 422, message: "POST a new slug, and units, rate, pledge")
        }
        let rate = call.text("rate").flatMap(Double.init(plain:)) ?? 1
        var plan = GoalPlan(slug: slug, units: call.text("units") ?? "units", rate: rate)
        let pledge = call.text("pledge").flatMap(Double.init(plain:)) ?? 0
        plan.pledge = min(max(pledge, 0), 1_000_000)
        plan.autodata = call.text("autodata")
        plan.kind = call.text("goal_type").flatMap(GoalKind.init) ?? .hustler
        plan.deadline = min(max(call.integer("deadline") ?? 0, -61_200), 21_600)
        add(plan, to: 0, at: now)
    }

    private mutating func rename(
        _ position: GoalPosition, to slug: String, at now: Double
    ) throws(ControlFault) {
        guard SimulatedBeeminder.isSlug(slug), self.locate(goal: slug) == nil else {
            throw ControlFault(status: 422, message: "POST to=another-slug that is free")
        }
        set(position, at: now) { $0.slug = slug }
    }

    private mutating func set(
        _ position: GoalPosition, at now: Double, _ body: (inout SimulatedGoal) -> Void
    ) {
        change(position, at: now) { goal in
            body(&goal)
            return true
        }
    }

    private func state(at now: Double) -> OrderedJSON {
        let goals = users.flatMap { user in
            user.goals.map { goal -> OrderedJSON in
                [
                    "user": .string(user.username), "slug": .string(goal.slug),
                    "datapoints": .integer(goal.datapoints.count),
                    "queued": .bool(goal.isQueued(at: now)),
                    "archived": .bool(goal.isArchived), "frozen": .bool(goal.isFrozen),
                ]
            }
        }
        return [
            "faults": .array(faults.map { .string($0.summary) }), "quirks": quirks.json,
            "goals": .array(goals), "charges": .array(charges.map(\.json)),
        ]
    }
}

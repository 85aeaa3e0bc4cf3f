extension SimulatedBeeminder {
    /// `GET /users/me.json`.
    ///
    /// Accepts any `diff_since`, including 0: Beeminder reverted a refusal of values older than the
    /// account.
    func showUser(_ index: Int, _ call: SimulatedCall, at now: Double) -> OrderedJSON {
        let user = users[index]
        let active = user.sortedGoals(isArchived: false, at: now)
        guard let since = call.integer("diff_since") else {
            let goals = active.map { goal in
                call.isOn("associations")
                    ? user.json(goal, goalDetail(call), at: now) : .string(goal.slug)
            }
            return user.json(goals: goals, deleted: nil, at: now)
        }
        var detail = goalDetail(call)
        if !call.isOn("skinny") {
            detail.changedSince = since
            detail.datapointCount = call.integer("datapoints_count").map { max(0, $0) }
        }
        let goals = active.filter { $0.updatedAt >= since }
            .map { user.json($0, detail, at: now) }
        let archived = user.goals.filter { $0.isArchived && $0.updatedAt >= since }.map(\.id)
        let deleted = user.deletions.filter { $0.at >= since }.map(\.id)
        return user.json(
            goals: goals, deleted: (archived + deleted).map { ["id": .string($0)] }, at: now)
    }

    /// `GET /users/u/goals.json` and `GET /users/u/goals/archived.json`.
    func listGoals(
        _ index: Int, _ call: SimulatedCall, isArchived: Bool = false, at now: Double
    ) -> OrderedJSON {
        let user = users[index]
        let goals = user.sortedGoals(isArchived: isArchived, at: now)
            .filter { isArchived || SimulatedBeeminder.isWanted($0, by: call.text("filter")) }
        return .array(goals.map { user.json($0, goalDetail(call), at: now) })
    }

    /// The parameter `filter`, which older clients send and no reference documents.
    private static func isWanted(_ goal: SimulatedGoal, by filter: String?) -> Bool {
        switch filter {
        case "frontburner": !goal.isOnBackburner
        case "backburner": goal.isOnBackburner
        case _: true
        }
    }

    /// `GET /users/u/goals/g.json`.
    func showGoal(_ position: GoalPosition, _ call: SimulatedCall, at now: Double) -> OrderedJSON {
        var detail = goalDetail(call)
        if let count = call.integer("datapoints_count") {
            detail.datapointCount = max(0, count)
        } else if call.isOn("datapoints") {
            detail.datapointCount = .max
        }
        let user = users[position.user]
        return user.json(user.goals[position.goal], detail, at: now)
    }

    /// `GET /users/u/goals/g/refresh_graph.json`: a GET that changes state, and whose body is a
    /// bare `true`, or `false` when the graph was queued already.
    mutating func refreshGraph(
        _ position: GoalPosition, at now: Double, _ results: inout CallResults
    ) -> OrderedJSON {
        let user = users[position.user]
        let goal = user.goals[position.goal]
        results.callbacks += apps.compactMap { $0.autofetch(user.username, goal) }
        guard !goal.isQueued(at: now) else { return .bool(false) }
        users[position.user].goals[position.goal].queueGraph(
            keeping: goal.standing(user.rule(goal), at: now), at: now,
            seconds: quirks.graphSeconds)
        return .bool(true)
    }

    /// `POST /users/u/goals.json`.
    mutating func createGoal(
        _ index: Int, _ call: SimulatedCall, at now: Double
    ) throws(Refusal) -> OrderedJSON {
        guard let slug = call.text("slug"), let units = call.text("gunits"),
            call.text("goal_type") != nil,
            let rate = call.text("rate").flatMap(Double.init(plain:)),
            let goalDate = call.integer("goaldate"), abs(goalDate) < 100_000_000_000
        else { throw .goalIncomplete }
        guard SimulatedBeeminder.isSlug(slug) else { throw .badSlug }
        guard !users[index].goals.contains(where: { $0.slug == slug.lowercased() }) else {
            throw .slugTaken
        }
        var plan = GoalPlan(slug: slug.lowercased(), units: units, rate: rate)
        plan.title = call.text("title") ?? slug
        plan.goalDate = goalDate
        plan.kind = call.text("goal_type").flatMap(GoalKind.init) ?? .hustler
        plan.rateUnit = call.text("runits").flatMap(SimulatedGoal.RateUnit.init) ?? .weekly
        let position = add(plan, to: index, at: now)
        return showGoal(position, call, at: now)
    }

    private func goalDetail(_ call: SimulatedCall) -> GoalDetail {
        GoalDetail(
            isEmaciated: call.isOn("emaciated"), hasStrangeFields: quirks.hasStrangeFields)
    }

    /// Letters, digits, `-` and `_`, at most 20 of them, and no word that Beeminder's own paths
    /// use.
    static func isSlug(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && !reservedSlugs.contains(text.lowercased())
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                case _: false
                }
            }
    }

    private static let reservedSlugs: Set<String> = [
        "new", "goal", "login", "archived", "settings", "remind", "dashboard", "null", "nil",
        "archive", "archives", "true", "false",
    ]
}

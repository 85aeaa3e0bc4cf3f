import Foundation

/// The properties of a new goal.
struct GoalPlan: Sendable {
    var slug: String
    var units: String
    var rate: Double
    var title: String
    var rateUnit = SimulatedGoal.RateUnit.daily
    var kind = GoalKind.hustler
    /// Dollars.
    var pledge = 0.0
    /// Seconds from midnight.
    var deadline = 0
    /// The age of the line's start, in days.
    var ageDays = 0
    /// Nil for ten years ahead.
    var goalDate: Int?
    /// The automatic data source, such as an app's client id.
    var autodata: String?
    /// A datapoint per day before today, the last one yesterday's.
    var history: [Double] = []

    /// A plan with that rate per day, starting today.
    init(slug: String, units: String, rate: Double) {
        self.slug = slug
        self.units = units
        self.rate = rate
        title = slug
    }
}

/// Setup of users and goals, and changes made on the web rather than through the API.
extension SimulatedBeeminder {
    /// Adds an account.
    ///
    /// - Returns: its index in `users`.
    @discardableResult
    mutating func addUser(
        _ name: String, authToken: String, zone: TimeZone = .gmt, at now: Double
    ) -> Int {
        let second = Int(now)
        users.append(
            SimulatedUser(
                username: name, id: ids.make(at: second), zone: zone, authToken: authToken,
                createdAt: second, updatedAt: second))
        return users.count - 1
    }

    /// Adds a goal with its first datapoint, as Beeminder does. It is queued, and most of its
    /// fields are `null`, until its first graph is drawn.
    @discardableResult
    mutating func add(_ plan: GoalPlan, to user: Int, at now: Double) -> GoalPosition {
        let second = Int(now)
        let rule = DayRule(zone: users[user].zone, deadline: plan.deadline)
        let start = rule.day(of: second).advanced(by: -plan.ageDays)
        let born = second - plan.ageDays * 86_400
        var goal = SimulatedGoal(
            id: ids.make(at: born), slug: plan.slug, title: plan.title, units: plan.units,
            rate: plan.rate, startDay: start, goalDate: plan.goalDate ?? second + 315_576_000,
            createdAt: born, firstGraphAt: now - Double(second - born) + quirks.graphSeconds)
        goal.updatedAt = second
        goal.autodata = plan.autodata
        goal.rateUnit = plan.rateUnit
        goal.settings.kind = plan.kind
        goal.pledge = plan.pledge
        goal.deadline = plan.deadline
        goal.add(initialDatapoint(start, rule, born))
        for (index, value) in plan.history.enumerated() {
            let day = rule.day(of: second).advanced(by: index - plan.history.count)
            goal.add(historyDatapoint(value, day, rule, users[user].username))
        }
        users[user].goals.append(goal)
        users[user].updatedAt = second
        return GoalPosition(user: user, goal: users[user].goals.count - 1)
    }

    /// Changes a goal, with the consequences of a change: old numbers until the graph is drawn, and
    /// new `updated_at` of the goal and, at once, of the user.
    ///
    /// - Parameter body: returns whether anything changed.
    mutating func change(
        _ position: GoalPosition, at now: Double, _ body: (inout SimulatedGoal) -> Bool
    ) {
        let rule = users[position.user].rule(users[position.user].goals[position.goal])
        let seconds = quirks.graphSeconds
        let old =
            seconds > 0 ? users[position.user].goals[position.goal].standing(rule, at: now) : nil
        guard body(&users[position.user].goals[position.goal]) else { return }
        users[position.user].goals[position.goal].queueGraph(
            keeping: old, at: now, seconds: seconds)
        users[position.user].goals[position.goal].updatedAt = Int(now)
        users[position.user].updatedAt = Int(now)
    }

    /// The position of the first goal of that slug, of any user.
    func locate(goal slug: String) -> GoalPosition? {
        for (user, account) in users.enumerated() {
            guard let goal = account.goals.firstIndex(where: { $0.slug == slug }) else { continue }
            return GoalPosition(user: user, goal: goal)
        }
        return nil
    }

    /// The goal of that slug, of any user.
    func goal(_ slug: String) -> SimulatedGoal? {
        locate(goal: slug).map { users[$0.user].goals[$0.goal] }
    }

    /// The goal's datapoints in order of arrival, without the initial one, which Beeminder created.
    func datapoints(of slug: String) -> [SimulatedDatapoint] {
        goal(slug)?.datapoints.filter { !$0.isInitial } ?? []
    }

    /// Deletes a goal, as on the web.
    mutating func deleteGoal(_ position: GoalPosition, at now: Double) {
        let goal = users[position.user].goals.remove(at: position.goal)
        users[position.user].deletions.append(.init(id: goal.id, at: Int(now)))
        users[position.user].updatedAt = Int(now)
    }

    private mutating func initialDatapoint(
        _ day: CivilDay, _ rule: DayRule, _ now: Int
    ) -> SimulatedDatapoint {
        SimulatedDatapoint(
            id: ids.make(at: now), timestamp: rule.lastSecond(of: day), day: day, value: 0,
            comment: "initial datapoint", updatedAt: now, requestID: nil, origin: "nihilo",
            creator: "", isInitial: true, createdAt: now)
    }

    private mutating func historyDatapoint(
        _ value: Double, _ day: CivilDay, _ rule: DayRule, _ creator: String
    ) -> SimulatedDatapoint {
        let noon = rule.noon(of: day)
        return SimulatedDatapoint(
            id: ids.make(at: noon), timestamp: noon, day: day, value: value, comment: "",
            updatedAt: noon, requestID: nil, origin: "api", creator: creator, isInitial: false,
            createdAt: noon)
    }
}

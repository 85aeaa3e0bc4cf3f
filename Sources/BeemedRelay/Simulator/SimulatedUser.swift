import Foundation

/// One account of the simulated Beeminder.
struct SimulatedUser: Sendable {
    /// A goal that is gone, as a client that asks for changes is told of it.
    struct Deletion: Sendable {
        let id: String
        let at: Int
    }

    let username: String
    let id: String
    /// The zone that the user has set, which decides about days.
    var zone: TimeZone
    /// The personal token.
    var authToken: String
    /// The tokens given to apps, each with its app.
    var accessTokens: [String: String] = [:]
    let createdAt: Int
    /// The cheap thing to poll: it changes with everything.
    var updatedAt: Int
    var goals: [SimulatedGoal] = []
    var deletions: [Deletion] = []

    /// Which days the goal's moments belong to.
    func rule(_ goal: SimulatedGoal) -> DayRule {
        DayRule(zone: zone, deadline: goal.deadline)
    }

    /// The goals of one kind, most urgent first.
    func sortedGoals(isArchived: Bool, at now: Double) -> [SimulatedGoal] {
        goals.filter { $0.isArchived == isArchived }
            .map { (key: GoalWriter($0, rule($0), now: now).urgencyKey, goal: $0) }
            // Bytes, since the order is plain ASCII whatever a locale thinks.
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map(\.goal)
    }

    /// The goal as JSON.
    func json(_ goal: SimulatedGoal, _ detail: GoalDetail, at now: Double) -> OrderedJSON {
        var writer = GoalWriter(goal, rule(goal), now: now)
        return writer.write(detail)
    }

    /// The user with the keys and in the order recorded 2026-01.
    ///
    /// - Parameters:
    ///   - goals: slugs, or goals in full.
    ///   - deleted: present when the client asked for changes.
    func json(goals: [OrderedJSON], deleted: [OrderedJSON]?, at now: Double) -> OrderedJSON {
        var json = JSONObject()
        json["username"] = .string(username)
        json["timezone"] = .string(zone.identifier)
        json["goals"] = .array(goals)
        json["created_at"] = .integer(createdAt)
        json["updated_at"] = .integer(updatedAt)
        json["urgency_load"] = .integer(urgencyLoad(at: now))
        json["deadbeat"] = .bool(false)
        json["has_authorized_fitbit"] = .bool(false)
        json["default_leadtime"] = .integer(3)
        json["default_alertstart"] = .integer(61_200)
        json["default_deadline"] = .integer(0)
        json["subscription"] = .null
        json["subs_downto"] = .null
        json["subs_freq"] = .null
        json["subs_lifetime"] = .null
        json["remaining_subs_credit"] = .integer(0)
        json["id"] = .string(id)
        if let deleted { json["deleted_goals"] = .array(deleted) }
        return .object(json)
    }

    /// More for each goal the sooner it derails.
    private func urgencyLoad(at now: Double) -> Int {
        goals.filter { !$0.isArchived }.reduce(0) { load, goal in
            load + max(0, 7 - (goal.standing(rule(goal), at: now)?.safeDays ?? 7))
        }
    }
}

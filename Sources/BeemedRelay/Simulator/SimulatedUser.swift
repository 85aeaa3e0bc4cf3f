import Foundation

struct SimulatedUser: Sendable {
    /// A deleted goal, as reported to a client that asks for changes.
    struct Deletion: Sendable {
        let id: String
        let at: Int
    }

    let username: String
    let id: String
    /// The user's time zone, which determines the days.
    var zone: TimeZone
    var authToken: String
    /// The tokens issued to apps, each with its app.
    var accessTokens: [String: String] = [:]
    let createdAt: Int
    /// A cheap value to poll: it changes with every update.
    var updatedAt: Int
    var goals: [SimulatedGoal] = []
    var deletions: [Deletion] = []

    /// The rule that assigns times to the goal's days.
    func rule(_ goal: SimulatedGoal) -> DayRule {
        DayRule(zone: zone, deadline: goal.deadline)
    }

    /// The goals of one kind, most urgent first.
    func sortedGoals(isArchived: Bool, at now: Double) -> [SimulatedGoal] {
        goals.filter { $0.isArchived == isArchived }
            .map { (key: GoalWriter($0, rule($0), now: now).urgencyKey, goal: $0) }
            // By bytes, since the order is plain ASCII, independent of the locale.
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
    ///   - goals: slugs, or complete goals.
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

    /// Increases for each goal as its derailment approaches.
    private func urgencyLoad(at now: Double) -> Int {
        goals.filter { !$0.isArchived }.reduce(0) { load, goal in
            load + max(0, 7 - (goal.standing(rule(goal), at: now)?.safeDays ?? 7))
        }
    }
}

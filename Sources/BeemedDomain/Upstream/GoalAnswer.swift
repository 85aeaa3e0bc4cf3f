/// The result of requesting the goals from Beeminder.
package enum GoalAnswer: Sendable {
    /// The list, and what became of the goals that were asked for by name.
    case goals([Goal], user: UpstreamUser, named: NamedGoals = NamedGoals())
    /// Nothing has changed since they were last received.
    case unchanged(UpstreamUser)
    /// The user is known, but the goals are not, for this reason.
    case userOnly(UpstreamUser, why: String)
    case unauthorized
    /// `users/me.json` does not exist: it is a test server that knows only one user.
    case noUser
    /// A server other than Beeminder answers at its address.
    case misdirected(String)
    case unclear(String)
    /// No answer came: Beeminder cannot be reached, or it took too long.
    case unreachable(String, isTimeout: Bool)

    /// The user, if the answer names one.
    var user: UpstreamUser? {
        switch self {
        case .goals(_, let user, _), .unchanged(let user), .userOnly(let user, _): user
        case .unauthorized, .noUser, .misdirected, .unclear, .unreachable: nil
        }
    }

    /// The names that must be asked for, as the list leaves them out.
    package func missing(of names: [GoalSlug]) -> [GoalSlug] {
        guard case .goals(let list, _, _) = self else { return [] }
        let listed = Set(list.map(\.slug))
        return names.filter { !listed.contains($0.description) }
    }

    /// The same answer with those of goals that were asked for by name.
    package func with(_ named: NamedGoals) -> GoalAnswer {
        guard case .goals(let list, let user, _) = self else { return self }
        return .goals(list, user: user, named: named)
    }
}

/// The goals that a list leaves out, and that were asked for by name. All other names are none of
/// the user's goals.
package struct NamedGoals: Sendable {
    /// The goals that exist.
    package private(set) var found: [Goal] = []
    /// The goals without a clear answer.
    package private(set) var unclear: Set<GoalSlug> = []

    /// None.
    package init() {}

    /// Reads the answer to `users/me/goals/NAME.json`; nil when none came.
    package mutating func add(_ answer: UpstreamAnswer?, for name: GoalSlug) {
        guard let answer else {
            unclear.insert(name)
            return
        }
        if answer.status == 404, answer.namesErrors { return }
        let goal = answer.status == 200 ? GoalList.goal(answer.body) : nil
        guard let goal, goal.slug == name.description else {
            unclear.insert(name)
            return
        }
        found.append(goal)
    }

    /// Removes those that are archived: they take no presses.
    ///
    /// - Parameter answer: that to `users/me/goals/archived.json`.
    package mutating func remove(archived answer: UpstreamAnswer) {
        guard answer.status == 200, let list = GoalList.parse(answer.body) else { return }
        let archived = Set(list.map(\.slug))
        found.removeAll { archived.contains($0.slug) }
    }
}

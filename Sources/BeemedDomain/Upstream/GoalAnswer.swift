import Foundation

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
    /// The answer cannot be read, or is not Beeminder's.
    case unclear(String)
    /// No answer came: Beeminder cannot be reached, or it took too long.
    case unreachable(String, isTimeout: Bool)

    /// The user, if the answer names one.
    var user: UpstreamUser? {
        switch self {
        case .goals(_, let user, _), .unchanged(let user), .userOnly(let user, _): user
        case .unauthorized, .noUser, .unclear, .unreachable: nil
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
        let body = answer.status == 200 ? Data(answer.body) : Data()
        let goal = try? JSONDecoder().decode(Goal.self, from: body)
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

extension UpstreamUser {
    /// Reads the answer to `users/me.json`; only the name is required.
    fileprivate init?(_ answer: JSONTree) {
        guard let name = answer["username"]?.text else { return nil }
        self.init(
            name: name, id: answer["id"]?.text, timezone: answer["timezone"]?.text,
            updatedAt: answer["updated_at"]?.number.flatMap { Int64(exactly: $0) })
    }
}

extension GoalAnswer {
    /// The contents of `users/me.json`, and whether the goals must be requested too.
    package enum Beginning: Sendable {
        /// Request the goals, then create a `GoalAnswer` from both.
        case askForGoals(UpstreamUser)
        /// The answer is complete.
        case answer(GoalAnswer)
    }

    /// Reads the answer to `users/me.json`.
    ///
    /// - Parameter since: the user's `updated_at` with the last goals; nil to request them anyway.
    package static func begin(_ answer: UpstreamAnswer, since: Int64?) -> Beginning {
        // The field counts seconds: another change within the same second would not increase it.
        let settledBefore = (answer.date?.seconds).map { $0 - GoalAnswer.unsettledSeconds }
        switch answer.status {
        case 200: break
        // An HTML page or a proxy's answer does not sign the user out.
        case 401 where !answer.isPage, 403 where answer.namesErrors:
            return .answer(.unauthorized)
        case 404 where !answer.isPage: return .answer(.noUser)
        default: return .answer(.unclear("status \(answer.status)"))
        }
        // JSON without a name is from a test server; an HTML page may be from any proxy.
        guard let tree = JSONTree(answer.body) else {
            return .answer(.unclear("the user cannot be read"))
        }
        guard var user = UpstreamUser(tree) else { return .answer(.noUser) }
        if let since, user.updatedAt == since { return .answer(.unchanged(user)) }
        if let settledBefore, user.updatedAt.map({ $0 > settledBefore }) == true {
            user.updatedAt = nil
        }
        return .askForGoals(user)
    }

    /// An `updated_at` that is not older than the answer by this many seconds is not kept.
    private static let unsettledSeconds: Int64 = 2

    /// Reads the answer to `users/me/goals.json`. An unreadable goal does not discard the others,
    /// and an unreadable field does not discard its goal.
    package init(goals answer: UpstreamAnswer, of user: UpstreamUser) {
        switch answer.status {
        case 200: break
        case 401 where !answer.isPage:
            self = .unauthorized
            return
        default:
            self = .userOnly(user, why: "status \(answer.status)")
            return
        }
        guard let goals = GoalList.parse(answer.body) else {
            self = .userOnly(user, why: "the list of goals cannot be read")
            return
        }
        self = .goals(goals, user: user)
    }
}

/// Reads a list of goals; one that is unreadable does not discard the others.
enum GoalList {
    private struct Readable: Decodable {
        var goal: Goal?

        init(from decoder: any Decoder) {
            goal = try? Goal(from: decoder)
        }
    }

    /// The goals; nil when not a list, or no element is readable.
    static func parse(_ body: [UInt8]) -> [Goal]? {
        guard let list = try? JSONDecoder().decode([Readable].self, from: Data(body)) else {
            return nil
        }
        let usable = list.compactMap(\.goal).filter { GoalSlug($0.slug) != nil }
        return usable.isEmpty && !list.isEmpty ? nil : usable
    }
}

/// What came of asking Beeminder for the goals.
package enum GoalAnswer: Sendable {
    case goals([Goal], user: UpstreamUser)
    /// Nothing has changed since they last came.
    case unchanged(UpstreamUser)
    /// The user is known, and why the goals are not.
    case userOnly(UpstreamUser, why: String)
    case unauthorized
    /// There is nothing at `users/me.json`: it is a stand-in that knows one user only.
    case noUser
    /// Something else than Beeminder answers at its address.
    case misdirected(String)
    case unclear(String)
    /// No answer came: there is no way to Beeminder, or it took too long.
    case unreachable(String, isTimeout: Bool)

    /// The user, if the answer names one.
    var user: UpstreamUser? {
        switch self {
        case .goals(_, let user), .unchanged(let user), .userOnly(let user, _): user
        case .unauthorized, .noUser, .misdirected, .unclear, .unreachable: nil
        }
    }
}

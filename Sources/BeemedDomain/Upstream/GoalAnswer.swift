/// The result of requesting the goals from Beeminder.
package enum GoalAnswer: Sendable {
    case goals([Goal], user: UpstreamUser)
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
        case .goals(_, let user), .unchanged(let user), .userOnly(let user, _): user
        case .unauthorized, .noUser, .misdirected, .unclear, .unreachable: nil
        }
    }
}

/// Names a request that waits for a reply. The domain gives it back and knows no more of it.
package struct Ticket: Hashable, Sendable {
    package let value: UInt64

    /// A number that means something to the caller.
    package init(_ value: UInt64) {
        self.value = value
    }
}

/// Everything that can happen to the relay. With `Effect` it is the table of contents of the
/// domain: what is not here does not happen.
package enum Input: Sendable {
    /// A device asks to log something.
    case pressed(Press, Ticket)
    /// The journal has made records durable.
    case committed(Receipt)
    /// The journal had no room for what was appended in that epoch, beyond what the receipt covers.
    case rejected(epoch: UInt64, Receipt)
    /// Beeminder, or the way there, has answered a shipment.
    case delivered(Consignment, Verdict)
    /// What came of deleting a datapoint.
    case erased(Erasure, Outcome)
    /// The goals were asked for, and this is what came.
    case fetched(GoalAnswer)
    /// An answer of Beeminder's has told the time.
    case heardTime(UpstreamTime)
    /// Somebody takes an event back.
    case undone(EventKey, Ticket)
    /// Somebody wants an event sent again, to another goal if one is named.
    case retried(EventKey, goal: GoalSlug?, Ticket)
    /// There is an account to deliver to. The connection has a name from when its token was set;
    /// nil when it has none. Whose it is may be known already.
    case connected(as: ConnectionName?, user: String?)
    /// There is none any more.
    case disconnected
    /// Somebody asks to try everything now.
    case flushRequested
    /// The program is about to end: what waits for other presses to join is sent now.
    case stopping
    /// Somebody asks whether there is such a goal, which may be newer than the list.
    case goalDoubted(GoalSlug, Ticket)
    /// The network has come back.
    case reachable
    /// Somebody asks for the goals.
    case goalsRequested
    /// The pinned goals, in order.
    case pinned([GoalSlug])
    /// The time that `Effect.wake` asked for has come.
    case woke
}

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

/// The account's user (Beeminder API reference, "User resource").
package struct UpstreamUser: Sendable, Equatable {
    /// Beeminder's name for the user.
    package var name: String
    /// As in the IANA database, for example `Europe/Berlin`.
    package var timezone: String?
    /// Unix seconds; grows with every change to a goal or datapoint.
    package var updatedAt: Int64?

    /// What `users/me.json` says.
    package init(name: String, timezone: String? = nil, updatedAt: Int64? = nil) {
        self.name = name
        self.timezone = timezone
        self.updatedAt = updatedAt
    }
}

/// The connected account, and which events may be sent to it.
struct AccountState: Sendable {
    /// The current connection, or the last one.
    var connection: ConnectionName?
    /// The user of each connection.
    var users: ConnectionUsers
    /// Events that were accepted for another user than the connected one.
    var parked: Set<SequenceNumber> = []
    /// Whether Beeminder cannot tell the user of the connection: it has named none so far, as a
    /// test server with one user only.
    private(set) var isUserUnknowable = false
    /// Whether the goals being fetched belong to an earlier connection.
    var isFetchStale = false

    init(users: ConnectionUsers) {
        self.users = users
    }

    /// Whether an event may be sent to the connected account: it was accepted under the same
    /// connection, or under one of the same user. Events of an unnamed connection belong to the
    /// next user that Beeminder names, once that is durable.
    ///
    /// - Parameter other: the event's connection; nil before connections had names.
    func owns(_ other: ConnectionName?) -> Bool {
        guard let connection, let other else { return true }
        // Its events may have been assigned to another user since: it must be named itself first.
        if other == connection, !users.isInherited(connection) { return true }
        guard let owner = users[other] else { return isUserUnknowable }
        // A connection without a name is not that of a user who has one: Beeminder may only be
        // unable to name its user now.
        return users.verified(connection) == owner
    }

    /// Whether it owns the events of all connections.
    var ownsAll: Bool { users.known.allSatisfy { owns($0) } }

    /// Whether events may be sent: Beeminder has named the user, and that is durable. Otherwise
    /// events sent to one user could later belong to another one, who is named first.
    var isUserSettled: Bool {
        guard let connection else { return true }
        return isUserUnknowable || users.verified(connection) != nil
    }

    /// Whether Beeminder has named the user of the connection. A test server that names no user has
    /// only one.
    var isVerified: Bool {
        guard let connection else { return true }
        return isUserUnknowable || users.named(connection) != nil
    }

    /// The user of the connection, as named by Beeminder; nil until then.
    ///
    /// - Parameter last: the user whose goals the book has, for a connection without a name.
    func user(orLast last: String?) -> String? {
        guard let connection else { return last }
        return users.named(connection)
    }

    /// An answer named no user. Who has named one before can name all: then it was a failure, of a
    /// proxy perhaps, and to go on would send the presses of one user to another.
    ///
    /// - Returns: whether nobody will be named.
    mutating func processNoUser() -> Bool {
        isUserUnknowable = !users.hasNames
        return isUserUnknowable
    }

    /// Beeminder has named the user of the connection.
    ///
    /// - Returns: the bindings to record, in a fixed order.
    mutating func name(
        _ connection: ConnectionName, _ user: UpstreamUser
    ) -> [(connection: ConnectionName, binding: ConnectionOwner)] {
        isUserUnknowable = false
        return users.name(connection, user.name, id: user.id)
    }

    /// Another connection is used from now on.
    ///
    /// - Parameter isFetching: whether a fetch for the former one is under way.
    mutating func use(_ name: ConnectionName?, isFetching: Bool) {
        isFetchStale = isFetching
        isUserUnknowable = false
        connection = name
        if let name { users.use(name) }
    }
}

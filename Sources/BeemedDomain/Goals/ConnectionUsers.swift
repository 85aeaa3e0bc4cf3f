/// Which user each connection belongs to. A connection is one Beeminder token; events keep the
/// name of theirs, and the user is named by `users/me.json`, perhaps only later.
///
/// The journal holds these bindings (`Record.Fact.user`). One that is still on its way to the disk
/// is shown and not relied on: after a crash the events of an old connection must not have gone to
/// one user and then belong to another.
struct ConnectionUsers: Sendable {
    /// The bindings that are on the disk.
    private var users: [ConnectionName: String] = [:]
    /// Those of `users` that the journal holds. Others come from the cache of an earlier version.
    private var journaled: Set<ConnectionName> = []
    /// Bindings on their way to the disk.
    private var pending: [ConnectionName: String] = [:]
    /// All connections that were used, or that known events bear.
    private var known: Set<ConnectionName> = []

    /// - Parameters:
    ///   - journaled: what the journal says.
    ///   - cached: what `goals.json` says, which earlier versions relied on alone.
    ///   - borne: the connections of the events in the journal.
    init(
        journaled: [ConnectionName: String], cached: [String: String],
        borne: some Sequence<ConnectionName>
    ) {
        for (name, user) in cached {
            if let name = ConnectionName(name) { users[name] = user }
        }
        users.merge(journaled) { _, journaled in journaled }
        self.journaled = Set(journaled.keys)
        known = Set(borne)
    }

    /// The user of a connection, as far as that is on the disk.
    subscript(_ connection: ConnectionName) -> String? { users[connection] }

    /// The user of a connection as Beeminder has named it, on the disk or on the way there.
    func named(_ connection: ConnectionName) -> String? {
        pending[connection] ?? users[connection]
    }

    /// The connection is used from now on.
    mutating func use(_ connection: ConnectionName) {
        known.insert(connection)
    }

    /// Beeminder has named the user of the connection that is used. Every connection that was never
    /// named belongs to the first user that is named after it: its token was mistyped, or was
    /// replaced before Beeminder could be reached.
    ///
    /// A connection whose name has changed shows that the user was renamed, since a token keeps its
    /// user; then the user's other connections are renamed too.
    ///
    /// - Returns: the bindings to be written, in a fixed order.
    mutating func name(
        _ connection: ConnectionName, _ user: String
    ) -> [(connection: ConnectionName, user: String)] {
        known.insert(connection)
        let former = named(connection)
        var news: [(connection: ConnectionName, user: String)] = []
        for other in known.sorted(by: { $0.packed < $1.packed }) {
            let isRenamed = former != nil && named(other) == former
            let owner = isRenamed || other == connection ? user : named(other) ?? user
            let isWritten = journaled.contains(other) && pending[other] == nil
            guard pending[other] != owner, !(isWritten && users[other] == owner) else { continue }
            pending[other] = owner
            news.append((other, owner))
        }
        return news
    }

    /// A binding is on the disk.
    mutating func written(_ connection: ConnectionName, _ user: String) {
        users[connection] = user
        journaled.insert(connection)
        if pending[connection] == user { pending[connection] = nil }
    }
}

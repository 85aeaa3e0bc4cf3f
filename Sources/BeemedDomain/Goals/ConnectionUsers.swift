/// Which user each connection belongs to. A connection is one Beeminder token; events keep the
/// name of theirs, and the user is named by `users/me.json`, perhaps only later.
///
/// The journal holds these bindings (`Record.Fact.user`). One that is still on its way to the disk
/// is shown and not relied on: after a crash the events of an old connection must not have gone to
/// one user and then belong to another.
struct ConnectionUsers: Sendable {
    /// The bindings that are on the disk.
    private var bindings: [ConnectionName: ConnectionOwner] = [:]
    /// Those that the journal holds. Others come from the cache of an earlier version.
    private var journaled: Set<ConnectionName> = []
    /// Bindings on their way to the disk.
    private var pending: [ConnectionName: ConnectionOwner] = [:]
    /// All connections that were used, or that known events bear.
    private var known: Set<ConnectionName> = []

    /// - Parameters:
    ///   - journaled: what the journal says.
    ///   - cached: what `goals.json` says, which earlier versions relied on alone.
    ///   - borne: the connections of the events in the journal.
    init(
        journaled: [ConnectionName: ConnectionOwner], cached: [String: String],
        borne: some Sequence<ConnectionName>
    ) {
        for (name, user) in cached {
            if let name = ConnectionName(name) {
                bindings[name] = ConnectionOwner(user: user, isInherited: false)
            }
        }
        bindings.merge(journaled) { _, journaled in journaled }
        self.journaled = Set(journaled.keys)
        known = Set(borne)
    }

    /// Whose the events of a connection are, as far as that is on the disk.
    subscript(_ connection: ConnectionName) -> String? { bindings[connection]?.user }

    /// The user whom Beeminder has named for this connection itself, as far as that is on the disk.
    func verified(_ connection: ConnectionName) -> String? {
        bindings[connection].flatMap { $0.isInherited ? nil : $0.user }
    }

    /// The same, on the disk or on the way there.
    func named(_ connection: ConnectionName) -> String? {
        (pending[connection] ?? bindings[connection]).flatMap { $0.isInherited ? nil : $0.user }
    }

    /// Whether the connection's events were given to the user of another one.
    func isInherited(_ connection: ConnectionName) -> Bool {
        bindings[connection]?.isInherited ?? false
    }

    /// The connection is used from now on.
    mutating func use(_ connection: ConnectionName) {
        known.insert(connection)
    }

    /// Beeminder has named the user of the connection that is used. Every connection that was never
    /// named belongs to the first user that is named after it: its token was mistyped, or was
    /// replaced before Beeminder could be reached.
    ///
    /// A connection for which Beeminder names another user than before shows that the user was
    /// renamed, since a token keeps its user; then the user's other connections are renamed too.
    ///
    /// - Returns: the bindings to be written, in a fixed order.
    mutating func name(
        _ connection: ConnectionName, _ user: String
    ) -> [(connection: ConnectionName, binding: ConnectionOwner)] {
        known.insert(connection)
        let former = named(connection)
        var news: [(connection: ConnectionName, binding: ConnectionOwner)] = []
        for other in known.sorted(by: { $0.packed < $1.packed }) {
            let before = pending[other] ?? bindings[other]
            var binding = before ?? ConnectionOwner(user: user, isInherited: true)
            if former != nil, binding.user == former { binding.user = user }
            if other == connection { binding = ConnectionOwner(user: user, isInherited: false) }
            let isWritten = journaled.contains(other) && pending[other] == nil
            guard pending[other] != binding, !(isWritten && bindings[other] == binding) else {
                continue
            }
            pending[other] = binding
            news.append((other, binding))
        }
        return news
    }

    /// A binding is on the disk.
    mutating func written(_ connection: ConnectionName, _ binding: ConnectionOwner) {
        bindings[connection] = binding
        journaled.insert(connection)
        if pending[connection] == binding { pending[connection] = nil }
    }
}

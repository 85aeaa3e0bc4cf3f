/// The user of each connection. A connection is one Beeminder token; events have the name of their
/// connection, and `users/me.json` names the user, possibly later.
///
/// The journal stores these bindings (`Record.Fact.user`). A binding that is not durable yet is
/// displayed but not used for sending: otherwise the events of an old connection could be sent to
/// one user and, after a crash, belong to another.
struct ConnectionUsers: Sendable {
    /// The durable bindings.
    private var bindings: [ConnectionName: ConnectionOwner] = [:]
    /// Connections with a binding in the journal. Others come from the cache of an earlier version.
    private var journaled: Set<ConnectionName> = []
    /// Bindings that are not durable yet.
    private var pending: [ConnectionName: ConnectionOwner] = [:]
    /// All connections that were used or that known events have.
    private(set) var known: Set<ConnectionName> = []

    /// - Parameters:
    ///   - journaled: the bindings in the journal.
    ///   - cached: the users in `goals.json`, the only source of earlier versions.
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

    /// Whether Beeminder has named any user, durable or not yet.
    var hasNames: Bool { !bindings.isEmpty || !pending.isEmpty }

    /// The user to whom the events of a connection belong, if durable.
    subscript(_ connection: ConnectionName) -> String? { bindings[connection]?.user }

    /// The same, durable or not yet.
    func latest(_ connection: ConnectionName) -> String? {
        owner(of: connection)?.user
    }

    /// The user whom Beeminder has named for this connection itself, if durable.
    func verified(_ connection: ConnectionName) -> String? {
        bindings[connection].flatMap { $0.isInherited ? nil : $0.user }
    }

    /// The user whom Beeminder has named for this connection itself, durable or not yet.
    func named(_ connection: ConnectionName) -> String? {
        owner(of: connection).flatMap { $0.isInherited ? nil : $0.user }
    }

    private func owner(of connection: ConnectionName) -> ConnectionOwner? {
        pending[connection] ?? bindings[connection]
    }

    /// Whether the connection's events were assigned to the user of another connection.
    func isInherited(_ connection: ConnectionName) -> Bool {
        bindings[connection]?.isInherited ?? false
    }

    /// A connection is used from now on.
    mutating func use(_ connection: ConnectionName) {
        known.insert(connection)
    }

    /// Beeminder has named the user of the current connection. Every connection that was never
    /// named belongs to the first user named after it: its token was mistyped, or was replaced
    /// before Beeminder could be reached.
    ///
    /// If Beeminder names another user for a connection than before, the user was renamed, since a
    /// token always has the same user; then the user's other connections are renamed too, unless
    /// their ids differ: two ids are two users. So are those of the same id: the user may have
    /// been renamed and have made a new token.
    ///
    /// - Returns: the bindings to record, in a fixed order.
    mutating func name(
        _ connection: ConnectionName, _ user: String, id: String?
    ) -> [(connection: ConnectionName, binding: ConnectionOwner)] {
        known.insert(connection)
        let former = named(connection)
        var news: [(connection: ConnectionName, binding: ConnectionOwner)] = []
        for other in known.sorted(by: { $0.packed < $1.packed }) {
            var binding = owner(of: other) ?? ConnectionOwner(user: user, isInherited: true)
            let isOther = id != nil && binding.id != nil && binding.id != id
            let isRenamed = former != nil && binding.user == former && !isOther
            if isRenamed || (id != nil && binding.id == id) { binding.user = user }
            if other == connection {
                binding = ConnectionOwner(user: user, isInherited: false, id: id ?? binding.id)
            }
            let isWritten = journaled.contains(other) && pending[other] == nil
            guard pending[other] != binding, !(isWritten && bindings[other] == binding) else {
                continue
            }
            pending[other] = binding
            news.append((other, binding))
        }
        return news
    }

    /// A binding is durable.
    mutating func written(_ connection: ConnectionName, _ binding: ConnectionOwner) {
        bindings[connection] = binding
        journaled.insert(connection)
        if pending[connection] == binding { pending[connection] = nil }
    }
}

/// The account's user (Beeminder API reference, "User resource").
package struct UpstreamUser: Sendable, Equatable {
    /// Beeminder's name for the user.
    package var name: String
    /// Beeminder's id of the user, which stays when the user is renamed; nil when unknown.
    package var id: String?
    /// A name of the time zone database, such as `Europe/Berlin`.
    package var timezone: String?
    /// Unix seconds; increases with every change to a goal or datapoint.
    package var updatedAt: Int64?

    /// Creates a user from the contents of `users/me.json`.
    package init(
        name: String, id: String? = nil, timezone: String? = nil, updatedAt: Int64? = nil
    ) {
        self.name = name
        self.id = id
        self.timezone = timezone
        self.updatedAt = updatedAt
    }
}

extension FolderUser {
    init(_ said: UpstreamUser, since: SequenceNumber = SequenceNumber(0)) {
        self.init(name: said.name, id: said.id, since: since)
    }

    /// Compares by the ids, and by the names where one has none.
    func likeness(of said: UpstreamUser) -> Likeness {
        if let id, let other = said.id { return id == other ? .same : .other }
        if name == said.name { return .same }
        return id == nil ? .other : .unknown
    }

    /// The same user by the present name.
    func named(by said: UpstreamUser) -> FolderUser {
        FolderUser(name: said.name, id: said.id ?? id, since: since)
    }
}

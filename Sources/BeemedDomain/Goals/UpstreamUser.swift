/// The account's user (Beeminder API reference, "User resource").
package struct UpstreamUser: Sendable, Equatable {
    /// Beeminder's name for the user.
    package var name: String
    /// An IANA name, for example `Europe/Berlin`.
    package var timezone: String?
    /// Unix seconds; increases with every change to a goal or datapoint.
    package var updatedAt: Int64?

    /// Creates a user from the contents of `users/me.json`.
    package init(name: String, timezone: String? = nil, updatedAt: Int64? = nil) {
        self.name = name
        self.timezone = timezone
        self.updatedAt = updatedAt
    }
}

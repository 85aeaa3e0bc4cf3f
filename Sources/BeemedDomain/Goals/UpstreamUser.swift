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

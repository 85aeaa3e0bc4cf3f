/// The account's user (Beeminder API reference, "User resource").
package struct UpstreamUser: Sendable, Equatable {
    /// Beeminder's name for the user.
    package var name: String
    /// Beeminder's id of the user, which stays when the user is renamed; nil when it says none.
    package var id: String?
    /// A name as Beeminder gives it: an IANA name such as `Europe/Berlin`, or one of Rails.
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

/// The user to whom a data folder belongs: the first one that Beeminder has named, or the one who
/// has taken it over since.
package struct FolderUser: Sendable, Equatable {
    /// Whether a user whom Beeminder names is this one.
    enum Likeness {
        case same, other
        /// The name is another one, and the id, which stays when a user is renamed, is missing.
        case unknown
    }

    package private(set) var name: String
    /// Beeminder's id of the user; nil when unknown.
    package private(set) var id: String?
    /// The record that says that this user has taken the folder over: events before it are a
    /// former user's. 0 for the first user.
    let since: SequenceNumber

    init(name: String, id: String?, since: SequenceNumber = SequenceNumber(0)) {
        (self.name, self.id, self.since) = (name, id, since)
    }

    /// Whether an event is this user's, and not a former one's.
    package func has(_ event: SequenceNumber) -> Bool { event >= since }
}

/// The user to whom the events of a connection belong.
package struct ConnectionOwner: Sendable, Equatable {
    package var user: String
    /// Beeminder has not named the user of this connection: the user is that of the next connection
    /// that it named. Its token may be invalid or of another user, so this alone never permits
    /// sending.
    var isInherited: Bool
    /// Beeminder's id of the user, which stays when the user is renamed; nil when it is not known.
    package var id: String?
}

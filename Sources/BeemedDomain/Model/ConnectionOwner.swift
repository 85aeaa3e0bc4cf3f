/// Whose the events of a connection are.
package struct ConnectionOwner: Sendable, Equatable {
    package var user: String
    /// Beeminder has not named the user of this connection itself: another connection was the next
    /// that it named. Its token may be anybody's or nobody's, so nothing is sent by it on the
    /// strength of this.
    package var isInherited: Bool
}

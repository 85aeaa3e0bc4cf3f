/// The user of the token, as far as known when the token is connected.
package enum TokenUser: Sendable, Equatable {
    /// Beeminder is to be asked.
    case unknown
    /// Beeminder has named the user.
    case named(UpstreamUser)
}

/// The user to whom the folder belongs, and whether the token is that user's.
package final class AccountState {
    private enum Standing: Equatable {
        case unknown
        /// The token is that of the folder's user.
        case own
        case other(UpstreamUser)
        /// Beeminder names nobody, and never has: a test server with one account.
        case nameless
    }

    /// The folder's user, durable or not yet; nil before Beeminder has named one.
    private(set) var user: FolderUser?
    /// The same, as far as it is durable.
    private var durable: FolderUser?
    /// The record that states the durable one; nil without any.
    private(set) var statedAt: SequenceNumber?
    private var standing = Standing.unknown
    /// Whether the goals being fetched belong to an earlier token.
    var isFetchStale = false

    init(_ user: FolderUser?, statedAt record: SequenceNumber? = nil) {
        (self.user, durable, statedAt) = (user, user, record)
    }

    /// Whether events may be sent: the token is known to be that of the folder's user, and whose
    /// folder it is, is durable. Otherwise events sent to one user could later belong to another.
    var maySend: Bool {
        standing == .nameless || standing == .own && isRecorded
    }

    /// Whether the folder's user is durable; a new name of the same user may not be yet.
    var isRecorded: Bool { durable?.since == user?.since && (durable == nil) == (user == nil) }

    /// Whether another user has taken it over, which is not durable yet.
    package var isBeingTakenOver: Bool { durable != nil && !isRecorded }

    /// Whether Beeminder has said whose the token is.
    var isVerified: Bool { standing != .unknown }

    /// Whether Beeminder cannot tell whose the token is.
    var isNameless: Bool { standing == .nameless }

    /// Whether the token's user is not the folder's.
    var isOther: Bool { other != nil }

    /// The token's user, who is not the folder's: nothing is sent by it. Nil when that is not so.
    package var other: UpstreamUser? { if case .other(let said) = standing { said } else { nil } }

    /// The name of the token's user; nil until Beeminder has named one.
    var name: String? { standing == .own ? user?.name : other?.name }

    /// Another token is used from now on.
    ///
    /// - Parameter isFetching: whether a fetch by the former one is under way.
    func useAnother(isFetching: Bool) {
        isFetchStale = isFetching
        standing = .unknown
    }

    /// Beeminder has named the token's user, who has the folder if nobody has.
    ///
    /// - Returns: whether this is the folder's user.
    func claim(_ said: UpstreamUser) -> Bool {
        switch user?.likeness(of: said) {
        case nil, .same?:
            user = user?.named(by: said) ?? FolderUser(said)
            standing = .own
        case .other?: standing = .other(said)
        case .unknown?: standing = .unknown
        }
        return standing == .own
    }

    /// An answer named no user. A server that has named one before can name all: then it was a
    /// failure, of a proxy perhaps, and to go on could send the presses of one user to another.
    func processNoUser() {
        if user == nil { standing = .nameless }
    }

    /// The token's user takes over the folder.
    func takeOver(_ said: UpstreamUser, by record: SequenceNumber) -> FolderUser {
        let user = FolderUser(said, since: record)
        (self.user, standing) = (user, .own)
        return user
    }

    /// The record of the folder's user is durable.
    ///
    /// - Returns: whether another user has taken the folder over.
    func applyDurable(_ user: FolderUser, at record: SequenceNumber) -> Bool {
        defer { (durable, statedAt) = (user, record) }
        return user.since != durable?.since && durable != nil
    }
}

package import BeemedDomain

/// A current or former account, with the relay's own data.
package struct ConnectedAccount: Codable, Sendable, Equatable {
    private enum CodingKeys: CodingKey {
        case kind, token, since, user, verified
    }

    private let kind: Account.Kind
    private let token: String
    /// When its token was given, in Unix seconds.
    let since: Int64
    /// Beeminder's name for the user: confirmed by Beeminder, or claimed with the token.
    package var user: String?
    private var verified: Bool?
    /// Whether the account is saved; otherwise it comes from the environment.
    var isSaved = true

    /// The token and its kind.
    package var account: Account { Account(kind: kind, token: token) }

    /// Whether Beeminder has confirmed the user.
    package var isVerified: Bool {
        get { verified ?? false }
        set { verified = newValue }
    }

    /// That Beeminder has not confirmed it yet, in words.
    package static let unverified =
        "not verified yet: Beeminder has not said whose the token is"

    /// Why its token cannot be one, in words; nil for a plausible one.
    var tokenFault: String? {
        account.isPlausible ? nil : isSaved ? Account.advice : account.faultOfEnvironment
    }

    /// An account that is not yet known.
    package init(new account: Account, user: String? = nil, at now: UnixTime) {
        (kind, token, since) = (account.kind, account.token, now.seconds)
        self.user = user
    }

    /// The user of the token, as far as Beeminder has said so.
    var tokenUser: TokenUser {
        guard isVerified, let user else { return .unknown }
        return .named(UpstreamUser(name: user))
    }

    /// Updates the user from Beeminder's answer, or from the claim made with the token.
    package mutating func learn(_ identity: Identity, claimed: String?) {
        switch identity {
        case .named(let named): (user, isVerified) = (named.name, true)
        case .unnamed, .unclear, .faulty, .refused: if !isVerified { user = claimed ?? user }
        }
    }
}

package import BeemedDomain

/// A current or former account, with the relay's own data.
package struct ConnectedAccount: Codable, Sendable, Equatable {
    /// The kind of the token, as named in the file and in `GET /connection`.
    private enum Kind: String, Codable {
        case personalToken, accessToken
    }

    private enum Names: CodingKey {
        case kind, token, since, user, verified
    }

    /// The token and its kind.
    package var account: Account
    /// When its token was first given.
    var since: UnixTime
    /// Beeminder's name for the user: confirmed by Beeminder, or claimed with the token.
    package var user: String?
    /// Whether Beeminder has confirmed the user.
    package var isVerified = false
    /// Whether the account is saved; otherwise it comes from the environment.
    var isSaved = true

    /// Why its token cannot be one, in words; nil for a plausible one.
    var tokenFault: String? {
        isSaved ? account.fault?.advice : account.faultOfEnvironment
    }

    /// An account that is not yet known.
    package init(new account: Account, user: String? = nil, at now: UnixTime) {
        self.account = account
        self.user = user
        since = now
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Names.self)
        let token = try members.decode(String.self, forKey: .token)
        account =
            switch try members.decode(Kind.self, forKey: .kind) {
            case .personalToken: .personalToken(token)
            case .accessToken: .accessToken(token)
            }
        since = UnixTime(try members.decode(Int64.self, forKey: .since))
        user = try members.decodeIfPresent(String.self, forKey: .user)
        isVerified = try members.decodeIfPresent(Bool.self, forKey: .verified) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Names.self)
        switch account {
        case .personalToken(let token):
            try members.encode(Kind.personalToken, forKey: .kind)
            try members.encode(token, forKey: .token)
        case .accessToken(let token):
            try members.encode(Kind.accessToken, forKey: .kind)
            try members.encode(token, forKey: .token)
        }
        try members.encode(since.seconds, forKey: .since)
        try members.encodeIfPresent(user, forKey: .user)
        if isVerified { try members.encode(true, forKey: .verified) }
    }

    var kind: String {
        switch account {
        case .personalToken: Kind.personalToken.rawValue
        case .accessToken: Kind.accessToken.rawValue
        }
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

/// The user of the environment's token when Beeminder was last asked, saved without the token: a
/// start needs not wait for the answer.
struct RememberedAccount: Codable, Sendable {
    /// SHA-256 of the token, in hex.
    var tokenHash: String
    /// Unix seconds.
    var since: Int64
    /// Nil in files of earlier versions.
    package var user: String?

    init(_ connected: ConnectedAccount) {
        tokenHash = TokenDigest(of: connected.account.token).hex
        since = connected.since.seconds
        user = connected.user
    }

    /// Whether this token is the remembered one.
    func isOf(_ account: Account) -> Bool {
        TokenDigest(hex: tokenHash) == TokenDigest(of: account.token)
    }
}

import BeemedDomain

/// A current or former account, with the relay's own data about it.
struct ConnectedAccount: Codable, Sendable, Equatable {
    /// The kind of the token, as named in the file and in `GET /connection`.
    private enum Kind: String, Codable {
        case personalToken, accessToken
    }

    private enum Names: CodingKey {
        case kind, token, connection, since, user, verified
    }

    var account: Account
    /// Identifies this connection without its token: events store it as their owner. The same token
    /// has the same name as long as it is remembered.
    var name: String
    /// When its token was first given.
    var since: UnixTime
    /// Beeminder's name for the user: confirmed by Beeminder, or claimed with the token.
    var user: String?
    /// Whether Beeminder has confirmed the user.
    var isVerified = false
    /// Whether it is saved; otherwise it comes from the environment.
    var isSaved = true

    /// Why its token cannot be one, in words; nil when it can.
    var tokenFault: String? {
        isSaved ? account.fault?.advice : account.faultOfEnvironment
    }

    /// An account that is not yet known.
    init(new account: Account, user: String? = nil, at now: UnixTime) {
        self.account = account
        self.user = user
        since = now
        name = ConnectedAccount.randomName()
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Names.self)
        let token = try members.decode(String.self, forKey: .token)
        account =
            switch try members.decode(Kind.self, forKey: .kind) {
            case .personalToken: .personalToken(token)
            case .accessToken: .accessToken(token)
            }
        name = try members.decode(String.self, forKey: .connection)
        since = UnixTime(try members.decode(Int64.self, forKey: .since))
        user = try members.decodeIfPresent(String.self, forKey: .user)
        isVerified = try members.decodeIfPresent(Bool.self, forKey: .verified) ?? false
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Names.self)
        switch account {
        case .personalToken(let token):
            try members.encode(Kind.personalToken, forKey: .kind)
            try members.encode(token, forKey: .token)
        case .accessToken(let token):
            try members.encode(Kind.accessToken, forKey: .kind)
            try members.encode(token, forKey: .token)
        }
        try members.encode(name, forKey: .connection)
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

    /// The core's input for this account.
    var input: Input { .connected(as: ConnectionName(name), user: isVerified ? user : nil) }

    /// Updates the user from Beeminder's answer, or from the claim made with the token.
    mutating func learn(_ identity: Identity, claimed: String?) {
        switch identity {
        case .named(let named): (user, isVerified) = (named.name, true)
        case .unnamed, .unclear, .faulty, .refused: if !isVerified { user = claimed ?? user }
        }
    }

    /// A name derived from the token, the same every time: 32 bits of a digest, so rarely shared
    /// with another token.
    static func lastingName(of account: Account) -> String {
        String(TokenDigest(of: "connection \(account.token)").hex.prefix(8))
    }

    /// 40 random bits, as eight letters and digits.
    private static func randomName() -> String {
        var chance = SystemRandomNumberGenerator()
        return NameText.random(8, using: &chance)
    }
}

/// The environment's account, saved without its token.
struct RememberedAccount: Codable, Sendable {
    /// SHA-256 of the token, in hex.
    var tokenHash: String
    var connection: String
    /// Unix seconds.
    var since: Int64

    init(_ connected: ConnectedAccount) {
        tokenHash = TokenDigest(of: connected.account.token).hex
        connection = connected.name
        since = connected.since.seconds
    }

    /// Whether this token is the remembered one.
    func isOf(_ account: Account) -> Bool {
        TokenDigest(hex: tokenHash) == TokenDigest(of: account.token)
    }
}

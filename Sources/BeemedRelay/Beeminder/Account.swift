import BeemedDomain

/// The Beeminder account, which is to say its token.
enum Account: Equatable, Sendable {
    /// The user's own token, sent as the parameter `auth_token`.
    case personalToken(String)
    /// An OAuth token, sent as Bearer.
    case accessToken(String)

    /// The account that the environment names; it wins over the saved one.
    init?(environment: [String: String]) {
        if let token = environment["BEEMINDER_ACCESS_TOKEN"], !token.isEmpty {
            self = .accessToken(token)
        } else if let token = environment["BEEMINDER_AUTH_TOKEN"], !token.isEmpty {
            self = .personalToken(token)
        } else {
            return nil
        }
    }
}

extension Account {
    /// The token itself.
    var token: String {
        switch self {
        case .personalToken(let token), .accessToken(let token): token
        }
    }

    /// Whether it can be a token at all: printable, without blanks, and not endless.
    var isPlausible: Bool {
        (1...512).contains(token.utf8.count) && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// A way to Beeminder whose account can be changed.
protocol AccountUpstream: Upstream {
    /// Whether there is an account.
    var isConnected: Bool { get }
    /// Uses this account from now on; nil is none.
    func use(_ account: Account?)
}

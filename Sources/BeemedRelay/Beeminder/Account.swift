import BeemedDomain

/// The Beeminder account, which is to say its token.
enum Account: Codable, Equatable, Sendable {
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

/// A way to Beeminder whose account can be changed.
protocol AccountUpstream: Upstream {
    /// Whether there is an account.
    var isConnected: Bool { get }
    /// Uses this account from now on; nil is none.
    func use(_ account: Account?)
}

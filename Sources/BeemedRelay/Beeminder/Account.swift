import BeemedDomain

/// The Beeminder account, which is to say its token.
enum Account: Equatable, Sendable {
    /// The user's own token, sent as the parameter `auth_token`.
    case personalToken(String)
    /// An OAuth token, sent as Bearer.
    case accessToken(String)

    /// The account that the environment names; it wins over the saved one. A text that can be no
    /// token is one all the same: presses are accepted, and wait until somebody repairs it.
    init?(environment: [String: String]) {
        if let token = environment["BEEMINDER_ACCESS_TOKEN"], !token.isEmpty {
            self = Account.accessToken(token).meant
        } else if let token = environment["BEEMINDER_AUTH_TOKEN"], !token.isEmpty {
            self = Account.personalToken(token).meant
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

    /// Whether it can be a token at all: printable, without blanks, quotes and brackets, and not
    /// endless. Anything else, a JSON text or a page say, is never sent.
    var isPlausible: Bool {
        (1...512).contains(token.utf8.count)
            && token.utf8.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && !"\"'{}[]<>".utf8.contains(byte)
            }
    }
}

/// A way to Beeminder whose account can be changed.
protocol AccountUpstream: Upstream {
    /// Tells every time that an answer of Beeminder's says, on any thread, and before what else
    /// the answer says is reported.
    func onTime(_ listener: @escaping @Sendable (UpstreamTime) -> Void)
    /// Whether there is an account.
    var isConnected: Bool { get }
    /// Uses this account from now on; nil is none.
    func use(_ account: Account?)
    /// Asks whose a token is, and uses it for nothing else. Reports once, on any thread.
    func identify(_ account: Account, report: @escaping @Sendable (Identity) -> Void)
}

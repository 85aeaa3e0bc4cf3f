import BeemedDomain

/// The credentials of a Beeminder account: its token.
package enum Account: Equatable, Sendable {
    /// The user's own token, sent as the parameter `auth_token`.
    case personalToken(String)
    /// An OAuth token, sent as Bearer.
    case accessToken(String)

    /// The account from the environment, which overrides the saved one. An invalid token counts as
    /// an account too: presses are accepted, and wait until the user corrects it.
    package init?(environment: [String: String]) {
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
    /// The account from a systemd credential (systemd.exec(5), `LoadCredential=`): a file of its
    /// name in the folder that the environment names.
    package init?(credentials environment: [String: String]) {
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else { return nil }
        func token(_ name: String) -> String? {
            guard let bytes = try? PrivateFile.read("\(folder)/\(name)"), !bytes.isEmpty else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        if let token = token("beeminder-access-token") {
            self = Account.accessToken(token).meant
        } else if let token = token("beeminder-auth-token") {
            self = Account.personalToken(token).meant
        } else {
            return nil
        }
    }

    /// The environment's variable for an account of this kind.
    var variable: String {
        switch self {
        case .personalToken: "BEEMINDER_AUTH_TOKEN"
        case .accessToken: "BEEMINDER_ACCESS_TOKEN"
        }
    }

    /// The token, whatever its kind.
    package var token: String {
        switch self {
        case .personalToken(let token), .accessToken(let token): token
        }
    }

    /// Whether the text can be a token: printable, without blanks, quotes and brackets, and of
    /// limited length. Anything else, such as JSON text or a page, is never sent.
    var isPlausible: Bool {
        (1...512).contains(token.utf8.count)
            && token.utf8.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && !"\"'{}[]<>".utf8.contains(byte)
            }
    }
}

/// A connection to Beeminder whose account can be changed.
protocol AccountUpstream: Upstream {
    /// Reports every time in Beeminder's answers, on any thread, and before the rest of the answer
    /// is reported.
    func onTime(_ listener: @escaping @Sendable (UpstreamTime) -> Void)
    /// Whether an account is connected.
    var isConnected: Bool { get }
    /// Uses this account from now on; nil disconnects.
    func use(_ account: Account?)
    /// Asks Beeminder only for a token's user. Reports once, on any thread.
    func identify(_ account: Account, report: @escaping @Sendable (Identity) -> Void)
}

import BeemedDomain
import RelayHTTP

/// The credentials of a Beeminder account: its token.
package struct Account: Equatable, Sendable, Codable {
    /// The kind of a token, as named in the account's file and in `GET /connection`.
    package enum Kind: String, Codable, Sendable {
        /// An OAuth token, sent as Bearer.
        case accessToken
        /// The user's own token, sent as the parameter `auth_token`.
        case personalToken

        /// The environment's variable for an account of this kind.
        fileprivate var variable: String {
            switch self {
            case .accessToken: "BEEMINDER_ACCESS_TOKEN"
            case .personalToken: "BEEMINDER_AUTH_TOKEN"
            }
        }
    }

    /// The kind of the token.
    package let kind: Kind
    /// The token, whatever its kind.
    package let token: String

    /// The account of an OAuth token.
    package static func accessToken(_ token: String) -> Account {
        Account(kind: .accessToken, token: token)
    }

    /// The account of a user's own token.
    package static func personalToken(_ token: String) -> Account {
        Account(kind: .personalToken, token: token)
    }
}

extension Account {
    /// The account from the environment, which overrides the saved one. An invalid token counts as
    /// an account too: presses are accepted, and wait until the user corrects it.
    package init?(environment: [String: String]) {
        self.init { environment[$0.variable] }
    }

    /// The account from a systemd credential (systemd.exec(5), `LoadCredential=`): a file named
    /// after the variable, as `beeminder-auth-token`, in the folder that the environment names.
    package init?(credentials environment: [String: String]) {
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else { return nil }
        self.init { kind in
            let name = kind.variable.lowercased().replacing("_", with: "-")
            let bytes = try? PrivateFile.read("\(folder)/\(name)")
            return bytes.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private init?(_ text: (Kind) -> String?) {
        for kind in [Kind.accessToken, .personalToken] {
            guard let token = text(kind), !token.isEmpty else { continue }
            self = Account(kind: kind, token: token).meant
            return
        }
        return nil
    }

    /// Whether the text can be a token. Anything else, such as JSON text or a page, is never sent.
    var isPlausible: Bool { fault == nil }
}

/// A connection to Beeminder whose account can be changed. Every call is reported once, on any
/// thread.
protocol AccountUpstream: Sendable {
    /// Posts datapoints: a single one by itself, several with `create_all`. If an answer is
    /// unclear, the goal's datapoints are searched before the result is reported.
    func send(_ batch: DatapointBatch, report: @escaping @Sendable (BatchResult) -> Void)
    /// Deletes a datapoint; searches for it by its request id if its own id is unknown.
    func erase(_ deletion: DatapointDeletion, report: @escaping @Sendable (Outcome) -> Void)
    /// Requests the user and the active goals.
    ///
    /// - Parameters:
    ///   - since: the user's `updated_at` when the goals were last received; if it is still the
    ///     same, they are not requested again. Nil requests them in any case.
    ///   - names: goals that are requested by name if the list leaves them out.
    func fetchGoals(
        since: Int64?, names: [GoalSlug], report: @escaping @Sendable (GoalAnswer) -> Void)
    /// Reports every time in Beeminder's answers, on any thread, before the rest of an answer.
    func onTime(_ listener: @escaping @Sendable (UpstreamTime) -> Void)
    /// Whether an account is connected.
    var isConnected: Bool { get }
    /// Uses this account from now on; nil disconnects.
    func use(_ account: Account?)
    /// Asks Beeminder only for a token's user.
    func identify(_ account: Account, report: @escaping @Sendable (Identity) -> Void)
}

/// The reason why a text is not a token, with advice for the user.
package enum TokenFault: Error, Equatable, Sendable {
    case url, quoted, named, other

    /// The error text for the user.
    package var advice: String {
        switch self {
        case .url: "that is an address and no token; open it in a browser, signed in to Beeminder"
        case .quoted: "give the token without the quotation marks"
        case .named: "give the token alone, without the name and the sign before it"
        case .other:
            "that is no token: a token is one word of letters, digits and -._~+/ alone; it is the "
                + "text after \"auth_token\" at \(TokenFault.address)"
        }
    }

    private static let address = "https://www.beeminder.com/api/v1/auth_token.json"
}

extension Account {
    /// Reads a token that the user entered, or the whole of `auth_token.json` in a browser.
    static func token(in given: String) throws(TokenFault) -> String {
        let text = given.trimmed
        if text.hasPrefix("{") || text.hasPrefix("[") {
            guard let token = JSONTree(Array(text.utf8))?["auth_token"]?.text else { throw .other }
            return try check(token)
        }
        return try check(text)
    }

    private static func check(_ text: String) throws(TokenFault) -> String {
        let lowercased = text.lowercased()
        if lowercased.contains("://") || lowercased.hasPrefix("www.") { throw .url }
        if lowercased.hasPrefix("bearer ") || lowercased.contains("auth_token")
            || lowercased.contains("access_token")
        {
            throw .named
        }
        if let first = text.first,
            "\"'`\u{201C}\u{201D}\u{201E}\u{2018}\u{2019}\u{AB}\u{BB}".contains(first)
        {
            throw .quoted
        }
        guard text.utf8.count <= 512, text.isOfTokenLetters else { throw .other }
        return text
    }

    /// The account with the token extracted from its text; itself when the text cannot be a token.
    package var meant: Account {
        guard let token = try? Account.token(in: token) else { return self }
        return Account(kind: kind, token: token)
    }

    /// The reason why its text cannot be a token; nil for a plausible one.
    package var fault: TokenFault? {
        do throws(TokenFault) {
            _ = try Account.token(in: token)
            return nil
        } catch { return error }
    }

    /// Why the environment's token cannot be one, in words; nil for a plausible one.
    package var faultOfEnvironment: String? {
        fault.map { "\(kind.variable) is not a valid token: \($0.advice)" }
    }
}

extension String {
    /// Whether a token may be of these characters: those of a Bearer token (RFC 6750 section 2.1).
    fileprivate var isOfTokenLetters: Bool {
        let bytes = Array(utf8)
        let end = bytes.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
        return end > 0
            && bytes[..<end].allSatisfy { ASCII.isUnreserved($0) || "+/".utf8.contains($0) }
    }
}

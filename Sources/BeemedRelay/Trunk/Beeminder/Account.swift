import BeemedDomain
import RelayHTTP

/// The credentials of a Beeminder account: its token.
package struct Account: Equatable, Sendable {
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

    /// The account that this environment gives, which counts before the saved one.
    package static func given(in environment: [String: String]) -> Account? {
        Account(environment: environment) ?? Account(credentials: environment)
    }

    /// The account from a systemd credential (systemd.exec(5), `LoadCredential=`): a file named
    /// after the variable, as `beeminder-auth-token`, in the folder that the environment names.
    init?(credentials environment: [String: String]) {
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
    package var isPlausible: Bool { Account.token(in: token) != nil }
}

extension Account {
    /// The fault of a text that can be no token, and the next step.
    package static let advice =
        "that is no token: a token is one word of letters, digits and -._~+/ alone, without "
        + "quotation marks and without a name before it; it is the text after \"auth_token\" at "
        + "https://www.beeminder.com/api/v1/auth_token.json, for who is signed in to Beeminder"

    /// Reads a token that the user entered, or the whole of `auth_token.json` in a browser; nil for
    /// what can be none.
    static func token(in given: String) -> String? {
        let text = given.trimmed
        if text.hasPrefix("{") || text.hasPrefix("[") {
            return JSONTree(Array(text.utf8))?["auth_token"]?.text.flatMap(checked)
        }
        return checked(text)
    }

    private static func checked(_ text: String) -> String? {
        let lowercased = text.lowercased()
        // An address, or a name without what it names.
        let isOther = ["www.", "auth_token", "access_token"].contains { lowercased.contains($0) }
        // The characters of a Bearer token (RFC 6750 section 2.1).
        let letters = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        let isOfLetters = letters.allSatisfy { ASCII.isUnreserved($0) || "+/".utf8.contains($0) }
        let isToken = text.utf8.count <= 512 && isOfLetters && !letters.isEmpty && !isOther
        return isToken ? text : nil
    }

    /// The account with the token extracted from its text; itself when the text cannot be a token.
    package var meant: Account {
        Account(kind: kind, token: Account.token(in: token) ?? token)
    }

    /// Why the environment's token cannot be one, in words; nil for a plausible one.
    package var faultOfEnvironment: String? {
        isPlausible ? nil : "\(kind.variable) is not a valid token: \(Account.advice)"
    }
}

import RelayHTTP

/// The English texts of the small pages: sign-in, refusals, OAuth. They are HTML; what a request
/// brought is escaped here.
enum PageTexts {
    // MARK: Signing in

    static let signIn = "Sign in"
    static let signInHelp = """
        <p>Open the relay's sign-in link in this browser, once and within 15 minutes. The browser \
        then stays signed in.</p>
        <ul><li>A demo shows the link, and the command for another one, in its terminal.</li>
        <li>Otherwise <code>beemed-relay owner-link</code>, on the machine that runs the relay, \
        prints a link.</li></ul>
        """
    static let readManual = "Read the manual"
    static let signedIn = "Signed in"
    static let goOn = "Go on"

    // MARK: Refusals

    static let goToPage = "Go to the page"
    static let whatThisMeans = "What this means"

    /// The heading of a refusal.
    static func title(of code: ErrorCode) -> String {
        switch code {
        case .unauthorized: "This browser is not signed in"
        case .linkExpired: "This link is used up"
        case .notFound, .unknownGoal: "There is nothing here"
        case .methodNotAllowed: "This address takes presses"
        case .unknownHost: "Unknown name"
        case .tooManyRequests: "Too many requests"
        case .tokenRefused: "Beeminder does not take this"
        default: "That did not work"
        }
    }

    // MARK: OAuth

    static let connected = "Connected"
    static let saved = "Saved"
    static let savedHelp = "Saved; not verified yet, since Beeminder cannot be reached."
    static let notConnected = "Not connected"
    static let notConnectedHelp = "<p>Beeminder gave no token, so nothing has changed.</p>"
    static let tryAgain = "Try again"
    static let goBack = "Go back"
    static let question = "Connect this account?"
    static let connect = "Connect"
    static let leave = "Leave"
    static let signInAtBeeminder = "Sign in at Beeminder"

    static func connectedHelp(_ user: String?) -> String {
        let name = user.map { " as <strong>\(HTMLText.escaped($0))</strong>" } ?? ""
        return "Connected\(name); presses are delivered from now on."
    }

    static func questionHelp(_ user: String?) -> String {
        let name = HTMLText.escaped(user ?? "a user whose name Beeminder did not give")
        return """
            <p>This relay is to log to the Beeminder account of <strong>\(name)</strong>. If you \
            did not just allow that at Beeminder, leave.</p>
            """
    }

    /// - Parameters:
    ///   - redirect: the redirect URI to register.
    ///   - root: the reference to the relay's root.
    static func registrationHelp(_ redirect: String, root: String) -> String {
        """
        <p>Beeminder wants to know this relay first. Once:</p>
        <ol><li>Open <a href="https://www.beeminder.com/apps/new">beeminder.com/apps/new</a>,
        signed in to Beeminder. Any name will do; the redirect URL is
        <code>\(HTMLText.escaped(redirect))</code>, to the letter, and this page must be opened
        under that same name from now on.</li>
        <li>Start the relay with <code>--oauth-client-id</code> and the client id that Beeminder
        shows, or with <code>BEEMED_OAUTH_CLIENT_ID</code> set.</li>
        <li>Come back to this page.</li></ol>
        <p>Or paste your personal token into the settings of
        <a href="\(root)#settings">the page</a>, or into
        <code>beemed-relay connect --auth-token -</code>.</p>
        """
    }
}

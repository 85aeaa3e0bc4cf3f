package import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Response {
    /// A small page for the user, in the style of the others, without scripts. Its style is inline,
    /// so that it needs no other resource.
    ///
    /// - Parameters:
    ///   - title: its heading, plain text.
    ///   - content: HTML; input must be escaped.
    ///   - root: the reference from the request's path to the relay's root (`Target.root`).
    ///   - next: the address to which the browser is redirected at once.
    ///   - referrer: the `Referrer-Policy`; with `no-referrer` a browser does not even send a
    ///     form's origin.
    static func page(
        _ title: String, _ content: String, root: String, status: Int = 200, next: String? = nil,
        referrer: String = "no-referrer", fields: [Field] = []
    ) -> Response {
        let refresh = next.map { "<meta http-equiv=\"refresh\" content=\"0; url=\($0)\">\n" } ?? ""
        let body = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            \(refresh)<title>\(HTMLText.escaped(title)) · BeemedRelay</title>
            <link rel="icon" href="\(root)page/icon.svg" type="image/svg+xml">
            <style>\(style)</style>
            </head>
            <body>
            <header class="bar"><a class="brand" href="\(root)"><img \
            src="\(root)page/icon.svg" alt="" width="28" height="28"><span>Beemed</span></a>\
            </header>
            <main class="sheet">
            <h1>\(HTMLText.escaped(title))</h1>
            \(content)
            </main>
            </body>
            </html>
            """
        return Response(
            status: status,
            fields: [
                Field("Content-Type", "text/html; charset=utf-8"),
                Field("Content-Security-Policy", policy),
                Field("Referrer-Policy", referrer), .notStored,
            ] + fields, body: Array("\(body)\n".utf8))
    }

    /// The page at the root for a browser that is not signed in.
    package static let signInHelp = page(
        PageTexts.signIn,
        """
        \(PageTexts.signInHelp)
        <p class="row"><a class="button" href="docs">\(PageTexts.readManual)</a></p>
        """, root: "./")

    private static let style = String(decoding: EmbeddedFiles.pageStyle, as: UTF8.self)

    /// Allows that one style and no script (Content Security Policy Level 3, section 8.3).
    private static let policy: String = {
        let digest = Data(SHA256Digest.of(EmbeddedFiles.pageStyle)).base64EncodedString()
        return "default-src 'none'; style-src 'sha256-\(digest)'; img-src 'self'; "
            + "form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
    }()
}

extension Request {
    /// The media type that browsers accept, and programs do not name.
    private static let page = Array("text/html".utf8)

    /// Whether its client names HTML in `Accept`.
    var acceptsPage: Bool { fields.holds(anyOf: [Request.page], in: .accept) }

    /// Whether the answer is for a browser, which names HTML in `Accept` when it opens an address
    /// (RFC 9110 section 12.5.1); programs do not.
    var isForReading: Bool {
        acceptsPage && !fields.isWord(.empty, of: .secFetchDest)
    }
}

extension Problem {
    /// The answer in the requested form: a page for a browser, else JSON.
    ///
    /// - Parameter name: the request's name here and in the log.
    func response(to request: Request?, name: String) -> Response {
        guard let request, request.isForReading else { return response(request: name) }
        let steps =
            code == .unauthorized || code == .linkExpired
            ? "\(PageTexts.signInHelp)\n" : ""
        let root = request.target.root
        // By an unknown host name every link leads to the same refusal.
        let links =
            code == .unknownHost
            ? ""
            : """
            <p class="row">
            <a class="button primary" href="\(root)">\(PageTexts.goToPage)</a>
            <a class="button" href="\(root)docs#\(code.rawValue)">\(PageTexts.whatThisMeans)</a></p>

            """
        return .page(
            PageTexts.title(of: code),
            """
            <p>\(HTMLText.escaped(detail.prefix(1).uppercased() + detail.dropFirst())).</p>
            \(steps)\(links)<p class="soft small">\(status) <code>\(code.rawValue)</code>, request \
            <code>\(HTMLText.escaped(name))</code></p>
            """, root: root, status: status, fields: fields)
    }
}

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

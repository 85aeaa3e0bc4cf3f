import Foundation
package import RelayHTTP

extension Response {
    /// A small page for the user, in the style of the others, without scripts. Its style is inline,
    /// so that it needs no other resource.
    ///
    /// - Parameters:
    ///   - content: HTML; input must be escaped.
    ///   - root: the reference from the request's path to the relay's root (`Target.root`).
    ///   - next: the address to which the browser is redirected at once.
    ///   - referrer: with `no-referrer` a browser does not even send a form's origin.
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
        "Sign in",
        """
        \(signInSteps)
        <p class="row"><a class="button" href="docs">Read the manual</a></p>
        """, root: "./")

    fileprivate static let signInSteps = """
        <p>Open the relay's sign-in link in this browser, once and within 15 minutes. The browser \
        then stays signed in.</p>
        <ul><li>A demo shows the link, and the command for another one, in its terminal.</li>
        <li>Otherwise <code>beemed-relay owner-link</code>, on the machine that runs the relay, \
        prints a link.</li></ul>
        """

    private static let style = String(decoding: EmbeddedFiles.pageStyle, as: UTF8.self)

    /// Allows that one style and no script (Content Security Policy Level 3, section 8.3).
    private static let policy =
        "default-src 'none'; style-src \(source(of: EmbeddedFiles.pageStyle)); img-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'self'"

    /// A style or script that stands in the page, as its policy allows it: by its digest.
    package static func source(of text: [UInt8]) -> String {
        "'sha256-\(Data(SHA256Digest.of(text)).base64EncodedString())'"
    }
}

extension Request {
    /// The media type that browsers accept, and programs do not name.
    private static let page = Array("text/html".utf8)

    /// Whether its client names HTML in `Accept`.
    var acceptsPage: Bool { fields.holds(anyOf: [Request.page], in: "accept") }

    /// Whether the answer is for a browser, which names HTML in `Accept` when it opens an address
    /// (RFC 9110 section 12.5.1) and, when it sends a form, an origin. Few programs name HTML, as
    /// Java does; these send a token as Bearer, or no origin.
    var isForReading: Bool {
        let isOpened = [.get, .head].contains(method) || fields.bytes(of: .origin) != nil
        return acceptsPage && isOpened && !fields.isWord("empty", of: .secFetchDest)
            && fields.bytes(of: .authorization, after: .bearer) == nil
    }
}

extension Problem {
    /// The answer in the requested form: a page for a browser, else JSON.
    func response(to request: Request?, name: String) -> Response {
        guard let request, request.isForReading else { return response(request: name) }
        let steps =
            code == .unauthorized || code == .linkExpired
            ? "\(Response.signInSteps)\n" : ""
        let root = request.target.root
        // By an unknown host name every link leads to the same refusal.
        let links =
            code == .unknownHost
            ? ""
            : """
            <p class="row">
            <a class="button primary" href="\(root)">Go to the page</a>
            <a class="button" href="\(root)docs#\(code.rawValue)">What this means</a></p>

            """
        return .page(
            code.title,
            """
            <p>\(HTMLText.escaped(detail.prefix(1).uppercased() + detail.dropFirst())).</p>
            \(steps)\(links)<p class="soft small">\(status) <code>\(code.rawValue)</code>, request \
            <code>\(HTMLText.escaped(name))</code></p>
            """, root: root, status: status, fields: fields)
    }
}

extension ErrorCode {
    fileprivate var title: String {
        switch self {
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
}

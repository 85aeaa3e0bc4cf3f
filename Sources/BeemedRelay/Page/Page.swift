import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The files of the web page, which are part of the program: HTML, style, modules, icons. Styles
/// and modules are sent in a shorter form, which `packaging/page.py` makes beforehand.
enum Page {
    static let files: [String: Response] = {
        var files: [String: Response] = [:]
        for (name, content) in EmbeddedFiles.folder("page") {
            let kind = String(name.drop { $0 != "." }.dropFirst())
            files[name] = .asset(kinds[kind] ?? "application/octet-stream", content, policy)
        }
        // A service worker below page/ must have the whole relay as its scope. The value is
        // resolved against the script's URL, so it holds below any prefix.
        files["worker.js"]?.fields.append(Response.Field("Service-Worker-Allowed", "../"))
        return files
    }()

    /// `GET /` for a browser that is signed in. Its style stands in it, allowed by its digest
    /// (Content Security Policy Level 3, section 8.3): the first paint waits for one answer, not
    /// for three.
    static let home: Response = {
        let style = EmbeddedFiles.pageStyle + EmbeddedFiles.file("page/app.css")
        let links = ["base.css", "app.css"].map {
            "<link rel=\"stylesheet\" href=\"page/\($0)\">\n"
        }
        let text = String(decoding: EmbeddedFiles.file("page/index.html"), as: UTF8.self)
            .replacing(
                links.joined(), with: "<style>\(String(decoding: style, as: UTF8.self))</style>\n")
        let allowed = policy.replacing(
            "style-src 'self'", with: "style-src 'self' \(Response.source(of: style))")
        var home = Response.asset(kinds["html"] ?? "text/html", Array(text.utf8), allowed)
        home.fields.append(Response.Field("Vary", "Cookie"))
        return home
    }()

    private static let kinds = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
        "webmanifest": "application/manifest+json",
    ]

    /// Allows only the relay's own files; Trusted Types prevent text from becoming markup.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        + "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'; "
        + "trusted-types worker"
}

enum PageRoutes {
    /// `GET /`: the page, or help to sign in.
    static func home(_ relay: isolated Relay, _ call: Call) -> Response? {
        guard relay.access.isSignedIn(call.request, call.context) else { return .signInHelp }
        return Page.home.unlessKnown(KnownTags(call.request))
    }

    /// `GET /page/{file}`: a static file of the page, without data of this relay.
    static func file(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        guard let response = Page.files[call.name] else {
            throw .notFound("the page has no file '\(call.name.prefix(64))'; open / for the page")
        }
        return response.unlessKnown(KnownTags(call.request))
    }

    /// `POST /qr`: the QR code of the text in the body, which is kept nowhere.
    static func drawCode(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        guard let text = String(validating: call.request.body, as: UTF8.self), !text.isEmpty,
            let code = QRCode(text)
        else { throw .malformed("send a text of 1 to 230 bytes of UTF-8") }
        return .json { json in
            json.add("size", Int64(code.size + 8))
            json.add("path", code.path)
        }
    }
}

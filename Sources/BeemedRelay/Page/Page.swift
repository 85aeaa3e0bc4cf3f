import BeemedDomain
import RelayHTTP
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of the web page, which are part of the program: HTML, style, modules, icons.
enum Page {
    /// The files below `/page/`, by name.
    static let files: [String: Response] = {
        var files: [String: Response] = [:]
        for (name, content) in contents {
            let kind = String(name.drop { $0 != "." }.dropFirst())
            var sent = content
            if kind == "js" { sent = ShortScript(condensed(content)).bytes }
            if kind == "css" { sent = PageStyle.short(content) }
            if name == "worker.js" { sent = versioned(sent) }
            files[name] = .asset(kinds[kind] ?? "application/octet-stream", sent, policy)
        }
        // A service worker below page/ must have the whole relay as its scope. The value is
        // resolved against the script's URL, so it holds below any prefix.
        files["worker.js"]?.fields.append(Response.Field("Service-Worker-Allowed", "../"))
        return files
    }()

    /// A module without its lines that are comments only, without indentation, and without line
    /// ends behind what goes on: all are for those who read the source. No text of a module may run
    /// over several lines, and no comment may follow what goes on.
    static func condensed(_ module: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        var isInside = false
        for line in module.split(separator: 0x0A, omittingEmptySubsequences: true) {
            let text = line.drop { $0 == 0x09 || $0 == 0x20 }
            if text.starts(with: "/**".utf8) { isInside = true }
            let isComment = isInside || text.starts(with: "//".utf8)
            if isInside, text.suffix(2).elementsEqual("*/".utf8) { isInside = false }
            if isComment { continue }
            kept += text
            if !(text.last.map(",{([".utf8.contains) ?? false) { kept.append(0x0A) }
        }
        return kept
    }

    /// The service worker with a digest of all files in place of `VERSION`: a browser installs it
    /// again only when it differs, and then keeps all files again.
    private static func versioned(_ worker: [UInt8]) -> [UInt8] {
        let digest = SHA256Digest.of(contents.flatMap { $0.content }).prefix(8)
        let text = String(decoding: worker, as: UTF8.self)
        return Array(text.replacing("VERSION", with: SHA256Digest.hex(digest)).utf8)
    }

    /// `GET /` for a browser that is signed in. Its style stands in it, allowed by its digest
    /// (Content Security Policy Level 3, section 8.3): the first paint waits for one answer, not
    /// for three.
    static let home: Response = {
        let style = String(
            decoding: PageStyle.common + PageStyle.short(EmbeddedFiles.file("page/app.css")),
            as: UTF8.self)
        let links = ["base.css", "app.css"].map {
            "<link rel=\"stylesheet\" href=\"page/\($0)\">\n"
        }
        let text = String(decoding: EmbeddedFiles.file("page/index.html"), as: UTF8.self)
            .replacing(links.joined(), with: "<style>\(style)</style>\n")
        let digest = Data(SHA256Digest.of(Array(style.utf8))).base64EncodedString()
        let allowed = policy.replacing(
            "style-src 'self'", with: "style-src 'self' 'sha256-\(digest)'")
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

    private static let contents = EmbeddedFiles.folder("page")
}

import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The manual and the API contract. They are part of the program, so that they describe the running
/// version, and are readable without internet access and without a token.
enum Manual {
    /// The parts that can be fetched.
    enum Part: Hashable, CaseIterable, Sendable {
        case page, style, script, contract

        var path: StaticString {
            switch self {
            case .page: "/docs"
            case .style: "/docs/manual.css"
            case .script: "/docs/manual.js"
            case .contract: "/openapi.yaml"
            }
        }

        fileprivate var kind: String {
            switch self {
            case .page: "text/html; charset=utf-8"
            case .style: "text/css; charset=utf-8"
            case .script: "text/javascript; charset=utf-8"
            case .contract: "application/yaml"
            }
        }
    }

    private static let page = ManualPage(
        template: EmbeddedFiles.file("manual/manual.html"),
        contract: EmbeddedFiles.file("openapi.yaml"))
    private static let style = response(.style, EmbeddedFiles.file("manual/manual.css"))
    private static let script = response(.script, EmbeddedFiles.file("manual/manual.js"))
    private static let contract = response(.contract, EmbeddedFiles.file("openapi.yaml"))

    /// The response for one part.
    ///
    /// - Parameter reader: the values to insert for this reader.
    static func response(_ part: Part, for reader: @autoclosure () -> ManualReader) -> Response {
        switch part {
        case .page: filled(for: reader())
        case .style: style
        case .script: script
        case .contract: contract
        }
    }

    /// The page with this reader's values.
    private static func filled(for reader: ManualReader) -> Response {
        response(.page, page.text(for: reader), tag: page.tag(for: reader))
    }

    private static func response(
        _ part: Part, _ body: [UInt8], tag: [UInt8]? = nil
    ) -> Response {
        .asset(part.kind, body, policy, tag: tag)
    }

    /// Allows only the relay's own style and script, and frames of the same origin.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
}

/// A cache of the filled manual, by the inserted values: most readers have the same ones.
final class ManualCache: LeafState {
    private var pages: [ManualReader: Response] = [:]

    /// Cached pages, at most.
    private static let most = 16

    /// The page for this reader.
    func page(for reader: ManualReader) -> Response {
        if let known = pages[reader] { return known }
        let made = Manual.response(.page, for: reader)
        if pages.count >= ManualCache.most { pages.removeAll(keepingCapacity: true) }
        pages[reader] = made
        return made
    }
}

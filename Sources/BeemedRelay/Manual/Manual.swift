import BeemedDomain
import RelayHTTP

/// The manual and the contract. They are part of the program, so that they are about the version
/// that runs, and can be read without the internet and without a token.
enum Manual {
    /// What can be fetched.
    enum Part: Hashable, CaseIterable, Sendable {
        case page, style, script, contract

        /// Where.
        var path: String {
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
        template: PackageResources.manual_html, contract: PackageResources.openapi_yaml)
    private static let style = response(.style, PackageResources.manual_css)
    private static let script = response(.script, PackageResources.manual_js)
    private static let contract = response(.contract, PackageResources.openapi_yaml)

    /// One part.
    ///
    /// - Parameter reader: what is filled in for whoever reads it.
    static func response(_ part: Part, for reader: @autoclosure () -> ManualReader) -> Response {
        switch part {
        case .page: filled(for: reader())
        case .style: style
        case .script: script
        case .contract: contract
        }
    }

    /// The page as that reader gets it.
    private static func filled(for reader: ManualReader) -> Response {
        response(.page, page.text(for: reader), tag: page.tag(for: reader))
    }

    private static func response(
        _ part: Part, _ body: [UInt8], tag: [UInt8]? = nil
    ) -> Response {
        .asset(part.kind, body, policy, tag: tag)
    }

    /// Nothing but our own style and script, and nobody's frame.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

/// The manual as it was last filled, by what was filled in: most who read it read the same.
struct ManualCache {
    private var pages: [ManualReader: Response] = [:]

    /// Pages remembered, at most.
    private static let most = 16

    /// The page for that reader.
    mutating func page(for reader: ManualReader) -> Response {
        if let known = pages[reader] { return known }
        let made = Manual.response(.page, for: reader)
        if pages.count >= ManualCache.most { pages.removeAll(keepingCapacity: true) }
        pages[reader] = made
        return made
    }
}

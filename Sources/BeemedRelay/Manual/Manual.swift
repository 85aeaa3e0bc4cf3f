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

extension Relay {
    /// `GET /docs`, its style and script, and `GET /openapi.yaml`.
    func manual(_ part: Manual.Part, _ request: Request, _ context: RequestContext) -> Response {
        let reader = { self.reader(request, context) }
        let response =
            part == .page ? manualCache.page(for: reader()) : Manual.response(part, for: reader())
        return response.unlessKnown(request.fields.joined(.ifNoneMatch))
    }

    /// `GET /docs/recipes/{file}`: a recipe, with this relay's address filled in.
    func recipe(_ file: String, _ request: Request, _ context: RequestContext) throws(Problem)
        -> Response
    {
        let recipe = ManualRecipe.named(file)
        guard let recipe else {
            throw .notFound("there is no recipe '\(file.prefix(64))'; /docs names them")
        }
        return recipe.response(for: reader(request, context, showsUrgent: false))
            .unlessKnown(request.fields.joined(.ifNoneMatch))
    }

    /// Whoever asks. The goal is the one asked for, else the owner's most urgent one: nobody else
    /// is told which goals there are.
    private func reader(
        _ request: Request, _ context: RequestContext, showsUrgent: Bool = true
    ) -> ManualReader {
        let asked = FormDecoder.pairs(request.target.query ?? "").first { $0.name == "goal" }
        var goal = asked.flatMap { GoalSlug($0.value) }
        if goal == nil, showsUrgent, isSignedIn(request, context) {
            let urgent = core.snapshot(at: context.moment, limit: 1).goals.first
            goal = urgent.flatMap { GoalSlug($0.goal.slug) }
        }
        return ManualReader(host: addressAtHome(context), isSecure: context.isSecure, goal: goal)
    }

    /// Where devices reach the relay: under the name that the reader uses, or, where that is this
    /// very machine, under its address in the home network. With a port where one is needed.
    func addressAtHome(_ context: RequestContext) -> String {
        let host = context.host ?? "\(settings.listen.reachable)"
        guard HostCheck.isThisMachine(host), let endpoint, !endpoint.address.isLoopback else {
            return host
        }
        return "\(endpoint)"
    }
}

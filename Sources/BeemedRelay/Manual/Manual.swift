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
        case .page: response(.page, page.text(for: reader()))
        case .style: style
        case .script: script
        case .contract: contract
        }
    }

    private static func response(_ part: Part, _ body: [UInt8]) -> Response {
        let digest = SHA256Digest.of(body).prefix(8)
        let tag = digest.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
        return Response(
            status: 200,
            fields: [
                Response.Field("Content-Type", part.kind), Response.Field("ETag", "\"\(tag)\""),
                Response.Field("Cache-Control", "no-cache"),
                Response.Field("Content-Security-Policy", policy),
                Response.Field("Referrer-Policy", "no-referrer"),
            ], body: body)
    }

    /// Nothing but our own style and script, and nobody's frame.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"
}

extension Relay {
    /// `GET /docs`, its style and script, and `GET /openapi.yaml`.
    func manual(_ part: Manual.Part, _ request: Request, _ context: RequestContext) -> Response {
        Manual.response(part, for: reader(request, context))
            .unlessKnown(request.fields.joined(.ifNoneMatch))
    }

    /// Whoever asks. The goal is the one asked for, else the owner's most urgent one: nobody else
    /// is told which goals there are.
    private func reader(_ request: Request, _ context: RequestContext) -> ManualReader {
        let asked = FormDecoder.pairs(request.target.query ?? "").first { $0.name == "goal" }
        var goal = asked.flatMap { GoalSlug($0.value) }
        if goal == nil, let session = Credentials.session(in: request),
            access.sessions.holds(session, at: context.moment.wall)
        {
            let urgent = core.snapshot(at: context.moment, limit: 1).goals.first
            goal = urgent.flatMap { GoalSlug($0.goal.slug) }
        }
        return ManualReader(
            host: context.host ?? "\(settings.listen.reachable)", isSecure: context.isSecure,
            goal: goal
        )
    }
}

package import RelayHTTP

/// The routes by path.
package struct RouteTable: Sendable {
    /// The routes of one path.
    package final class Path: Sendable {
        /// As in the contract: `/log/{goal}`.
        package let pattern: String
        let routes: [Route]

        /// The route of a method; GET includes HEAD.
        package func route(_ method: Method) -> Route? {
            let method = method == .head ? .get : method
            return routes.first { $0.method == method }
        }

        /// The allowed methods. OPTIONS is always allowed.
        var methods: [Method] {
            Method.all.filter { $0 == .options || route($0) != nil }
        }

        func contains(_ trait: Route.Traits) -> Bool {
            routes.contains { !$0.traits.isDisjoint(with: trait) }
        }

        /// Nil for the one that is a name.
        fileprivate let segments: [String?]

        fileprivate init(_ routes: [Route]) {
            (pattern, self.routes) = (routes[0].pattern, routes)
            segments = RouteTable.segments(pattern).map { $0.first == "{" ? nil : String($0) }
        }
    }

    let paths: [Path]

    init(_ routes: [Route]) {
        paths = Dictionary(grouping: routes, by: \.pattern).values.map(Path.init)
    }

    /// The path that a request's one stands for, and the name in it, decoded; or nil. Segments are
    /// decoded one by one, so an encoded slash stays part of its segment. A trailing slash is
    /// allowed, and so are several at the beginning, as of a device that appends `/log` to an
    /// address that ends with one.
    package func match(_ path: String) -> (path: Path, name: String?)? {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= RouteTable.maxPathBytes
        else { return nil }
        let segments = RouteTable.segments(path).map { FormDecoder.decode($0, plusIsBlank: false) }
        for path in paths where path.segments.count == segments.count {
            var name: String?
            let isMatch = zip(path.segments, segments).allSatisfy { expected, given in
                if let expected { return expected == given }
                name = given
                return !given.isEmpty
            }
            if isMatch { return (path, name) }
        }
        return nil
    }

    /// The route of a request, the path that it names and the name in it; no route for OPTIONS.
    func match(
        _ request: Request
    ) throws(Problem) -> (route: Route?, path: Path, name: String?) {
        guard let match = match(request.target.path) else {
            throw .notFound("there is nothing at this path; try POST /log/GOAL, or read /docs")
        }
        let route = match.path.route(request.method)
        guard route != nil || request.method == .options else {
            if case .other(let token) = request.method, !RouteTable.knownMethods.contains(token) {
                throw Problem(
                    .unknownMethod, "'\(token)' is not supported; use GET, POST, PUT or DELETE")
            }
            let isPress = match.path.routes.contains { $0.takesTokenInBody }
            throw .methodNotAllowed(
                match.path.methods,
                hint: isPress && request.method == .get ? RouteTable.triggerHint : "")
        }
        return (route, match.path, match.name)
    }

    /// The pattern to show in place of a path that is not shown; nil for any other.
    func shownPath(of path: String) -> String? {
        let beginning = String(decoding: path.utf8.prefix(RouteTable.maxPathBytes), as: UTF8.self)
        guard let match = match(beginning), match.path.contains(.hidesTarget) else { return nil }
        return match.path.pattern
    }

    /// By bytes, and no more than any route has: to split a long path would take longer than to
    /// refuse it. There are none of slashes alone.
    private static func segments(_ path: String) -> [Substring] {
        let slash = UInt8(ascii: "/")
        var rest = path.utf8.drop { $0 == slash }
        guard !rest.isEmpty || path == "/" else { return [] }
        if rest.last == slash { rest.removeLast() }
        let parts = rest.split(
            separator: slash, maxSplits: maxSegments, omittingEmptySubsequences: false)
        return parts.map(Substring.init)
    }

    /// More segments than any route has.
    private static let maxSegments = 4
    /// A longer path has no route, in bytes: a name has 64 characters, or is told to be none.
    private static let maxPathBytes = 2_048

    private static let triggerHint =
        "; what can only fetch a URL logs by GET /log/GOAL/trigger"

    /// Registered methods without support: 405, and not 501 as unknown ones (RFC 9110 section 9.1).
    private static let knownMethods: Set<String> = ["TRACE", "CONNECT", "QUERY"]
}

extension Method {
    static let all: [Method] = [.get, .head, .post, .put, .patch, .delete, .options]
}

/// A line of the table of routes: a method at a path, and all that the relay knows about it. A
/// class, since a route never changes: each request would copy all of it.
package final class Route: Sendable {
    /// Answers a request; nil when the answer follows later.
    package typealias Handler = @Sendable (isolated Relay, Call) throws(Problem) -> Response?
    /// The other properties of a route.
    package struct Traits: OptionSet, Sendable {
        /// A bit for each trait.
        package let rawValue: UInt16

        /// Traits by their bits.
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// A plain GET changes it, for devices that can only fetch a URL.
        package static let changesByGet = Traits(rawValue: 1)
        /// A GET that has a one-time code, or gets one.
        package static let signsIn = Traits(rawValue: 2)
        /// Its content is kept to be shown: it says why a press or a day of health data is missing.
        package static let showsContent = Traits(rawValue: 4)
        /// Its path and query are not shown: a token or a service's address may be in them.
        package static let hidesTarget = Traits(rawValue: 8)
        /// A method that usually changes something changes nothing here.
        package static let isRead = Traits(rawValue: 16)
        /// Answered as soon as the disk allows, and does not wait for Beeminder.
        package static let isPrompt = Traits(rawValue: 32)
        /// Its path names an entry, which is there if this succeeds.
        package static let isEntry = Traits(rawValue: 128)
        /// Its answer may take as long as the client likes.
        package static let isLong = Traits(rawValue: 64)
        /// The token may be a field of the press, so that the handler identifies the sender.
        fileprivate static let isPress = Traits(rawValue: 256)
        /// The traits of a route for one press.
        static let press: Traits = [.isPress, .showsContent, .isPrompt]
    }

    let method: Method
    /// Whether a success changes nothing, so that it need not be kept to be shown.
    package let isRead: Bool
    /// The path, as in the contract: `/log/{goal}`.
    let pattern: String
    /// The right that its sender must have; nil for a route that requires no token.
    package let right: Right?
    /// The parameters that its query may have; nil where clients add their own: devices to the
    /// address that they fetch for a press, webhooks, browsers and monitors to that of a page or a
    /// check. There unknown ones are a part of the press, or change nothing.
    package let parameters: [String]?
    /// Maximum content length, in bytes: a device's whole queue may come at once.
    package let bodyBytes: Int
    /// The advice for content that is longer; nil for the general words.
    let tooLarge: String?
    /// The other properties.
    package let traits: Traits
    let handle: Handler

    /// A route that requires a token with this right. Its handler finds the sender in the call.
    package init(
        _ method: Method, _ pattern: String, _ right: Right?, query: [String]? = [],
        bodyBytes: Int = Relay.smallBodyBytes, tooLarge: String? = nil, _ traits: Traits = [],
        handle: @escaping Handler
    ) {
        (self.method, self.pattern, self.right) = (method, pattern, right)
        parameters = traits.contains(.isPress) ? nil : query
        (self.bodyBytes, self.tooLarge) = (bodyBytes, tooLarge)
        (self.traits, self.handle) = (traits, handle)
        isRead =
            traits.contains(.isRead)
            || method == .get && traits.isDisjoint(with: [.changesByGet, .signsIn])
    }

    /// A route that requires no token.
    package convenience init(
        open method: Method, _ pattern: String, _ traits: Traits = [],
        handle: @escaping Handler
    ) {
        self.init(method, pattern, nil, query: nil, traits, handle: handle)
    }

    /// Whether the token may be in the content if the head has none.
    package var takesTokenInBody: Bool { traits.contains(.isPress) }

    /// Refuses a query with a parameter that would be ignored: a filter that was mistyped would
    /// show everything, and a dry run that was mistyped would be none.
    func check(query: String) throws(Problem) {
        guard let parameters else { return }
        for (name, _) in FormDecoder.pairs(query) where !parameters.contains(name) {
            guard name != "token" else { continue }
            // A name may be all of a secret there.
            let shown =
                traits.contains(.hidesTarget)
                ? "of this name" : "'\(Redaction.text(String(name.prefix(40))))'"
            let others = parameters.map { "'\($0)'" }.joined(separator: ", ")
            throw .malformed(
                "unknown parameter \(shown) here; "
                    + (parameters.isEmpty ? "leave it out" : "this path takes \(others)"))
        }
    }
}

import RelayHTTP

/// What a path names.
enum Resource: Equatable {
    case log(goal: String?)
    case trigger(goal: String)
    case undo(goal: String)
    case events
    case event(id: String)
    case retry(event: String)
    case goals
    case goalRefresh
    case pins
    case pin(goal: String)
    case presets
    case preset(name: String)
    case context
    case contextStream
    case flush
    case connection
    case oauthStart
    case oauthCallback
    case devices
    case device(name: String)
    case rotation(device: String)
    case home
    case page(file: String)
    case recipe(file: String)
    case login
    case logout
    case sessions
    case ownerLink
    case requests
    case metrics
    case health
    case manual(Manual.Part)

    /// What a path names, or nil. Letters that need no encoding may be encoded all the same
    /// (RFC 3986 section 6.2.2.2), and a slash may stand at the end.
    init?(path: String) {
        if let exact = Resource(exact: path) {
            self = exact
            return
        }
        guard let usual = Resource.usual(path), let resource = Resource(exact: usual) else {
            return nil
        }
        self = resource
    }

    /// A path as it is usually written; nil when it is so already.
    private static func usual(_ path: String) -> String? {
        var usual = PathEscapes.decodingUnreserved(path)
        if usual.utf8.count > 1, usual.hasSuffix("/") { usual.removeLast() }
        return usual == path || usual == "/" ? nil : usual
    }

    /// Whether it can be changed by a plain GET, for devices that can only fetch a URL.
    var changesByGet: Bool {
        switch self {
        case .trigger, .undo: true
        default: false
        }
    }

    /// What a path names as it stands. Segments are percent-decoded one by one, so an encoded slash
    /// stays part of its segment.
    private init?(exact path: String) {
        switch path {
        case "/log": self = .log(goal: nil)
        case "/events": self = .events
        case "/context": self = .context
        case "/context/stream": self = .contextStream
        case "/goals": self = .goals
        case "/goals/refresh": self = .goalRefresh
        case "/pins": self = .pins
        case "/presets": self = .presets
        case "/flush": self = .flush
        case "/connection": self = .connection
        case "/oauth/start": self = .oauthStart
        case "/oauth/callback": self = .oauthCallback
        case "/devices": self = .devices
        case "/": self = .home
        case "/login": self = .login
        case "/logout": self = .logout
        case "/sessions": self = .sessions
        case "/owner-link": self = .ownerLink
        case "/requests": self = .requests
        case "/metrics": self = .metrics
        case "/healthz": self = .health
        case "/docs": self = .manual(.page)
        case "/docs/manual.css": self = .manual(.style)
        case "/docs/manual.js": self = .manual(.script)
        case "/openapi.yaml": self = .manual(.contract)
        default:
            let segments = path.dropFirst().split(
                separator: "/", omittingEmptySubsequences: false)
            guard segments.count >= 2, !segments[1].isEmpty else { return nil }
            let name = FormDecoder.decode(segments[1], plusIsBlank: false)
            switch (segments[0], segments.dropFirst(2).joined(separator: "/")) {
            case ("log", "") where segments.count == 2: self = .log(goal: name)
            case ("log", "trigger"): self = .trigger(goal: name)
            case ("log", "undo"): self = .undo(goal: name)
            case ("events", "") where segments.count == 2: self = .event(id: name)
            case ("events", "retry"): self = .retry(event: name)
            case ("pins", "") where segments.count == 2: self = .pin(goal: name)
            case ("presets", "") where segments.count == 2: self = .preset(name: name)
            case ("devices", "") where segments.count == 2: self = .device(name: name)
            case ("devices", "rotate"): self = .rotation(device: name)
            case ("page", "") where segments.count == 2: self = .page(file: name)
            case ("docs", let file) where name == "recipes" && segments.count == 3:
                self = .recipe(file: file)
            default: return nil
            }
        }
    }

    /// What can be done with it. HEAD goes with GET; OPTIONS with everything.
    var methods: [Method] {
        switch self {
        case .log: [.post, .put, .options]
        case .undo: [.get, .head, .post, .options]
        case .event: [.get, .head, .delete, .options]
        case .events: [.get, .head, .post, .options]
        case .preset: [.get, .head, .put, .delete, .options]
        case .pin: [.put, .delete, .options]
        case .trigger, .context, .contextStream, .goals, .pins, .presets, .home, .page, .recipe,
            .login, .requests, .metrics, .health, .manual, .oauthStart:
            [.get, .head, .options]
        case .retry, .goalRefresh, .flush, .logout, .ownerLink: [.post, .options]
        case .connection: [.get, .head, .put, .delete, .options]
        case .oauthCallback: [.get, .head, .post, .options]
        case .devices: [.get, .head, .post, .options]
        case .device: [.put, .delete, .options]
        case .sessions: [.delete, .options]
        case .rotation: [.post, .options]
        }
    }
}

extension Resource {
    /// What else there is for whoever came with the wrong method.
    fileprivate func hint(for method: Method) -> String {
        guard case .log = self, method == .get else { return "" }
        return "; what can only fetch a URL logs by GET /log/GOAL/trigger"
    }
}

extension Relay {
    /// Every route of the relay: one switch over what is asked for and how.
    ///
    /// - Returns: the answer, or nil when it follows later.
    /// - Throws: `Problem`, the refusal.
    func route(_ exchange: Exchange, _ now: RequestContext) throws(Problem) -> Response? {
        let request = exchange.request
        guard request.target != .server else { return Relay.options(Relay.allMethods) }
        let resource: Resource
        do throws(Problem) {
            resource = try Relay.resource(request)
        } catch {
            throw access.tooManyOpen(now) ?? error
        }
        guard request.method != .options else { return Relay.options(resource.methods) }
        if resource.isOpen, let problem = access.tooManyOpen(now) { throw problem }
        switch resource {
        case .log(let goal): return try log(exchange, goal: goal, now)
        case .trigger(let goal): return try trigger(exchange, goal: goal, now)
        case .undo(let goal): return try undoLast(exchange, goal: goal, now)
        case .events where request.method == .post: return try events(exchange, now)
        case .events: return try listEvents(request, now)
        case .event(let id) where request.method == .delete: return try undo(id, exchange, now)
        case .event(let id): return try event(id, request, now)
        case .retry(let id): return try retry(id, exchange, now)
        case .goals: return try goals(request, now)
        case .goalRefresh: return try refreshGoals(request, now)
        case .pins: return try pins(request, now)
        case .pin(let goal): return try pin(goal, exchange, now)
        case .presets: return try presets(request, now)
        case .preset(let name): return try preset(name, request, now)
        case .context: return try context(exchange, now)
        case .contextStream: return try stream(exchange, now)
        case .flush: return try flush(request, now)
        case .connection: return try connection(exchange, now)
        case .oauthStart: return try beginAuthorization(request, now)
        case .oauthCallback: return try endAuthorization(exchange, now)
        case .devices: return try devices(request, now)
        case .device(let name) where request.method == .put:
            return try adoptDevice(name, request, now)
        case .device(let name): return try removeDevice(name, request, now)
        case .rotation(let name): return try rotateDevice(name, request, now)
        case .home: return home(request, now)
        case .page(let file): return try page(file, request)
        case .recipe(let file): return try recipe(file, request, now)
        case .login: return try signIn(request, now)
        case .logout: return try signOut(request, now)
        case .sessions: return try signOutEverywhere(request, now)
        case .ownerLink: return try ownerLink(request, now)
        case .requests: return try showRequests(request, now)
        case .metrics: return try showMetrics(request, now)
        case .health: return health(request, now)
        case .manual(let part): return manual(part, request, now)
        }
    }

    /// What a request asks for.
    ///
    /// - Throws: `Problem` when there is no such thing, or it cannot be used so.
    static func resource(_ request: Request) throws(Problem) -> Resource {
        guard let resource = Resource(path: request.target.path) else {
            throw .notFound("there is nothing at this path; try POST /log/GOAL, or read /docs")
        }
        guard resource.methods.contains(request.method) else {
            if case .other(let token) = request.method, !Relay.knownMethods.contains(token) {
                throw Problem(
                    .unknownMethod, "'\(token)' is no method here; use GET, POST, PUT or DELETE")
            }
            throw .methodNotAllowed(resource.methods, hint: resource.hint(for: request.method))
        }
        return resource
    }

    /// Registered methods that nothing here takes: 405 and not 501, which is for the unknown
    /// (RFC 9110 section 9.1).
    private static let knownMethods: Set<String> = ["TRACE", "CONNECT", "QUERY"]
    private static let allMethods: [Method] = [.get, .head, .post, .put, .delete, .options]

    private static func options(_ methods: [Method]) -> Response {
        let list = methods.map(\.token).joined(separator: ", ")
        return Response(status: 200, fields: [Response.Field("Allow", list)])
    }
}

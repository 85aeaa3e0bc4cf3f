import RelayHTTP

extension Relay {
    /// Every route of the relay: one switch over resource and method.
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
        case .export: return try export(exchange, now)
        case .importing: return try importEvents(exchange, now)
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
        case .qrCode: return try drawCode(request, now)
        case .requests: return try showRequests(request, now)
        case .metrics: return try showMetrics(request, now)
        case .health: return health(request, now)
        case .manual(let part): return manual(part, request, now)
        }
    }

    /// The resource that a request names.
    ///
    /// - Throws: `Problem` when it does not exist or does not allow the method.
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

    /// Registered methods that the relay does not support: 405 and not 501, which is for unknown
    /// ones (RFC 9110 section 9.1).
    private static let knownMethods: Set<String> = ["TRACE", "CONNECT", "QUERY"]
    private static let allMethods: [Method] = [.get, .head, .post, .put, .delete, .options]

    private static func options(_ methods: [Method]) -> Response {
        let list = methods.map(\.token).joined(separator: ", ")
        return Response(status: 200, fields: [Response.Field("Allow", list)])
    }
}

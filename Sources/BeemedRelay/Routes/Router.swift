import RelayHTTP

extension Relay {
    /// Every route of the relay: one switch over resource and method.
    ///
    /// - Returns: the answer, or nil when it follows later.
    /// - Throws: `Problem`, the refusal.
    func route(_ call: Call) throws(Problem) -> Response? {
        guard call.request.target != .server else { return Relay.options(Relay.allMethods) }
        let resource: Resource
        do throws(Problem) {
            resource = try Relay.resource(call.request)
        } catch {
            throw access.tooManyOpen(call.context) ?? error
        }
        call.entry.route = resource.route
        guard call.request.method != .options else { return Relay.options(resource.methods) }
        if resource.isOpen, let problem = access.tooManyOpen(call.context) { throw problem }
        switch resource {
        case .log(let goal): return try log(call, goal: goal)
        case .trigger(let goal): return try trigger(call, goal: goal)
        case .undo(let goal): return try undoLast(call, goal: goal)
        case .events where call.request.method == .post: return try events(call)
        case .events: return try listEvents(call)
        case .event(let id) where call.request.method == .delete: return try undo(id, call)
        case .event(let id): return try event(id, call)
        case .retry(let id): return try retry(id, call)
        case .goals: return try goals(call)
        case .goalRefresh: return try refreshGoals(call)
        case .pins: return try pins(call)
        case .pin(let goal): return try pin(goal, call)
        case .presets: return try presets(call)
        case .preset(let name): return try preset(name, call)
        case .context: return try context(call)
        case .contextStream: return try stream(call)
        case .flush: return try flush(call)
        case .connection: return try connection(call)
        case .oauthStart: return try beginAuthorization(call)
        case .oauthCallback: return try endAuthorization(call)
        case .devices: return try devices(call)
        case .device(let name) where call.request.method == .put:
            return try adoptDevice(name, call)
        case .device(let name): return try removeDevice(name, call)
        case .rotation(let name): return try rotateDevice(name, call)
        case .home: return home(call)
        case .page(let file): return try page(file, call)
        case .recipe(let file): return try recipe(file, call)
        case .login: return try signIn(call)
        case .logout: return try signOut(call)
        case .sessions: return try signOutEverywhere(call)
        case .ownerLink: return try ownerLink(call)
        case .requests: return try showRequests(call)
        case .metrics: return try showMetrics(call)
        case .settings: return try showSettings(call)
        case .health: return health(call)
        case .ready: return ready(call)
        case .manual(let part): return manual(part, call)
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

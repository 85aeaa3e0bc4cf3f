import RelayHTTP

extension Relay {
    /// Every route of the relay.
    ///
    /// - Returns: the answer, or nil when it follows later.
    /// - Throws: `Problem`, the refusal.
    func route(_ call: Call) throws(Problem) -> Response? {
        guard !call.request.target.isServer else { return Relay.options(Relay.allMethods) }
        let resource = try resource(of: call)
        call.route = resource.route
        call.showsContent = resource.showsContent
        guard call.request.method != .options else { return Relay.options(resource.methods) }
        if resource.isOpen, let problem = access.tooManyOpen(call.context) { throw problem }
        if !call.request.body.isEmpty, let problem = Relay.codingProblem(of: call.request) {
            throw try refusal(ofUnreadable: call, problem)
        }
        return try handle(resource, call)
    }

    /// The refusal of compressed content (RFC 9110 section 15.5.16); nil for any other.
    private static func codingProblem(of request: Request) -> Problem? {
        let isPlain = request.fields.isWord(.identity, of: .contentEncoding)
        let given = request.fields.allBytes(of: .contentEncoding)
        guard let coding = given.first(where: { !$0.isEmpty }), !isPlain || given.count > 1 else {
            return nil
        }
        let name = String(decoding: coding.prefix(40), as: UTF8.self)
        return Problem(.contentEncoding, "send the body as it is, without '\(name)'")
    }

    /// What the path of a request names.
    func resource(of call: Call) throws(Problem) -> Resource {
        if let known = call.known.resource { return known }
        do throws(Problem) {
            let resource = try Resource(of: call.request)
            call.known.resource = resource
            return resource
        } catch {
            throw access.tooManyOpen(call.context) ?? error
        }
    }

    private func handle(_ resource: Resource, _ call: Call) throws(Problem) -> Response? {
        switch resource {
        case .log(let goal): try log(call, goal: goal)
        case .trigger(let goal): try trigger(call, goal: goal)
        case .undo(let goal): try undoLast(call, goal: goal)
        case .events: try events(call)
        case .event(let id): try event(id, call)
        case .retry(let id): try retry(id, call)
        case .goals: try goals(call)
        case .goalRefresh: try refreshGoals(call)
        case .pins: try pins(call)
        case .pin(let goal): try pin(goal, call)
        case .presets: try presets(call)
        case .preset(let name): try preset(name, call)
        case .healthData, .seenMetrics, .rules, .rule: try handleHealth(resource, call)
        case .export: try export(call)
        case .importing: try importEvents(call)
        case .context: try context(call)
        case .contextStream: try stream(call)
        case .flush: try flush(call)
        case .connection: try connection(call)
        case .oauthStart, .oauthCallback: try authorize(resource, call)
        case .devices, .device, .rotation, .expectation: try handleDevices(resource, call)
        case .reminders(let part): try handleReminders(part, call)
        case .goalReminder(let goal): try goalReminder(goal, call)
        case .home: home(call)
        case .page(let file): try page(file, call)
        case .recipe(let file): try recipe(file, call)
        case .login: try signIn(call)
        case .logout: try signOut(call)
        case .sessions: try signOutEverywhere(call)
        case .ownerLink: try ownerLink(call)
        case .requests: try showRequests(call)
        case .metrics: try showMetrics(call)
        case .qrCode: try drawCode(call)
        case .settings: try showSettings(call)
        case .healthCheck, .ready: resource == .ready ? ready(call) : healthCheck(call)
        case .manual(let part): manual(part, call)
        }
    }

    private func authorize(_ resource: Resource, _ call: Call) throws(Problem) -> Response? {
        resource == .oauthStart ? try beginAuthorization(call) : try endAuthorization(call)
    }

    private func handleDevices(_ resource: Resource, _ call: Call) throws(Problem) -> Response? {
        switch resource {
        case .device(let name): try device(name, call)
        case .rotation(let name): try rotateDevice(name, call)
        case .expectation(let name): try expectDevice(name, call)
        default: try devices(call)
        }
    }

    /// Health data and its rules.
    private func handleHealth(_ resource: Resource, _ call: Call) throws(Problem) -> Response? {
        switch resource {
        case .seenMetrics: try seenMetrics(call)
        case .rules: try rules(call)
        case .rule(let name): try rule(name, call)
        default: try receiveHealth(call)
        }
    }

    private static let allMethods: [Method] = [
        .get, .head, .post, .put, .patch, .delete, .options,
    ]

    private static func options(_ methods: [Method]) -> Response {
        let list = methods.map(\.token).joined(separator: ", ")
        return Response(status: 200, fields: [Response.Field("Allow", list)])
    }
}

import BeemedDomain
import RelayHTTP

/// The way of a request from its head to its handler.
extension Relay {
    /// Maximum content length of most requests, in bytes.
    package static let smallBodyBytes = 65_536
    /// The same for a press without a token in its head. Anybody can send one, and it is read
    /// before its sender is known.
    static let strangerBodyBytes = 2_048

    /// Decides by the head whether to read the content: an unauthenticated request is answered
    /// without it, and no client sends content that would be refused anyway.
    func admit(_ request: Request, from peer: Endpoint) -> Admission {
        var context = access.clients.proxies.context(
            request, from: peer.address, at: clock())
        let entry = RequestEntry(request, from: context.peer, at: context.moment.wall)
        do throws(Problem) {
            guard !hasFailed else { throw .outcomeUnknown }
            try access.clients.admit(context)
            guard !request.target.isServer else { return .body(atMost: 0) }
            guard let route = try routes.match(request).route, let right = route.right else {
                return .body(atMost: Relay.strangerBodyBytes)
            }
            context.changesByGet = route.traits.contains(.changesByGet)
            if let device = try access.device(of: request, context) {
                entry.device = device.name.description
                // Routes that reserve much memory; all others check it when they are routed.
                if route.bodyBytes > Relay.smallBodyBytes, !device.may(right) {
                    throw .lacking(right, device.name)
                }
                if let words = route.tooLarge, request.declaredBytes ?? 0 > route.bodyBytes {
                    throw Problem(.tooLarge, words)
                }
                return .body(atMost: route.bodyBytes)
            }
            guard route.takesTokenInBody else { throw access.refusal(request, context) }
            guard request.declaredBytes ?? 0 <= Relay.strangerBodyBytes else {
                throw .tooLargeForStrangers
            }
            return .body(atMost: Relay.strangerBodyBytes)
        } catch {
            let response = records.refusal(of: entry, error)
            records.add(entry)
            return .refuse(response)
        }
    }

    /// The way of every request from its path to its handler; nil when the answer follows later.
    func route(_ call: Call) throws(Problem) -> Response? {
        let route: Route
        if let known = heads.head(of: call, devices: access.revision) {
            route = known.route
            call.assign(known)
            let seconds = call.moment.wall.seconds
            if known.seenAt != seconds { access.recordSeen(known.sender.device, at: call.moment) }
            known.seenAt = seconds
        } else {
            switch try lookUp(call) {
            case .route(let found): route = found
            case .answer(let response): return response
            }
        }
        // The token of a press may be in its content: its handler authenticates it.
        if let right = route.right, !route.takesTokenInBody { try authenticate(call, right) }
        return try route.handle(self, call)
    }

    private enum LookUp {
        case route(Route)
        /// The question was which methods there are, or nothing is done.
        case answer(Response)
    }

    /// Finds the route of a request, and checks what a known head has been checked for.
    private func lookUp(_ call: Call) throws(Problem) -> LookUp {
        if call.request.method == .options { try access.limitUnauthenticated(call.context) }
        guard !call.request.target.isServer else { return .answer(Relay.options(Method.all)) }
        let route: Route
        do throws(Problem) {
            let (found, path, name) = try routes.match(call.request)
            guard let found else { return .answer(Relay.options(path.methods)) }
            call.assign(found, name: name)
            route = found
        } catch {
            try access.limitUnauthenticated(call.context)
            throw error
        }
        if route.right == nil || call.isLook { try access.limitUnauthenticated(call.context) }
        guard !call.isLook else {
            return .answer(
                .text(200, "Nothing is done by looking: fetch this, or open it in a browser."))
        }
        if let problem = Relay.codingProblem(of: call.request) {
            throw try refusal(ofUnreadable: call, problem)
        }
        return .route(route)
    }

    /// The refusal of compressed content (RFC 9110 section 15.5.16); nil for any other.
    private static func codingProblem(of request: Request) -> Problem? {
        if request.body.isEmpty { return nil }
        let isPlain = request.fields.isWord(.identity, of: .contentEncoding)
        let given = request.fields.allBytes(of: .contentEncoding)
        guard let coding = given.first(where: { !$0.isEmpty }), !isPlain || given.count > 1 else {
            return nil
        }
        let name = String(decoding: coding.prefix(40), as: UTF8.self)
        return Problem(.contentEncoding, "send the body as it is, without '\(name)'")
    }

    private static func options(_ methods: [Method]) -> Response {
        let list = methods.map(\.token).joined(separator: ", ")
        return Response(status: 200, fields: [Response.Field("Allow", list)])
    }

    // MARK: Senders

    /// The refusal of a request whose content cannot be read: an invalid token is reported first.
    func refusal(ofUnreadable call: Call, _ error: Problem) throws(Problem) -> Problem {
        guard try identifySender(of: call) == nil else { return error }
        return access.tooManyFailures(call.context) ?? error
    }

    /// Identifies the sender, and checks its rights; then the rest of the head, unless it is known.
    ///
    /// - Parameter bodyToken: a token in the body, for devices that can put one nowhere else.
    func authenticate(_ call: Call, _ right: Right, bodyToken: String? = nil) throws(Problem) {
        guard let sender = try identifySender(of: call, bodyToken: bodyToken) else {
            throw access.refusal(call.request, call.context)
        }
        try access.permit(sender, right, at: call.moment)
        if call.known == nil { try checkHead(of: call) }
    }

    /// Checks the query and the conditions of a request, and remembers its head.
    private func checkHead(of call: Call) throws(Problem) {
        if let query = call.request.target.query { try call.route?.check(query: query) }
        if try !Conditions.check(call, in: self) {
            call.known = heads.remember(call, devices: access.revision)
        }
    }

    /// Identifies the sender; nil when the request carries no token.
    func identifySender(of call: Call, bodyToken: String? = nil) throws(Problem) -> Sender? {
        if let known = call.sender { return known }
        let device = try access.device(of: call.request, bodyToken: bodyToken, call.context)
        guard let device else { return nil }
        let sender = Sender(device)
        call.assign(sender)
        return sender
    }
}

extension Problem {
    static let tooLargeForStrangers = Problem(
        .tooLarge,
        "without a token in the head at most \(Relay.strangerBodyBytes) bytes are read; send the "
            + "token as 'Authorization: Bearer TOKEN'")
}

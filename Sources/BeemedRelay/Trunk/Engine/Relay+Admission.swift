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
            request, from: peer.address, clock(), .now)
        let entry = RequestLog.Entry(request, from: context.peer, at: context.moment.wall)
        do throws(Problem) {
            guard !hasFailed else { throw .outcomeUnknown }
            try access.clients.admit(context)
            guard !request.target.isServer else { return .body(atMost: 0) }
            guard let route = try routes.match(request).route, let right = route.right else {
                return .body(atMost: Relay.strangerBodyBytes)
            }
            context.changesByGet = route.traits.contains(.changesByGet)
            if let device = try access.identifySender(of: request, context) {
                entry.device = device.name.description
                // Routes that reserve much memory; all others check it when they are routed.
                if route.bodyBytes > Relay.smallBodyBytes {
                    try access.checkRight(device, right)
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
        if call.request.method == .options { try access.limitUnauthenticated(call.context) }
        guard !call.request.target.isServer else { return Relay.options(Method.all) }
        let (match, route) = try match(call)
        call.route = match.path.pattern
        guard let route else { return Relay.options(match.path.methods) }
        call.assign(route, match)
        if route.right == nil { try access.limitUnauthenticated(call.context) }
        if !call.request.body.isEmpty, let problem = Relay.codingProblem(of: call.request) {
            throw try refusal(ofUnreadable: call, problem)
        }
        if let right = route.right, !route.takesTokenInBody { _ = try authenticate(call, right) }
        return try route.handle(self, call)
    }

    private func match(_ call: Call) throws(Problem) -> (RouteTable.Match, Route?) {
        if let known = knownHead(of: call) { return (known.match, known.route) }
        do throws(Problem) {
            return try routes.match(call.request)
        } catch {
            try access.limitUnauthenticated(call.context)
            throw error
        }
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

    /// Identifies the sender, and checks its rights and the conditions of the request.
    ///
    /// - Parameter bodyToken: a token in the body, for devices that can put one nowhere else.
    func authenticate(
        _ call: Call, _ right: Right, bodyToken: String? = nil
    ) throws(Problem) -> Device {
        guard let device = try identifySender(of: call, bodyToken: bodyToken) else {
            throw access.refusal(call.request, call.context)
        }
        try access.permit(device, right, call.context)
        if let query = call.request.target.query {
            try call.asked?.check(query: query)
        }
        try Conditions.check(call, in: self)
        return device
    }

    /// Identifies the sender; nil when the request carries no token.
    func identifySender(of call: Call, bodyToken: String? = nil) throws(Problem) -> Device? {
        if let known = knownHead(of: call)?.sender {
            access.recordSeen(known, call.context)
            (call.device, call.sender) = (known.name.description, known)
            return known
        }
        let device = try access.identifySender(
            of: call.request, bodyToken: bodyToken, call.context)
        if let device {
            (call.device, call.sender) = (device.name.description, device)
            rememberHead(of: call, from: device)
        }
        return device
    }
}

extension Problem {
    static let tooLargeForStrangers = Problem(
        .tooLarge,
        "without a token in the head at most \(Relay.strangerBodyBytes) bytes are read; send the "
            + "token as 'Authorization: Bearer TOKEN'")
}

import BeemedDomain
import RelayHTTP

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
            guard !shutdown.hasFailed else { throw .outcomeUnknown }
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
}

extension Problem {
    static let tooLargeForStrangers = Problem(
        .tooLarge,
        "without a token in the head at most \(Relay.strangerBodyBytes) bytes are read; send the "
            + "token as 'Authorization: Bearer TOKEN'")
}

extension Relay {
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
        try checkConditions(of: call)
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
            heads.remember(headOf: call, from: device, devices: access.revision)
        }
        return device
    }

    /// The known facts about the head of a request, unless a device has changed since.
    func knownHead(of call: Call) -> KnownHead? { heads.head(of: call, devices: access.revision) }
}

/// Conditions on writes (RFC 9110 section 13.1): a method is not performed when they are false.
extension Relay {
    /// Checks the conditions of a request that writes. No resource that can be written has an
    /// ETag, so no ETag matches: only whether the resource is there can decide otherwise.
    func checkConditions(of call: Call) throws(Problem) {
        let fields = call.request.fields
        let (ifMatch, ifNoneMatch) = (fields.all(.ifMatch), fields.all(.ifNoneMatch))
        if ifMatch.isEmpty, ifNoneMatch.isEmpty { return }
        if OriginCheck.isRead(call.request, call.context) { return }
        if !ifMatch.isEmpty, ifMatch != ["*"] || !exists(call) {
            throw Problem(
                .preconditionFailed,
                "nothing was done: 'If-Match' names what is not here; send it without, since what "
                    + "can be written has no ETag")
        }
        if ifMatch.isEmpty, ifNoneMatch == ["*"], exists(call) {
            throw Problem(
                .preconditionFailed,
                "nothing was done: 'If-None-Match: *' asks for it only if there is none, and there "
                    + "is one")
        }
    }

    /// Whether a resource has a representation. A resource that is only written to, as `/log`, has
    /// none; a missing event is answered 404 in any case.
    private func exists(_ call: Call) -> Bool {
        let name = call.name
        switch call.route {
        case "/devices/{name}":
            return access.devices[name] != nil
        case "/pins/{goal}": return engine.core.pins.contains { $0.description == name }
        default:
            let path = routes.match(call.request.target.path)?.path
            guard let route = path?.route(.get), route.isRead else { return false }
            guard route.traits.contains(.isEntry), call.sender != nil else { return true }
            return (try? route.handle(self, call)) != nil
        }
    }
}

import BeemedDomain
import RelayHTTP

extension Resource {
    /// Content of a request for this, in bytes at most: a device's whole offline queue may come
    /// at once, and anything else is small.
    fileprivate var bodyBytes: Int {
        switch self {
        case .events: 1 << 20
        default: Relay.smallBodyBytes
        }
    }

    /// Whether the token may stand in the content, where the head has none.
    fileprivate var takesTokenInBody: Bool {
        switch self {
        case .log, .trigger, .undo: true
        default: false
        }
    }

    /// Whether it is for everybody.
    var isOpen: Bool {
        switch self {
        case .home, .page, .recipe, .login, .health, .manual, .oauthStart, .oauthCallback: true
        default: false
        }
    }
}

extension Relay {
    /// Content of most requests, in bytes at most.
    static let smallBodyBytes = 65_536

    /// Whether the content of a request is to be read, by what its head says: a stranger is
    /// answered without it, and nobody sends in vain what would be refused anyway.
    func admit(_ announced: PendingRequest, from peer: Endpoint) -> Admission {
        let request = announced.request
        let context = proxies.context(request, from: peer.address, clock(), .now)
        current = RequestLog.Entry(request, from: context.peer, at: context.moment.wall)
        do throws(Problem) {
            guard !hasFailed else { throw .outcomeUnknown }
            try access.admit(context)
            guard request.target != .server else { return .body(atMost: 0, .stranger) }
            let resource = try Relay.resource(request)
            guard !resource.isOpen, request.method != .options else {
                return .body(atMost: Relay.smallBodyBytes, .stranger)
            }
            if try access.vouch(for: request, devices, context) != nil {
                return .body(atMost: resource.bodyBytes, .known)
            }
            guard resource.takesTokenInBody else { throw access.refusal(request, context) }
            return .body(atMost: Relay.smallBodyBytes, .stranger)
        } catch {
            return .refuse(refusal(of: request, context, error))
        }
    }
}

import BeemedDomain
import RelayHTTP

extension Resource {
    /// Maximum content length for this resource, in bytes: a device's whole offline queue may come
    /// at once, everything else is small.
    var bodyBytes: Int {
        switch self {
        case .events: 1 << 20
        case .importing: ImportRun.mostBytes
        case .healthData: HealthBody.mostBytes
        default: Relay.smallBodyBytes
        }
    }

    /// The right that a large content requires.
    var rightToSend: Right? {
        switch self {
        case .events: .log
        case .importing: .manage
        case .healthData: .health
        default: nil
        }
    }

    /// Whether the token may be in the content if the head has none.
    var takesTokenInBody: Bool {
        switch self {
        case .log, .trigger, .undo: true
        default: false
        }
    }

    /// Whether it requires no token.
    var isOpen: Bool {
        switch self {
        case .home, .page, .recipe, .login, .healthCheck, .ready, .manual, .oauthStart,
            .oauthCallback:
            true
        default: false
        }
    }
}

extension Relay {
    /// Maximum content length of most requests, in bytes.
    static let smallBodyBytes = 65_536
    /// The same for a press without a token in its head, which may be a stranger's: a comment of
    /// the greatest length, with an escape for each character, and what else a press may have.
    static let strangerBodyBytes = 16_384

    /// Decides by the head whether to read the content: an unauthenticated request is answered
    /// without it, and no client sends content that would be refused anyway.
    func admit(_ announced: PendingRequest, from peer: Endpoint) -> Admission {
        let request = announced.request
        let context = access.proxies.context(request, from: peer.address, environment.clock(), .now)
        let entry = RequestLog.Entry(request, from: context.peer, at: context.moment.wall)
        do throws(Problem) {
            guard !shutdown.hasFailed else { throw .outcomeUnknown }
            try access.admit(context)
            guard !request.target.isServer else { return .body(atMost: 0, .stranger) }
            let resource = try Resource(of: request)
            guard !resource.isOpen, request.method != .options else {
                return .body(atMost: Relay.smallBodyBytes, .stranger, of: context.peer)
            }
            var sender: KnownSender?
            if let device = try access.vouch(for: request, context, known: &sender) {
                entry.device = device.name
                // Of those that reserve much. All others check it when they are routed.
                if request.method == .post, let right = resource.rightToSend {
                    try access.checkRight(device, right)
                }
                if resource == .healthData, announced.bodyBytes ?? 0 > resource.bodyBytes {
                    throw Problem(.tooLarge, HealthBody.tooLarge)
                }
                return .body(atMost: resource.bodyBytes, .known, of: context.peer)
            }
            guard resource.takesTokenInBody else { throw access.refusal(request, context) }
            return .body(atMost: Relay.strangerBodyBytes, .stranger, of: context.peer)
        } catch {
            let response = refusal(of: request, entry, error)
            records.record(entry)
            return .refuse(response)
        }
    }
}

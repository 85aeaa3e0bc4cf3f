import BeemedDomain
import RelayHTTP

extension Relay {
    /// Maximum content length of most requests, in bytes.
    package static let smallBodyBytes = 65_536
    /// The same for a press without a token in its head, which may be a stranger's: a comment of
    /// the greatest length, with an escape for each character, and what else a press may have.
    static let strangerBodyBytes = 16_384

    /// Decides by the head whether to read the content: an unauthenticated request is answered
    /// without it, and no client sends content that would be refused anyway.
    func admit(_ announced: PendingRequest, from peer: Endpoint) -> Admission {
        let request = announced.request
        var context = access.proxies.context(request, from: peer.address, environment.clock(), .now)
        let entry = RequestLog.Entry(request, from: context.peer, at: context.moment.wall)
        do throws(Problem) {
            guard !shutdown.hasFailed else { throw .outcomeUnknown }
            try access.admit(context)
            guard !request.target.isServer else { return .body(atMost: 0, .stranger) }
            guard let route = try routes.match(request).route, !route.isOpen else {
                return .body(atMost: Relay.smallBodyBytes, .stranger, of: context.peer)
            }
            context.changesByGet = route.traits.contains(.changesByGet)
            var sender: KnownSender?
            if let device = try access.identifySender(of: request, context, known: &sender) {
                entry.device = device.name
                // Of those that reserve much. All others check it when they are routed.
                if case .right(let right, _) = route.access,
                    route.bodyBytes > Relay.smallBodyBytes
                {
                    try access.checkRight(device, right)
                }
                if let words = route.tooLarge, announced.bodyBytes ?? 0 > route.bodyBytes {
                    throw Problem(.tooLarge, words)
                }
                return .body(atMost: route.bodyBytes, .known, of: context.peer)
            }
            guard route.takesTokenInBody else { throw access.refusal(request, context) }
            return .body(atMost: Relay.strangerBodyBytes, .stranger, of: context.peer)
        } catch {
            let response = refusal(of: request, entry, error)
            records.record(entry)
            return .refuse(response)
        }
    }
}

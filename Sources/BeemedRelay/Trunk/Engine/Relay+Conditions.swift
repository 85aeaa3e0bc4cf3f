import BeemedDomain
import RelayHTTP

/// Conditions on writes (RFC 9110 section 13.1): a method is not performed when they are false.
extension Relay {
    /// Checks the conditions of a request that writes. No resource that can be written has an
    /// ETag, so no ETag matches: only whether the resource is there can decide otherwise.
    ///
    /// - Throws: `Problem` when they are false.
    func checkConditions(of call: Call) throws(Problem) {
        let fields = call.request.fields
        let ifMatch = fields.joined(.ifMatch)
        let ifNoneMatch = ifMatch == nil ? fields.joined(.ifNoneMatch) : nil
        if ifMatch == nil, ifNoneMatch == nil { return }
        guard [.post, .put, .delete].contains(call.request.method) else { return }
        if let ifMatch, ifMatch != "*" || !exists(call) {
            throw Problem(
                .preconditionFailed,
                "nothing was done: 'If-Match' names what is not here; send it without, since what "
                    + "can be written has no ETag")
        }
        if ifNoneMatch == "*", exists(call) {
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
        switch "\(call.route)" {
        case "/devices/{name}":
            return access.devices.devices.contains { $0.name.description == name }
        case "/pins/{goal}": return engine.core.pins.contains { $0.description == name }
        default:
            let path = routes.match(call.request.target.path)?.path
            guard let route = path?.route(.get), route.isRead else { return false }
            guard route.traits.contains(.isEntry), case .right(_, let show) = route.access,
                let sender = call.sender
            else { return true }
            return (try? show(self, call, sender)) != nil
        }
    }
}

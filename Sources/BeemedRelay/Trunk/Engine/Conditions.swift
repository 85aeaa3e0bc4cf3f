import BeemedDomain
import RelayHTTP

/// Conditions on writes (RFC 9110 section 13.1): a method is not performed when they are false.
enum Conditions {
    /// Checks the conditions of a request that writes, and returns whether it has any. No resource
    /// that can be written has an ETag, so no ETag matches: only whether the resource is there can
    /// decide otherwise.
    static func check(_ call: Call, in relay: isolated Relay) throws(Problem) -> Bool {
        let fields = call.request.fields
        guard fields.bytes(of: .ifMatch) ?? fields.bytes(of: .ifNoneMatch) != nil,
            !OriginCheck.isRead(call.request, call.context)
        else { return false }
        let (ifMatch, ifNoneMatch) = (fields.all(.ifMatch), fields.all(.ifNoneMatch))
        if !ifMatch.isEmpty, ifMatch != ["*"] || !exists(call, in: relay) {
            throw Problem(
                .preconditionFailed,
                "nothing was done: 'If-Match' names what is not here; send it without, since what "
                    + "can be written has no ETag")
        }
        if ifMatch.isEmpty, ifNoneMatch == ["*"], exists(call, in: relay) {
            throw Problem(
                .preconditionFailed,
                "nothing was done: 'If-None-Match: *' asks for it only if there is none, and there "
                    + "is one")
        }
        return true
    }

    /// Whether a resource has a representation. A resource that is only written to, as `/log`, has
    /// none; a missing event is answered 404 in any case.
    private static func exists(_ call: Call, in relay: isolated Relay) -> Bool {
        let name = call.name
        switch call.route?.pattern {
        case "/devices/{name}":
            return relay.access.devices[name] != nil
        case "/pins/{goal}": return relay.engine.core.pins.contains { $0.description == name }
        default:
            let path = relay.routes.match(call.request.target.path)?.path
            guard let route = path?.route(.get), route.isRead else { return false }
            guard route.traits.contains(.isEntry), call.sender != nil else { return true }
            return (try? route.handle(relay, call)) != nil
        }
    }
}

import BeemedDomain
import RelayHTTP

extension Relay {
    /// Reads a request of one press, and identifies its sender: before the content is read, if the
    /// head has a token. A stranger's content is short (`Relay.strangerBodyBytes`).
    func readPress(_ call: Call) throws(Problem) -> (PressFields, Device) {
        guard Credentials.token(in: call.request) == nil else {
            let device = try authenticate(call, .log)
            return (try BodyReader.fields(of: call.request), device)
        }
        // A browser that is signed in has no token either.
        if call.request.body.count > Relay.strangerBodyBytes,
            try identifySender(of: call) == nil
        {
            throw try refusal(ofUnreadable: call, .tooLargeForStrangers)
        }
        let fields: PressFields
        do throws(Problem) {
            fields = try BodyReader.fields(of: call.request)
        } catch {
            // Content that cannot be read may be that of a device whose token is in it.
            let mayBearToken = String(decoding: call.request.body, as: UTF8.self).lowercased()
                .contains("token")
            if !mayBearToken { _ = try authenticate(call, .log) }
            throw try refusal(ofUnreadable: call, error)
        }
        return (fields, try authenticate(call, .log, bodyToken: fields[.token]))
    }

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
            (call.device, call.sender) = (known.name, known)
            return known
        }
        let device = try access.identifySender(
            of: call.request, bodyToken: bodyToken, call.context)
        if let device {
            (call.device, call.sender) = (device.name, device)
            rememberHead(of: call, from: device)
        }
        return device
    }
}

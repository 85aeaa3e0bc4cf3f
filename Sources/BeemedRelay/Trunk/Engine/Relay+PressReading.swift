import BeemedDomain
import RelayHTTP

extension Relay {
    /// Reads a request of one press, and identifies its sender.
    ///
    /// A sender with a token in the head is identified first, and so is one whose content and query
    /// can bear none: to read them costs more than to refuse them.
    func readPress(_ call: Call) throws(Problem) -> (PressFields, Device) {
        guard try bearsToken(call) else {
            let device = try authenticate(call, .log)
            return (try BodyReader.fields(of: call.request), device)
        }
        let fields: PressFields
        do throws(Problem) {
            fields = try BodyReader.fields(of: call.request)
        } catch {
            throw try refusal(ofUnreadable: call, error)
        }
        return (fields, try authenticate(call, .log, bodyToken: fields[.token]))
    }

    /// Whether the content or query may have the token as a field. A text that is longer than a
    /// stranger's may be is not parsed for that, but searched for a known token.
    ///
    /// - Throws: `Problem` when the text has an unknown token, and nothing else names the sender.
    private func bearsToken(_ call: Call) throws(Problem) -> Bool {
        let (query, body) = (call.request.target.query ?? "", call.request.body)
        guard query.utf8.count + body.count > Relay.bytesReadOfStrangers else {
            return Credentials.mayBeField(of: call.request)
        }
        guard Credentials.token(in: call.request) == nil else { return false }
        var hasName = false
        for search in [TokenSearch(query.utf8.span), TokenSearch(body.span)] {
            for token in search.candidates where access.knows(token, at: call.moment.wall) {
                return true
            }
            hasName = hasName || search.hasName
        }
        if hasName, try identifySender(of: call) == nil {
            throw access.tooManyFailures(call.context) ?? .unknownToken(call.request)
        }
        return false
    }

    /// The content and query of a press that are read before their sender is known, in bytes.
    private static let bytesReadOfStrangers = 128

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

import BeemedDomain
import RelayHTTP

extension Relay {
    /// Reads a request of one press, and identifies its sender.
    ///
    /// A sender with a token in the head is identified first, and so is one whose content and query
    /// can bear none: to read them costs more than to refuse them.
    func readPress(_ call: Call) throws(Problem) -> (PressFields, Device) {
        guard Credentials.mayBeField(of: call.request) else {
            let device = try authenticate(call, .log)
            return (try BodyReader.fields(of: call.request), device)
        }
        let fields: PressFields
        do throws(Problem) {
            fields = try BodyReader.fields(of: call.request)
        } catch {
            throw try refusal(ofUnreadable: call, error)
        }
        return (fields, try authenticate(call, .log, bodyToken: fields.token))
    }

    /// The refusal of a request whose content cannot be read: an invalid token is reported first.
    func refusal(ofUnreadable call: Call, _ error: Problem) throws(Problem) -> Problem {
        guard try vouch(for: call) == nil else { return error }
        return access.tooManyFailures(call.context) ?? error
    }
}

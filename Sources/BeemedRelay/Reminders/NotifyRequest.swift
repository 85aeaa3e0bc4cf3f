import BeemedDomain
import RelayHTTP
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The requests to services.
extension NotifyURL {
    /// The request that sends a message.
    func request(for message: NotifyMessage) -> OutgoingRequest {
        var request = OutgoingRequest("POST", target.absoluteString)
        switch service {
        case .ntfy: writeNtfy(message, to: &request)
        case .gotify(let token):
            request.set("X-Gotify-Key", token)
            request.setBody(NotifyURL.gotify(message), "application/json")
        case .pushover(let user, let token):
            let form = NotifyURL.pushover(message, user: user, token: token)
            request.setBody(Array(form.utf8), "application/x-www-form-urlencoded")
        case .json: return postJSON(message, isWithdrawn: false)
        }
        return request
    }

    /// The request that withdraws a message; nil where none can be withdrawn.
    func withdrawal(of message: NotifyMessage) -> OutgoingRequest? {
        switch service {
        case .ntfy:
            // ntfy, "Updating and deleting notifications": of a server from version 2.16 on.
            var request = OutgoingRequest(
                "DELETE", target.appending(path: message.id).absoluteString)
            setAuthorization(of: &request)
            return request
        case .json: return postJSON(message, isWithdrawn: true)
        case .gotify, .pushover: return nil
        }
    }

    private func setAuthorization(of request: inout OutgoingRequest) {
        if let authorization { request.set("Authorization", authorization) }
    }

    private func postJSON(_ message: NotifyMessage, isWithdrawn: Bool) -> OutgoingRequest {
        var request = OutgoingRequest("POST", target.absoluteString)
        setAuthorization(of: &request)
        request.setBody(message.json(isWithdrawn: isWithdrawn), "application/json")
        return request
    }

    /// ntfy, "Publishing": the text is the body, the rest are header fields.
    private func writeNtfy(_ message: NotifyMessage, to request: inout OutgoingRequest) {
        setAuthorization(of: &request)
        request.setBody(Array(message.text.utf8), "text/plain; charset=utf-8")
        request.set("Title", OutgoingRequest.line(message.title))
        request.set("Priority", message.isUrgent ? "urgent" : "default")
        request.set("Tags", message.isUrgent ? "rotating_light" : "bee")
        request.set("X-Sequence-ID", message.id)
        if let link = message.link { request.set("Click", link) }
        if !message.actions.isEmpty { request.set("Actions", NotifyURL.ntfy(message.actions)) }
    }

    /// ntfy, "Action buttons": an array of JSON.
    private static func ntfy(_ actions: [NotifyMessage.Action]) -> String {
        let buttons = actions.map { action in
            JSONWriter.object { json in
                json.add("action", "http")
                json.add("label", action.label)
                json.add("url", action.url)
                json.add("method", "POST")
                json.add("headers") { $0.add("Authorization", "Bearer \(action.token)") }
                json.add("clear", true)
            }
        }
        return "[" + buttons.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
            + "]"
    }

    /// Gotify, "POST /message"; from priority 8 on a phone rings.
    private static func gotify(_ message: NotifyMessage) -> [UInt8] {
        JSONWriter.object { json in
            json.add("title", message.title)
            json.add("message", message.text)
            json.add("priority", Int64(message.isUrgent ? 8 : 5))
            guard let link = message.link else { return }
            json.add("extras") { extras in
                extras.add("client::notification") { shown in
                    shown.add("click") { $0.add("url", link) }
                }
            }
        }
    }

    /// Pushover, "Pushing messages".
    private static func pushover(
        _ message: NotifyMessage, user: String, token: String
    ) -> String {
        var pairs = [
            (name: "token", value: token), ("user", user), ("title", message.title),
            ("message", message.text), ("priority", message.isUrgent ? "1" : "0"),
        ]
        if let link = message.link { pairs.append(("url", link)) }
        return FormEncoder.encode(pairs)
    }
}

extension OutgoingRequest {
    fileprivate mutating func setBody(_ bytes: [UInt8], _ type: String) {
        set("Content-Type", type)
        body = bytes
    }
}

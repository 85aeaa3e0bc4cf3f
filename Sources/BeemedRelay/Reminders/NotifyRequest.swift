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
            write(NotifyURL.gotify(message), to: &request)
        case .pushover(let user, let token):
            request.set("Content-Type", "application/x-www-form-urlencoded")
            request.body = Array(NotifyURL.pushover(message, user: user, token: token).utf8)
        case .json:
            setAuthorization(of: &request)
            write(message.json(isWithdrawn: false), to: &request)
        }
        return request
    }

    /// The request that withdraws a message; nil where none can be withdrawn.
    func withdrawal(of message: NotifyMessage) -> OutgoingRequest? {
        var request = OutgoingRequest("POST", target.absoluteString)
        switch service {
        case .ntfy:
            // ntfy, "Updating and deleting notifications": of a server from version 2.16 on.
            request = OutgoingRequest(
                "DELETE", target.appending(path: message.id).absoluteString)
        case .json: write(message.json(isWithdrawn: true), to: &request)
        case .gotify, .pushover: return nil
        }
        setAuthorization(of: &request)
        return request
    }

    private func setAuthorization(of request: inout OutgoingRequest) {
        if let authorization {
            request.set("Authorization", authorization)
        }
    }

    private func write(_ json: [UInt8], to request: inout OutgoingRequest) {
        request.set("Content-Type", "application/json")
        request.body = json
    }

    /// ntfy, "Publishing": the text is the body, the rest are header fields.
    private func writeNtfy(_ message: NotifyMessage, to request: inout OutgoingRequest) {
        setAuthorization(of: &request)
        request.set("Content-Type", "text/plain; charset=utf-8")
        request.set("Title", OutgoingRequest.line(message.title))
        request.set("Priority", message.isUrgent ? "urgent" : "default")
        request.set("Tags", message.isUrgent ? "rotating_light" : "bee")
        request.set("X-Sequence-ID", message.id)
        if let link = message.link { request.set("Click", link) }
        if hasActions, !message.actions.isEmpty {
            request.set("Actions", NotifyURL.ntfy(message.actions))
        }
        request.body = Array(message.text.utf8)
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
            ("token", token), ("user", user), ("title", message.title), ("message", message.text),
            ("priority", message.isUrgent ? "1" : "0"),
        ]
        if let link = message.link { pairs.append(("url", link)) }
        return FormEncoder.encode(pairs.map { (name: $0.0, value: $0.1) })
    }
}

import BeemedDomain
import RelayHTTP
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension NotifyURL {
    /// The request that sends a message.
    func request(for message: NotifyMessage) -> OutgoingRequest {
        switch service {
        case .ntfy: return ntfy(message)
        case .gotify(let token):
            var request = post(NotifyURL.gotify(message), "application/json", isAuthorized: false)
            request.set("X-Gotify-Key", token)
            return request
        case .pushover(let user, let token):
            return post(
                NotifyURL.pushover(message, user: user, token: token),
                "application/x-www-form-urlencoded", isAuthorized: false)
        case .json: return post(message.json(isWithdrawn: false), "application/json")
        }
    }

    /// The request that withdraws a message; nil where none can be withdrawn.
    func withdrawal(of message: NotifyMessage) -> OutgoingRequest? {
        switch service {
        case .ntfy:
            // ntfy, "Updating and deleting notifications": of a server from version 2.16 on.
            var request = OutgoingRequest(
                "DELETE", target.appending(path: message.id).absoluteString)
            if let authorization { request.set("Authorization", authorization) }
            return request
        case .json: return post(message.json(isWithdrawn: true), "application/json")
        case .gotify, .pushover: return nil
        }
    }

    private func post(
        _ body: [UInt8], _ type: String, isAuthorized: Bool = true
    ) -> OutgoingRequest {
        var request = OutgoingRequest("POST", target.absoluteString)
        if isAuthorized, let authorization { request.set("Authorization", authorization) }
        request.set("Content-Type", type)
        request.body = body
        return request
    }

    /// ntfy, "Publishing": the text is the body, the rest are header fields.
    private func ntfy(_ message: NotifyMessage) -> OutgoingRequest {
        var request = post(Array(message.text.utf8), "text/plain; charset=utf-8")
        request.set("Title", OutgoingRequest.line(message.title))
        request.set("Priority", message.isUrgent ? "urgent" : "default")
        request.set("Tags", message.isUrgent ? "rotating_light" : "bee")
        request.set("X-Sequence-ID", message.id)
        if let link = message.link { request.set("Click", link) }
        if !message.actions.isEmpty { request.set("Actions", NotifyURL.ntfy(message.actions)) }
        return request
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
    private static func pushover(_ message: NotifyMessage, user: String, token: String) -> [UInt8] {
        var pairs = [
            (name: "token", value: token), ("user", user), ("title", message.title),
            ("message", message.text), ("priority", message.isUrgent ? "1" : "0"),
        ]
        if let link = message.link { pairs.append(("url", link)) }
        return Array(FormEncoder.encode(pairs).utf8)
    }
}

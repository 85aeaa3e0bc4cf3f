import BeemedDomain
import Foundation
import RelayHTTP
import RelayTrunk

extension NotifyURL {
    /// The request that sends a reminder.
    func request(for reminder: Reminder) -> OutgoingRequest {
        switch service {
        case .ntfy: return ntfy(reminder)
        case .gotify(let token):
            var request = post(NotifyURL.gotify(reminder), "application/json", isAuthorized: false)
            request.set("X-Gotify-Key", token)
            return request
        case .pushover(let user, let token):
            return post(
                NotifyURL.pushover(reminder, user: user, token: token),
                "application/x-www-form-urlencoded", isAuthorized: false)
        case .json: return post(reminder.json(isWithdrawn: false), "application/json")
        }
    }

    /// The request that withdraws a message; nil where none can be withdrawn.
    func withdrawal(of reminder: Reminder) -> OutgoingRequest? {
        switch service {
        case .ntfy:
            // ntfy, "Updating and deleting notifications": of a server from version 2.16 on.
            var request = OutgoingRequest(
                "DELETE", target.appending(path: reminder.id).absoluteString)
            if let authorization { request.set("Authorization", authorization) }
            return request
        case .json: return post(reminder.json(isWithdrawn: true), "application/json")
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
    private func ntfy(_ reminder: Reminder) -> OutgoingRequest {
        var request = post(Array(reminder.words.text.utf8), "text/plain; charset=utf-8")
        request.set("Title", OutgoingRequest.line(reminder.words.title))
        request.set("Priority", reminder.topic.isUrgent ? "urgent" : "default")
        request.set("Tags", reminder.topic.isUrgent ? "rotating_light" : "bee")
        request.set("X-Sequence-ID", reminder.id)
        if let link = reminder.link { request.set("Click", link) }
        if !reminder.buttons.isEmpty { request.set("Actions", NotifyURL.ntfy(reminder.buttons)) }
        return request
    }

    /// ntfy, "Action buttons": an array of JSON.
    private static func ntfy(_ buttons: [Reminder.Button]) -> String {
        let elements = buttons.map { button in
            JSONWriter.object { json in
                json.add("action", "http")
                json.add("label", button.label)
                json.add("url", button.url)
                json.add("method", "POST")
                json.add("headers") { $0.add("Authorization", "Bearer \(button.token)") }
                json.add("clear", true)
            }
        }
        return "[" + elements.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
            + "]"
    }

    /// Gotify, "POST /message"; from priority 8 on a phone rings.
    private static func gotify(_ reminder: Reminder) -> [UInt8] {
        JSONWriter.object { json in
            json.add("title", reminder.words.title)
            json.add("message", reminder.words.text)
            json.add("priority", Int64(reminder.topic.isUrgent ? 8 : 5))
            guard let link = reminder.link else { return }
            json.add("extras") { extras in
                extras.add("client::notification") { shown in
                    shown.add("click") { $0.add("url", link) }
                }
            }
        }
    }

    /// Pushover, "Pushing messages".
    private static func pushover(_ reminder: Reminder, user: String, token: String) -> [UInt8] {
        var pairs = [
            (name: "token", value: token), ("user", user), ("title", reminder.words.title),
            ("message", reminder.words.text), ("priority", reminder.topic.isUrgent ? "1" : "0"),
        ]
        if let link = reminder.link { pairs.append(("url", link)) }
        return Array(FormEncoder.encode(pairs).utf8)
    }
}

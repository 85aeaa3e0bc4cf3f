import BeemedDomain
package import Foundation

/// The address of a service that takes reminders, as the user writes it.
///
/// | address | service |
/// |---|---|
/// | `ntfy://TOPIC` | ntfy.sh |
/// | `ntfy://HOST/TOPIC`, `ntfy+https://[TOKEN@]HOST/TOPIC` | a server of your own |
/// | `gotify://HOST/?token=T`, `gotify+https://HOST/?token=T` | Gotify, by an app token |
/// | `pushover://USER@TOKEN` | Pushover |
/// | `http://...`, `https://...` | a POST of JSON: Home Assistant, Node-RED, Apprise |
package struct NotifyURL: Sendable, Equatable {
    /// How the service is spoken to.
    package enum Service: Sendable, Equatable {
        case ntfy(topic: String)
        case gotify(token: String)
        case pushover(user: String, token: String)
        case json
    }

    let text: String
    /// How the service is spoken to.
    package let service: Service
    /// The URL that messages are sent to; for ntfy the topic's.
    package let target: URL
    /// The value of `Authorization`, if the address contains credentials.
    package let authorization: String?
    /// Whether messages have buttons: the tokens of these travel through the service.
    package let hasActions: Bool

    /// Reads an address; nil for anything else than the table says.
    package init?(_ text: String) {
        guard text.utf8.count <= 1_024, var parts = URLComponents(string: text),
            let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty
        else { return nil }
        self.text = text
        let items = parts.queryItems ?? []
        hasActions = items.contains { $0.name == "actions" && $0.value == "1" }
        let token = items.first { $0.name == "token" }?.value
        // Decoded, they become header fields.
        guard
            [parts.user, parts.password, token, host].compactMap(\.self)
                .allSatisfy(OutgoingRequest.isFieldValue)
        else { return nil }
        authorization = NotifyURL.authorization(parts, token)
        switch scheme {
        case "ntfy", "ntfy+http", "ntfy+https":
            guard let topic = NotifyURL.topic(&parts, host) else { return nil }
            let isPublic = parts.host == "ntfy.sh"
            parts.scheme = scheme == "ntfy+https" || scheme == "ntfy" && isPublic ? "https" : "http"
            service = .ntfy(topic: topic)
        case "gotify", "gotify+http", "gotify+https":
            guard let token, !token.isEmpty else { return nil }
            parts.scheme = scheme == "gotify+https" ? "https" : "http"
            parts.path = (parts.path.hasSuffix("/") ? parts.path : parts.path + "/") + "message"
            service = .gotify(token: token)
        case "pushover":
            guard let user = parts.user, !user.isEmpty else { return nil }
            service = .pushover(user: user, token: host)
            target = NotifyURL.pushover
            return
        case "http", "https": service = .json
        default: return nil
        }
        if service != .json { parts.query = nil }
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        guard let url = parts.url else { return nil }
        target = url
    }

    /// Where Pushover takes messages (Pushover Message API).
    private static let pushover =
        URL(string: "https://api.pushover.net/1/messages.json")
        ?? URL(fileURLWithPath: "/")

    /// The topic, as the last segment of the path; of an address without a path, the host, which
    /// is a topic of ntfy.sh then.
    private static func topic(_ parts: inout URLComponents, _ host: String) -> String? {
        var segments = parts.path.split(separator: "/").map(String.init)
        if segments.isEmpty {
            guard !host.contains("."), parts.port == nil else { return nil }
            segments = [host]
            parts.host = "ntfy.sh"
        }
        parts.path = "/" + segments.joined(separator: "/")
        let topic = segments[segments.count - 1]
        return NameText.isName(topic, atMost: 64, besides: "-_") ? topic : nil
    }

    /// A token or a user and a password, as ntfy and most servers take them (RFC 6750, RFC 7617).
    private static func authorization(_ parts: URLComponents, _ token: String?) -> String? {
        if let user = parts.user, let password = parts.password, !user.isEmpty {
            return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        }
        let bearer = [parts.password, parts.user, token].compactMap { $0 }.first { !$0.isEmpty }
        return bearer.map { "Bearer \($0)" }
    }

    /// The service's name: the same after a restart, and without anything secret.
    package var name: String {
        let kind = kind.prefix { $0 != " " }.lowercased()
        let secret = "\(service) \(target) \(authorization ?? "")"
        // Enough to tell a household's services apart, and too little to find the secret by.
        let digest = SHA256Digest.hex(SHA256Digest.of(Array(secret.utf8)).prefix(4))
        return "\(kind)-\(digest)"
    }

    /// For display to users who may manage: the server, and the beginning of the secret part.
    /// Everybody who knows a topic of ntfy can read it.
    package var shown: String {
        switch service {
        case .ntfy(let topic): "\(kind), topic \(topic.prefix(3))..."
        case .pushover(let user, _): "\(kind), user \(user.prefix(3))..."
        case .gotify, .json: kind
        }
    }

    /// For display to anybody: the server alone. A few letters of a topic and a digest of it would
    /// be enough to guess the topic offline.
    package var kind: String {
        switch service {
        case .ntfy: "ntfy \(target.host() ?? "")"
        case .gotify: "Gotify \(target.host() ?? "")"
        case .pushover: "Pushover"
        case .json: "JSON to \(target.host() ?? "")"
        }
    }

    /// Whether a message can be withdrawn there.
    package var canWithdraw: Bool {
        switch service {
        case .ntfy, .json: true
        case .gotify, .pushover: false
        }
    }

    /// The message about an address that cannot be read.
    package static let advice =
        "is not a valid service for reminders; write ntfy://TOPIC, ntfy+https://HOST/TOPIC, "
        + "gotify+https://HOST/?token=TOKEN, pushover://USER@TOKEN or https://HOST/PATH"
}

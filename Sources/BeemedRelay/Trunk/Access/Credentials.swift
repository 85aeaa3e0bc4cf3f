import BeemedDomain
import Foundation
package import RelayHTTP

/// Finds the token in a request, in all fields where devices can put one.
package enum Credentials {
    /// The longest token, in bytes: those of reminders' buttons have a goal's name in them. A
    /// longer text is no token, and is cut, so that strangers cannot cause much work.
    static let maxTokenBytes = 256

    /// The token in the head: as Bearer, as the password of Basic (all that `http://x:TOKEN@host/`
    /// can express), in `X-Relay-Token`, or in the query.
    package static func token(in request: Request) -> String? {
        if let token = request.fields.bytes(of: .authorization, after: .bearer) {
            return text(token)
        }
        if let token = password(request) { return token }
        if let token = request.fields.bytes(of: .relayToken) { return text(token) }
        guard let query = request.target.query else { return nil }
        // Some senders of health data name it so.
        let isHealth = isHealth(request.target.path)
        return FormDecoder.value(
            of: isHealth ? ["token", "key"] : ["token"], in: query, atMost: maxTokenBytes + 1)
    }

    /// Whether a path is that of health data, in any spelling that the routes take.
    private static func isHealth(_ path: String) -> Bool {
        path.utf8.count <= maxTokenBytes
            && FormDecoder.decode(path[...], plusIsBlank: false).split(separator: "/") == ["health"]
    }

    /// The text given as a token; of a text that is too long, the beginning. Tokens are ASCII:
    /// other bytes become DEL, since to compare texts with combining marks costs a hundred times as
    /// much.
    private static func text(_ given: ArraySlice<UInt8>) -> String {
        let beginning = given.prefix(maxTokenBytes + 1)
        guard beginning.contains(where: { $0 > 0x7F }) else {
            return String(decoding: beginning, as: UTF8.self)
        }
        return String(decoding: beginning.map { min($0, 0x7F) }, as: UTF8.self)
    }

    /// Whether the token in the head stands in a field as Bearer, where nothing else decides.
    static func isBearer(in request: Request) -> Bool {
        request.fields.bytes(of: .authorization, after: .bearer) != nil
    }

    /// Whether the head carries a token, or the session of some relay, valid or not.
    package static func isPresent(in request: Request) -> Bool {
        token(in: request) != nil || !cookies(in: request).isEmpty
    }

    private static let cookiePrefix = "beemed-"

    /// The name of the session cookie of the relay whose owner has that generation. A browser sends
    /// a cookie to all ports of a host, so two relays there need two names.
    static func sessionCookie(of generation: DeviceGeneration) -> String {
        "\(cookiePrefix)\(generation)"
    }

    static let authorizationCookie = "\(cookiePrefix)oauth"

    /// The value of the cookie of this name, which is a relay's; nil without one.
    static func cookie(named name: String, in request: Request) -> String? {
        cookies(in: request).first { $0.name == name }?.value
    }

    /// The cookies of all relays (RFC 6265 section 4.2). Browsers send those of all servers of a
    /// host, and anybody may send thousands.
    private static func cookies(in request: Request) -> [(name: String, value: String)] {
        request.fields.allBytes(of: .cookie).flatMap { field in
            field.split(separator: UInt8(ascii: ";"), maxSplits: maxCookies).prefix(maxCookies)
                .compactMap(cookie)
        }
    }

    /// A cookie, if it is of a relay and has a value, or the beginning of a long one.
    private static func cookie(_ text: ArraySlice<UInt8>) -> (name: String, value: String)? {
        let text = text.drop { $0 == UInt8(ascii: " ") }
        guard text.starts(with: cookiePrefix.utf8),
            let end = text.prefix(maxCookieNameBytes).firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        let value = text[(end + 1)...].prefix(maxTokenBytes + 1)
        return (
            String(decoding: text[..<end], as: UTF8.self), String(decoding: value, as: UTF8.self)
        )
    }

    /// As many cookies as browsers keep for a host (Chrome 180, Firefox 150).
    private static let maxCookies = 180
    private static let maxCookieNameBytes = 32

    /// Whether the token is a Basic password, which a browser sends automatically for any page.
    static func isAmbient(in request: Request) -> Bool { password(request) != nil }

    private static func password(_ request: Request) -> String? {
        guard let encoded = request.fields.bytes(of: .authorization, after: .basic),
            encoded.count <= 4 * maxTokenBytes, let data = Data(base64Encoded: Data(encoded)),
            let colon = data.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return String(decoding: data[(colon + 1)...], as: UTF8.self)
    }
}

extension FieldName {
    static let authorization: FieldName = "authorization"
    static let basic: FieldName = "basic"
    static let bearer: FieldName = "bearer"
    static let contentEncoding: FieldName = "content-encoding"
    static let identity: FieldName = "identity"
    static let idempotencyKey: FieldName = "idempotency-key"
    static let ifMatch: FieldName = "if-match"
    static let ifNoneMatch: FieldName = "if-none-match"
    static let relayToken: FieldName = "x-relay-token"
    static let userAgent: FieldName = "user-agent"
}

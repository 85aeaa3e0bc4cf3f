import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the token in a request, in all places where devices can put one.
enum Credentials {
    /// The token in the head: as Bearer, as the password of Basic (all that `http://x:TOKEN@host/`
    /// can express), in `X-Relay-Token`, or in the query.
    static func token(in request: Request) -> String? {
        if let token = request.value(of: .authorization, after: .bearer) ?? password(request) {
            return token
        }
        if let token = request[.relayToken] { return token }
        guard let query = request.target.query else { return nil }
        // Some senders of health data name it so.
        let isHealth = request.target.path == "/health"
        guard query.contains("token=") || isHealth && query.contains("key=") else { return nil }
        let pairs = FormDecoder.pairs(query)
        return pairs.first { $0.name == "token" || isHealth && $0.name == "key" }?.value
    }

    /// Whether the token in the head stands in a field as Bearer, where nothing else decides about
    /// it.
    static func isBearer(in request: Request) -> Bool {
        request.value(of: .authorization, after: .bearer) != nil
    }

    /// Whether the head carries a token, or the session of some relay, valid or not.
    static func isPresent(in request: Request) -> Bool {
        token(in: request) != nil || cookies(in: request).contains { $0.hasPrefix(formerCookie) }
    }

    /// Whether a field of the press may bear the token: it is at none of its own places in the
    /// head, and the content or the query has that word, or an escape in which it may hide.
    static func mayBeField(of request: Request) -> Bool {
        guard token(in: request) == nil else { return false }
        if mayHoldToken(request.body.span) { return true }
        return request.target.query.map { mayHoldToken($0.utf8.span) } ?? false
    }

    private static func mayHoldToken(_ text: borrowing Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "%"), UInt8(ascii: "\\"): return true
            case UInt8(ascii: "t"), UInt8(ascii: "T"):
                if spellsToken(text, at: index) { return true }
            default: break
            }
        }
        return false
    }

    private static func spellsToken(_ text: borrowing Span<UInt8>, at start: Int) -> Bool {
        let name = tokenName
        guard start + name.count <= text.count else { return false }
        for index in name.indices where text[start + index] | 0x20 != name[index] { return false }
        return true
    }

    /// The name of the field, in lower case.
    private static let tokenName = Array("token".utf8)

    /// The name that the session cookie of every relay had before each had its own.
    static let formerCookie = "beemed"

    /// The name of the session cookie of the relay whose owner has that generation. A browser sends
    /// a cookie to all ports of a host, so two relays there need two names.
    static func sessionCookie(of generation: DeviceGeneration?) -> String {
        generation.map { "\(formerCookie)-\($0)" } ?? formerCookie
    }

    /// The value of the cookie of that name (RFC 6265 section 4.2).
    static func cookie(_ name: String, in request: Request) -> String? {
        cookies(in: request).first { $0.hasPrefix("\(name)=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    /// The cookies, each as its name, an equals sign and its value.
    private static func cookies(in request: Request) -> [Substring] {
        request.fields.all(.cookie).flatMap { $0.split(separator: ";") }
            .map { $0.drop { $0 == " " } }
    }

    /// Whether the token is a Basic password, which a browser sends automatically for any page.
    static func isAmbient(in request: Request) -> Bool {
        password(request) != nil
    }

    private static func password(_ request: Request) -> String? {
        guard let encoded = request.value(of: .authorization, after: .basic),
            let data = Data(base64Encoded: encoded)
        else { return nil }
        let pair = String(decoding: data, as: UTF8.self)
        return pair.firstIndex(of: ":").map { String(pair[pair.index(after: $0)...]) }
    }
}

extension FieldName {
    static let authorization: FieldName = "authorization"
    static let basic: FieldName = "basic"
    static let bearer: FieldName = "bearer"
    static let contentEncoding: FieldName = "content-encoding"
    static let idempotencyKey: FieldName = "idempotency-key"
    static let ifMatch: FieldName = "if-match"
    static let ifNoneMatch: FieldName = "if-none-match"
    static let purpose: FieldName = "purpose"
    static let relayToken: FieldName = "x-relay-token"
    static let secPurpose: FieldName = "sec-purpose"
    static let userAgent: FieldName = "user-agent"
    static let xMoz: FieldName = "x-moz"
    static let xPurpose: FieldName = "x-purpose"
}

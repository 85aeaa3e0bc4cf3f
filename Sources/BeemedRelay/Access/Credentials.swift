import Foundation
import RelayHTTP

/// Finds the token in a request, in the places where devices are able to put one.
enum Credentials {
    /// The token that the head carries: as Bearer, as the password of Basic (all that
    /// `http://x:TOKEN@host/` can say), in a field of its own, or in the query.
    static func token(in request: Request) -> String? {
        if let authorization = request.fields[.authorization] {
            if let token = bearer(authorization) ?? password(authorization) { return token }
        }
        if let token = request.fields[.relayToken] { return token }
        guard let query = request.target.query, query.contains("token=") else { return nil }
        return FormDecoder.pairs(query).first { $0.name == "token" }?.value
    }

    /// The name of the cookie that a signed-in browser shows.
    static let cookie = "beemed"

    /// What a signed-in browser shows (RFC 6265 section 4.2).
    static func session(in request: Request) -> String? {
        cookie(cookie, in: request)
    }

    /// The cookie of that name.
    static func cookie(_ name: String, in request: Request) -> String? {
        for field in request.fields.all(.cookie) {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                guard pair.hasPrefix("\(name)=") else { continue }
                return String(pair.dropFirst(name.count + 1))
            }
        }
        return nil
    }

    /// Whether the token stands where a browser would put it by itself, on any page's behalf.
    static func isAmbient(in request: Request) -> Bool {
        request.fields[.authorization].flatMap(password) != nil
    }

    private static func bearer(_ authorization: String) -> String? {
        rest(of: authorization, after: "bearer ")
    }

    private static func password(_ authorization: String) -> String? {
        guard let encoded = rest(of: authorization, after: "basic "),
            let data = Data(base64Encoded: encoded)
        else { return nil }
        let pair = String(decoding: data, as: UTF8.self)
        return pair.firstIndex(of: ":").map { String(pair[pair.index(after: $0)...]) }
    }

    /// Schemes are case-insensitive (RFC 9110 section 11.1).
    private static func rest(of text: String, after scheme: String) -> String? {
        let bytes = text.utf8
        guard bytes.count > scheme.utf8.count,
            zip(bytes, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 })
        else { return nil }
        let token = bytes.dropFirst(scheme.utf8.count).drop { $0 == 0x20 }
        return token.isEmpty ? nil : String(Substring(token))
    }
}

extension FieldName {
    static let authorization: FieldName = "authorization"
    static let contentEncoding: FieldName = "content-encoding"
    static let idempotencyKey: FieldName = "idempotency-key"
    static let ifNoneMatch: FieldName = "if-none-match"
    static let purpose: FieldName = "purpose"
    static let relayToken: FieldName = "x-relay-token"
    static let secPurpose: FieldName = "sec-purpose"
    static let userAgent: FieldName = "user-agent"
    static let xMoz: FieldName = "x-moz"
    static let xPurpose: FieldName = "x-purpose"
}

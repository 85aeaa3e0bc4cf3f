import BeemedDomain
package import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        let isHealth = request.target.path == "/health"
        return FormDecoder.value(
            of: isHealth ? ["token", "key"] : ["token"], in: query, atMost: maxTokenBytes + 2)
    }

    /// The text given as a token; of a text that is too long, the beginning. Tokens are ASCII:
    /// other bytes become DEL, since to compare texts with combining marks costs a hundred times as
    /// much.
    private static func text(_ given: ArraySlice<UInt8>) -> String {
        String(decoding: given.prefix(maxTokenBytes + 1).map { min($0, 0x7F) }, as: UTF8.self)
    }

    /// Whether the token in the head stands in a field as Bearer, where nothing else decides.
    static func isBearer(in request: Request) -> Bool {
        request.fields.bytes(of: .authorization, after: .bearer) != nil
    }

    /// Whether the head carries a token, or the session of some relay, valid or not.
    package static func isPresent(in request: Request) -> Bool {
        token(in: request) != nil
            || request.fields.allBytes(of: .cookie).contains { CookieReader($0).hasOurs }
    }

    /// Whether a field of the press may be the token: the head has none in its usual fields, and
    /// the content or the query has that word, or an escape that may hide it.
    static func mayBeField(of request: Request) -> Bool {
        let isPossible =
            mayHoldToken(request.body.span)
            || request.target.query.map { mayHoldToken($0.utf8.span) } ?? false
        return isPossible && token(in: request) == nil
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

    /// The values of the cookies of these names (RFC 6265 section 4.2), each nil without one. All
    /// names of this relay begin alike.
    static func cookies(_ names: [String], in request: Request) -> [String?] {
        var found = [String?](repeating: nil, count: names.count)
        for field in request.fields.allBytes(of: .cookie) {
            var reader = CookieReader(field)
            while let name = reader.next() {
                guard let index = names.firstIndex(of: name), found[index] == nil else { continue }
                found[index] = reader.value(atMost: maxTokenBytes + 1)
            }
        }
        return found
    }

    /// Whether the token is a Basic password, which a browser sends automatically for any page.
    static func isAmbient(in request: Request) -> Bool {
        password(request) != nil
    }

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
    static let purpose: FieldName = "purpose"
    static let relayToken: FieldName = "x-relay-token"
    static let secPurpose: FieldName = "sec-purpose"
    static let userAgent: FieldName = "user-agent"
    static let xMoz: FieldName = "x-moz"
    static let xPurpose: FieldName = "x-purpose"
}

/// Reads the cookies of relays in one field, in one pass by bytes: browsers send those of all
/// servers of a host, and anybody may send thousands.
struct CookieReader {
    private let field: ArraySlice<UInt8>
    /// The position to go on at, counted from the beginning of the field.
    private var index = 0
    /// How many cookies may still be looked at.
    private var left = CookieReader.most

    /// The beginning of the names of all relays' cookies.
    private static let beginning = Array(Credentials.formerCookie.utf8)
    /// As many cookies as browsers keep for a host (Chrome 180, Firefox 150).
    private static let most = 180
    /// The longest name of one, in bytes.
    private static let maxNameBytes = 32

    /// - Parameter field: the value of a `Cookie` field.
    init(_ field: ArraySlice<UInt8>) { self.field = field }

    /// Whether there is a cookie of some relay.
    var hasOurs: Bool {
        var reader = self
        return reader.next() != nil
    }

    /// The name of the next cookie of a relay, whose value is `value` then; nil at the end.
    mutating func next() -> String? {
        let field = field
        let text = field.span
        let first = CookieReader.beginning[0]
        // Behind a name stands the value of its cookie.
        if index > 0 { index = CookieReader.cookieEnd(text, from: index) }
        while left > 0 {
            var start = index
            while start < text.count, CookieReader.isBetween(text[start]) { start += 1 }
            index = start
            guard start < text.count else { return nil }
            left -= 1
            if text[start] == first, let name = name(in: text) { return name }
            index = CookieReader.cookieEnd(text, from: start)
        }
        return nil
    }

    @inline(__always)
    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ")
    }

    private static func cookieEnd(_ text: borrowing Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, text[end] != UInt8(ascii: ";") { end += 1 }
        return end
    }

    /// The name that begins here, if it is of a relay and has a value.
    private mutating func name(in text: borrowing Span<UInt8>) -> String? {
        let word = CookieReader.beginning
        guard index + word.count < text.count else { return nil }
        for offset in word.indices where text[index + offset] != word[offset] { return nil }
        let end = min(text.count, index + CookieReader.maxNameBytes)
        for nameEnd in index..<end where text[nameEnd] == UInt8(ascii: "=") {
            defer { index = nameEnd + 1 }
            return String(decoding: field.dropFirst(index).prefix(nameEnd - index), as: UTF8.self)
        }
        return nil
    }

    /// The value of the cookie whose name was read last, or its beginning.
    func value(atMost bytes: Int) -> String {
        let value = field.dropFirst(index).prefix(bytes).prefix { $0 != UInt8(ascii: ";") }
        return String(decoding: value, as: UTF8.self)
    }
}

import BeemedDomain

/// An HTTP request to another server, as `SystemTransport` sends it.
package struct OutgoingRequest: Sendable, Equatable {
    /// The URL; a transport refuses one that it cannot read.
    var url: String
    var method: String
    /// The header fields, besides those that every request has.
    private(set) var fields: [String: String] = [:]
    /// The content; nil sends none.
    package var body: [UInt8]?
    /// Whether a field had a value that none can have: then it is not sent.
    private(set) var isUnsendable = false

    /// Creates a request without fields and body.
    package init(_ method: String, _ url: String) {
        self.method = method
        self.url = url
    }

    /// Sets a header field: the only way to one. A value with control characters makes the request
    /// unsendable, since a line break would begin another field, or another request (RFC 9110
    /// section 5.5).
    package mutating func set(_ name: StaticString, _ value: String) {
        guard OutgoingRequest.isFieldValue(value) else { return isUnsendable = true }
        fields["\(name)"] = value
    }

    /// Whether a header field may have this value: it has no control characters, those of Unicode
    /// included.
    static func isFieldValue(_ value: String) -> Bool {
        !value.unicodeScalars.contains(where: isControl)
    }

    /// Text of others for a header field: one line, and not long.
    package static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(250).map { isControl($0) ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).trimmed
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }
}

/// libcurl's numbers of network errors (libcurl-errors(3)).
enum NetworkError {
    static let unusable: CInt = 2
    static let timedOut: CInt = 28

    /// The meaning of a number, for people.
    static func words(_ number: CInt) -> String {
        switch number {
        case 3: "the address is not a URL"
        case 5, 6: "the server's name is not found (DNS)"
        case 7: "nothing answers at that address"
        case timedOut: "no answer in time"
        case 35, 58, 60, 77, 83, 91: "no secure connection (TLS)"
        case 18, 42, 52, 55, 56: "the connection ended before the answer"
        default: "no answer (network error \(number))"
        }
    }
}

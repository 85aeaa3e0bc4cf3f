/// The two versions that this server supports. A later minor version is answered as 1.1 (RFC 9110
/// section 2.5).
package enum Version: Sendable {
    case http10, http11
}

/// The head of a request, checked against RFC 9112, so that no later code checks again. Immutable,
/// so it can be shared.
package final class Head: Sendable {
    /// The method.
    package let method: Method
    /// The request target.
    package let target: Target
    /// The header fields, in order.
    package let fields: Fields
    /// How the content is framed, and whether the connection stays open, by the fields.
    let framing: Framing
    /// Whether the head is longer than those that devices and browsers repeat. Nothing is kept of a
    /// long one, since every connection may have one.
    package var isLong: Bool { fields.bytes.count > 2_048 }

    init(_ method: Method, _ target: Target, _ fields: Fields, _ framing: Framing) {
        (self.method, self.target, self.fields, self.framing) = (method, target, fields, framing)
    }
}

/// A whole request.
package struct Request: Sendable {
    /// Its head.
    package let head: Head
    /// The content, with chunking removed; empty when there is none.
    package internal(set) var body: [UInt8]

    init(_ head: Head, body: [UInt8] = []) {
        (self.head, self.body) = (head, body)
    }

    /// The method.
    package var method: Method { head.method }
    /// The request target.
    package var target: Target { head.target }
    /// The protocol version of the request.
    package var version: Version { head.framing.version }
    /// The header fields, in order.
    package var fields: Fields { head.fields }
    /// The requested host, with a port if one was given; nil only on HTTP/1.0.
    package var host: String? { head.framing.host }

    /// The value of the first field of that name, without the blanks around it.
    package subscript(_ name: FieldName) -> String? { head.fields[name] }

    /// The length of the content that the head names, in bytes; nil when it names none.
    package var declaredBytes: Int? {
        if case .length(let bytes) = head.framing.content { bytes } else { nil }
    }

    /// Whether a client sends content with its method, and its head does not say how much: either
    /// there is none, as of `curl -X POST`, or its length is missing.
    var lacksLength: Bool {
        switch method {
        case .post, .put, .patch:
            head.framing.content == .none && head.fields.bytes(of: "content-length") == nil
        case .get, .head, .delete, .options, .other: false
        }
    }

    /// Whether its head shows that there must be content: names its type, or asks before sending
    /// it.
    var namesContent: Bool {
        head.fields.bytes(of: "content-type")?.isEmpty == false
            || head.fields.bytes(of: "expect") != nil
    }

    /// The same request without its content.
    package var withoutBody: Request { Request(head) }
}

/// A request's method (RFC 9110 section 9). Methods are case-sensitive.
package enum Method: Hashable, Sendable {
    case get, head, post, put, patch, delete, options
    /// A method unknown to this server: 501, RFC 9110 section 9.1.
    case other(String)

    private static let known: [(name: StaticString, method: Method)] = [
        ("GET", .get), ("POST", .post), ("HEAD", .head), ("PUT", .put), ("PATCH", .patch),
        ("DELETE", .delete), ("OPTIONS", .options),
    ]

    /// Whether a method that this server knows begins with these bytes.
    static func isBegun(by bytes: borrowing Span<UInt8>) -> Bool {
        let text = String(copying: bytes)
        return known.contains { "\($0.name)".hasPrefix(text) }
    }

    init(_ token: borrowing Span<UInt8>) {
        for (name, method) in Method.known where Grammar.equals(token, name) {
            self = method
            return
        }
        self = .other(String(copying: token))
    }

    /// The method as it is sent.
    package var token: String {
        if case .other(let token) = self { return token }
        return Method.known.first { $0.method == self }.map { "\($0.name)" } ?? ""
    }
}

/// A request target, in the forms that an origin server accepts (RFC 9112 section 3.2).
package struct Target: Hashable, Sendable {
    /// The path, which begins with a slash, still percent-encoded; `*` for the server itself.
    package let path: String
    /// The query after the first `?`, still percent-encoded.
    package internal(set) var query: String?

    /// Whether the target is the server itself, as in `OPTIONS *`.
    package var isServer: Bool { path == "*" }

    /// The reference from this path to the server's root, as in `../` (RFC 3986 section 5.2.4):
    /// links with it hold below any path that a proxy puts in front.
    package var root: String {
        let slashes = path.utf8.count { $0 == UInt8(ascii: "/") }
        return slashes > 1 ? String(repeating: "../", count: slashes - 1) : "./"
    }
}

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
        known.contains { name, _ in
            guard bytes.count <= name.utf8CodeUnitCount else { return false }
            for index in bytes.indices where unsafe bytes[index] != name.utf8Start[index] {
                return false
            }
            return true
        }
    }

    /// Creates a method from a token's bytes.
    init(_ token: borrowing Span<UInt8>) {
        for (name, method) in Method.known where Grammar.equals(token, name) {
            self = method
            return
        }
        self = .other(String(copying: token))
    }

    /// The method as it is sent.
    package var token: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let token): token
        }
    }
}

/// A request target, in the forms that an origin server accepts (RFC 9112 section 3.2).
package enum Target: Hashable, Sendable {
    /// A path that begins with a slash, still percent-encoded, and the query after `?`.
    case resource(path: String, query: String?)
    /// `OPTIONS *`: the server itself.
    case server

    /// The path, still percent-encoded; `*` for the server itself.
    package var path: String {
        switch self {
        case .resource(let path, _): path
        case .server: "*"
        }
    }

    /// Whether it is the server itself.
    package var isServer: Bool {
        if case .server = self { true } else { false }
    }

    /// The query after the first `?`, still percent-encoded.
    package var query: String? {
        switch self {
        case .resource(_, let query): query
        case .server: nil
        }
    }

    /// The reference from this path to the server's root, as in `../` (RFC 3986 section 5.2.4):
    /// links with it hold below any path that a proxy puts in front.
    package var root: String {
        let slashes = path.utf8.count { $0 == UInt8(ascii: "/") }
        return slashes > 1 ? String(repeating: "../", count: slashes - 1) : "./"
    }
}

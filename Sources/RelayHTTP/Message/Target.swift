/// A request target, in the forms that an origin server accepts (RFC 9112 section 3.2).
package struct Target: Hashable, Sendable {
    /// The path, which begins with a slash, still percent-encoded; `*` for the server itself.
    package let path: String
    /// The query after the first `?`, still percent-encoded.
    package let query: String?

    /// Creates a target.
    package init(path: String, query: String? = nil) {
        (self.path, self.query) = (path, query)
    }

    /// `OPTIONS *`: the server itself.
    package static let server = Target(path: "*")

    /// Whether it is the server itself.
    package var isServer: Bool { path == "*" }

    /// The reference from this path to the server's root, as in `../` (RFC 3986 section 5.2.4):
    /// links with it hold below any path that a proxy puts in front.
    package var root: String {
        let slashes = path.utf8.count { $0 == UInt8(ascii: "/") }
        return slashes > 1 ? String(repeating: "../", count: slashes - 1) : "./"
    }
}

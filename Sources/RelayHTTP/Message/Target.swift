/// What a request asks for, in the forms that an origin server takes (RFC 9112 section 3.2).
package enum Target: Hashable, Sendable {
    /// A path, which begins with a slash and is still percent-encoded, and what follows `?`.
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

    /// What follows the first `?`, still percent-encoded.
    package var query: String? {
        switch self {
        case .resource(_, let query): query
        case .server: nil
        }
    }
}

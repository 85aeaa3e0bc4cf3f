/// A request's method (RFC 9110 section 9). Methods are case-sensitive.
package enum Method: Hashable, Sendable {
    case get, head, post, put, patch, delete, options
    /// A token that this server has no meaning for: 501, RFC 9110 section 9.1.
    case other(String)

    init(token: String) {
        switch token {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        default: self = .other(token)
        }
    }

    /// The method as it stands on the wire.
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

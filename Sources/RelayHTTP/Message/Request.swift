/// The two versions that this server speaks. A later minor version is answered as 1.1
/// (RFC 9110 section 2.5).
package enum Version: Sendable {
    case http10, http11
}

/// One whole request, checked: what is here obeys RFC 9112, so nothing behind it checks again.
package struct Request: Sendable {
    /// What is to be done.
    package let method: Method
    /// To what.
    package let target: Target
    /// In which version of the protocol it was asked.
    package let version: Version
    /// The header fields, in order.
    package let fields: Fields
    /// The host asked for, from the target or from `Host`, with a port if one was given; nil
    /// only on HTTP/1.0.
    package let host: String?
    /// The content, unchunked; empty when there is none.
    package internal(set) var body: [UInt8]
    /// May the connection live on after the answer (RFC 9112 section 9.3)?
    let keepsAlive: Bool
}

/// The head of a request whose content has not all come.
package struct Head: Sendable {
    /// What is asked; its body is empty still.
    package let request: Request
    /// How much content is announced, in bytes; nil when a chunked one does not tell.
    package let bodyBytes: Int?
}

/// The two versions that this server speaks. A later minor version is answered as 1.1
/// (RFC 9110 section 2.5).
package enum Version: Sendable {
    case http10, http11
}

/// The head of a request, checked: what is here obeys RFC 9112, so nothing behind it checks again.
/// Nothing in it changes, so it is shared by all who deal with the request.
package final class Head: Sendable {
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
    /// May the connection live on after the answer (RFC 9112 section 9.3)?
    let keepsAlive: Bool

    init(
        method: Method, target: Target, version: Version, fields: Fields, host: String?,
        keepsAlive: Bool
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.host = host
        self.keepsAlive = keepsAlive
    }
}

/// One whole request.
package struct Request: Sendable {
    /// Its head.
    package let head: Head
    /// The content, unchunked; empty when there is none.
    package internal(set) var body: [UInt8] = []

    init(_ head: Head) {
        self.head = head
    }

    /// What is to be done.
    package var method: Method { head.method }
    /// To what.
    package var target: Target { head.target }
    /// In which version of the protocol it was asked.
    package var version: Version { head.version }
    /// The header fields, in order.
    package var fields: Fields { head.fields }
    /// The host asked for, with a port if one was given; nil only on HTTP/1.0.
    package var host: String? { head.host }

    /// The first field of that name, its value without the blanks around it.
    package subscript(_ name: FieldName) -> String? { head.fields[name] }

    /// What follows this word and blanks in the first field of that name, or nil.
    package func value(of name: FieldName, after word: FieldName) -> String? {
        head.fields.value(of: name, after: word)
    }

    /// The same without its content.
    package var withoutBody: Request { Request(head) }
}

/// A request whose content has not all come.
package struct PendingRequest: Sendable {
    /// What is asked; its body is empty still.
    package let request: Request
    /// How much content is announced, in bytes; nil when a chunked one does not tell.
    package let bodyBytes: Int?
}

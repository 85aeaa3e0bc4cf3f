/// An answer. The server adds `Date`, `Content-Length` and `Connection`, and the framing.
package struct Response: Sendable {
    /// A header field of an answer.
    package struct Field: Sendable {
        let name: String
        let value: String

        /// Replaces control bytes in the value by blanks, so that no caller can split an answer
        /// (RFC 9110 section 5.5).
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value =
                ASCII.isFieldValue(value.utf8.span)
                ? value
                : String(
                    decoding: value.utf8.map { ASCII.isFieldValue($0) ? $0 : ASCII.space },
                    as: UTF8.self)
        }

        /// Whether this is its name, without regard to case.
        package func isNamed(_ name: String) -> Bool {
            self.name.lowercased() == name.lowercased()
        }
    }

    /// The status code, 200 to 599.
    package var status: Int
    /// The fields, in the order they are sent.
    package var fields: [Field]
    /// The content. HEAD, 204 and 304 are sent without content.
    package var body: [UInt8]

    /// Creates an answer.
    package init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
        precondition((200...599).contains(status), "not a final status: \(status)")
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An answer of plain text; a newline is added.
    package static func text(_ status: Int, _ text: String) -> Response {
        Response(
            status: status,
            fields: [Field("Content-Type", "text/plain; charset=utf-8")],
            body: Array("\(text)\n".utf8))
    }

    /// The field of that name, or nil. Names compare without case.
    package func field(_ name: String) -> String? {
        fields.first { $0.isNamed(name) }?.value
    }

    /// The reason phrase of a status. Old buttons refuse a status line without one.
    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}

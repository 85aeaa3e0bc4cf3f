/// Encodes answers as bytes (RFC 9112 sections 4 and 6): always with a reason phrase and an exact
/// length. An event stream ends with the connection; a long answer with a known end is chunked.
enum ResponseEncoder {
    /// How the request and the connection determine the framing of the answer.
    struct Frame: Sendable {
        /// Sends no content: the answer to HEAD.
        var omitsBody: Bool
        var keepsAlive = false
        /// An HTTP/1.0 client must be told that the connection stays open.
        var version = Version.http11
        /// Sends the head alone: the content follows, and has no length.
        var isOpen = false
        /// Whether the end of open content is marked, so that a client detects a missing part.
        var isChunked = false
    }

    /// The interim answer to `Expect: 100-continue` (RFC 9110 section 15.2.1).
    static let continueResponse = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Encodes the whole answer, so that one write sends it.
    ///
    /// - Parameter date: the fields of every answer, `Date` first, each with its CR LF.
    static func encode(
        _ response: borrowing Response, to output: inout [UInt8], framed frame: Frame,
        date: borrowing [UInt8]
    ) {
        // Spans: to read an element of an array retains and releases its parts.
        let (status, fields, body, date) =
            (response.status, response.fields.span, response.body.span, date.span)
        let bytes = headBytes(fields, date: date) + body.count + 64
        output.append(addingCapacity: bytes) { output in
            appendHead(status, fields, to: &output, date: date)
            // RFC 9110 section 8.6: a 204 has no length, and a 304 does not need one.
            let hasContent = status != 204 && status != 304 && !frame.isOpen
            if hasContent {
                output.append("Content-Length: ")
                output.append(decimal: body.count)
                output.append("\r\n")
            }
            if frame.isChunked { output.append("Transfer-Encoding: chunked\r\n") }
            if !frame.keepsAlive {
                output.append("Connection: close\r\n")
            } else if frame.version == .http10 {
                output.append("Connection: keep-alive\r\n")
            }
            output.append("\r\n")
            if hasContent, !frame.omitsBody { output.append(copying: body) }
        }
    }

    /// Appends one chunk (RFC 9112 section 7.1). The empty one is the end.
    static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        output.append(contentsOf: String(bytes.count, radix: 16).utf8)
        output.append(contentsOf: "\r\n".utf8)
        output.append(contentsOf: bytes)
        output.append(contentsOf: "\r\n".utf8)
    }

    /// At least as many bytes as `appendHead` appends.
    private static func headBytes(_ fields: Span<Response.Field>, date: Span<UInt8>) -> Int {
        var bytes = 64 + date.count  // The longest status line has 51.
        for index in fields.indices {
            bytes += fields[index].name.utf8.count + fields[index].value.utf8.count + 4
        }
        return bytes
    }

    /// Appends the status line and the fields, without those about framing.
    private static func appendHead(
        _ status: Int, _ fields: Span<Response.Field>, to output: inout OutputSpan<UInt8>,
        date: Span<UInt8>
    ) {
        if status == 200 {  // Nearly all of them.
            output.append("HTTP/1.1 200 OK\r\n")
        } else {
            output.append("HTTP/1.1 ")
            output.append(decimal: status)
            output.append(ASCII.space)
            output.append(copying: Response.reason(status).utf8.span)
            output.append("\r\n")
        }
        output.append(copying: date)
        for index in fields.indices {
            output.append(copying: fields[index].name.utf8.span)
            output.append(": ")
            output.append(copying: fields[index].value.utf8.span)
            output.append("\r\n")
        }
    }
}

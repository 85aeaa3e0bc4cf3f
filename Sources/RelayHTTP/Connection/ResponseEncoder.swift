/// Encodes answers as bytes (RFC 9112 sections 4 and 6): always with a reason phrase and an exact
/// length. An event stream ends with the connection; a long answer with a known end is chunked.
enum ResponseEncoder {
    /// How the request and the connection determine the framing of the answer.
    struct Frame: Sendable {
        /// Sends no content: the answer to HEAD.
        var omitsBody: Bool
        /// Whether the connection stays open afterwards.
        var keepsAlive: Bool
        /// An HTTP/1.0 client must be told that the connection stays open.
        var version: Version
    }

    /// The interim answer to `Expect: 100-continue` (RFC 9110 section 15.2.1).
    static let goAhead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Appends the whole answer, so that one write sends it.
    ///
    /// - Parameter date: the `Date` field, with its CR LF.
    static func append(
        _ response: Response, to output: inout [UInt8], framed frame: Frame, date: [UInt8]
    ) {
        output.reserveCapacity(output.count + 256 + response.body.count)
        appendHead(response, to: &output, date: date)
        // RFC 9110 section 8.6: a 204 has no length, and a 304 does not need one.
        let hasContent = response.status != 204 && response.status != 304
        if hasContent {
            append("Content-Length: ", to: &output)
            let named = frame.omitsBody ? response.headLength : nil
            append(decimal: named ?? response.body.count, to: &output)
            append("\r\n", to: &output)
        }
        if !frame.keepsAlive {
            append("Connection: close\r\n", to: &output)
        } else if frame.version == .http10 {
            append("Connection: keep-alive\r\n", to: &output)
        }
        append("\r\n", to: &output)
        if hasContent, !frame.omitsBody { output.append(contentsOf: response.body) }
    }

    /// Appends the head of an answer that ends with the connection.
    ///
    /// - Parameter isChunked: whether its end is marked, so that a client detects a missing part.
    static func appendOpening(
        _ response: Response, to output: inout [UInt8], isChunked: Bool, date: [UInt8]
    ) {
        appendHead(response, to: &output, date: date)
        if isChunked { append("Transfer-Encoding: chunked\r\n", to: &output) }
        append("Connection: close\r\n\r\n", to: &output)
    }

    /// Appends one chunk (RFC 9112 section 7.1). The empty one is the end.
    static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        output.append(contentsOf: String(bytes.count, radix: 16).utf8)
        append("\r\n", to: &output)
        output.append(contentsOf: bytes)
        append("\r\n", to: &output)
    }

    /// Appends the status line and the fields, without those about framing.
    private static func appendHead(
        _ response: Response, to output: inout [UInt8], date: [UInt8]
    ) {
        append("HTTP/1.1 ", to: &output)
        append(decimal: response.status, to: &output)
        output.append(ASCII.space)
        append(Response.reason(response.status), to: &output)
        append("\r\n", to: &output)
        output.append(contentsOf: date)
        for field in response.fields {
            append(field.name, to: &output)
            append(": ", to: &output)
            output.append(copying: field.value.utf8.span)
            append("\r\n", to: &output)
        }
    }

    private static func append(_ text: StaticString, to output: inout [UInt8]) {
        unsafe output.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func append(decimal number: Int, to output: inout [UInt8]) {
        if number >= 10 { append(decimal: number / 10, to: &output) }
        output.append(ASCII.zero + UInt8(number % 10))
    }
}

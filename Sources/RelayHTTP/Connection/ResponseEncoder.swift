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
    }

    /// The interim answer to `Expect: 100-continue` (RFC 9110 section 15.2.1).
    static let continueResponse = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Encodes the whole answer, so that one write sends it.
    ///
    /// - Parameter date: the fields of every answer, `Date` first, each with its CR LF.
    static func encode(
        _ response: Response, to output: inout [UInt8], framed frame: Frame, date: [UInt8]
    ) {
        appendHead(response, to: &output, date: date)
        // RFC 9110 section 8.6: a 204 has no length, and a 304 does not need one.
        let hasContent = response.status != 204 && response.status != 304
        if hasContent {
            let named = frame.omitsBody ? response.headLength : nil
            output += "Content-Length: ".utf8
            output += "\(named ?? response.body.count)\r\n".utf8
        }
        if !frame.keepsAlive {
            output += "Connection: close\r\n".utf8
        } else if frame.version == .http10 {
            output += "Connection: keep-alive\r\n".utf8
        }
        output += "\r\n".utf8
        if hasContent, !frame.omitsBody { output += response.body }
    }

    /// Appends the head of an answer that ends with the connection.
    ///
    /// - Parameter isChunked: whether its end is marked, so that a client detects a missing part.
    static func appendOpening(
        _ response: Response, to output: inout [UInt8], isChunked: Bool, date: [UInt8]
    ) {
        appendHead(response, to: &output, date: date)
        if isChunked { output += "Transfer-Encoding: chunked\r\n".utf8 }
        output += "Connection: close\r\n\r\n".utf8
    }

    /// Appends one chunk (RFC 9112 section 7.1). The empty one is the end.
    static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        output += "\(String(bytes.count, radix: 16))\r\n".utf8
        output += bytes
        output += "\r\n".utf8
    }

    /// Appends the status line and the fields, without those about framing.
    private static func appendHead(
        _ response: Response, to output: inout [UInt8], date: [UInt8]
    ) {
        output += "HTTP/1.1 \(response.status) ".utf8
        output += Response.reason(response.status).utf8
        output += "\r\n".utf8
        output += date
        for field in response.fields {
            output += field.name.utf8
            output += ": ".utf8
            output += field.value.utf8
            output += "\r\n".utf8
        }
    }
}

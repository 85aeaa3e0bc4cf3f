/// Why a request cannot be read. Every fault ends the connection, because the start of the next
/// request is no longer certain.
package enum ParseError: Error, Hashable, Sendable, CaseIterable {
    case malformedRequestLine
    case unsupportedVersion
    case bareLineFeed, bareCarriageReturn
    case requestLineTooLong, headTooLarge, tooManyFields
    case malformedField, foldedField
    case missingHost, malformedHost, repeatedHost
    case unservedTarget
    case malformedContentLength, conflictingContentLength
    case ambiguousFraming, unknownTransferCoding, transferCodingBeforeHTTP11
    case unknownExpectation
    case bodyTooLarge, tooManyChunks
    case malformedChunk, malformedTrailer
    case headTimeout, bodyTimeout
    /// Content was meant, and its length is not known.
    case lengthRequired
    /// Behind a request are bytes that cannot begin another one: its content was cut.
    case contentBeyondLength
    /// The same, but the request was answered before these bytes came.
    case contentAfterAnswer
    /// Large content of others is under way, and there is no room for this one.
    case noRoom

    /// The status of the answer before the close.
    package var status: Int { answer.status }

    /// A sentence for the user of the device: the fault, and what to send instead.
    package var advice: String { answer.advice }

    private var answer: (status: Int, advice: String) {
        switch self {
        case .malformedRequestLine:
            (
                400,
                "the request line must read METHOD SP TARGET SP HTTP/1.1; a blank in an address is "
                    + "written as %20"
            )
        case .unsupportedVersion: (505, "this server speaks HTTP/1.1 and HTTP/1.0 only")
        case .bareLineFeed: (400, "lines must end in CR LF, and a bare LF came")
        case .bareCarriageReturn: (400, "lines must end in CR LF, and a bare CR came")
        case .requestLineTooLong: (414, "the request line is too long; send the data in the body")
        case .headTooLarge: (431, "the header fields are too large; send fewer or shorter ones")
        case .tooManyFields: (431, "there are too many header fields; send fewer")
        case .malformedField:
            (400, "a header field must read NAME: VALUE, without a space before the colon")
        case .foldedField: (400, "a header field may not go on in the next line")
        case .missingHost: (400, "an HTTP/1.1 request needs a Host field")
        case .malformedHost: (400, "Host must be a name or address, with a port if need be")
        case .repeatedHost: (400, "Host may be given once only")
        case .unservedTarget:
            (400, "the target must be a path on this server, beginning with a slash")
        case .malformedContentLength:
            (400, "Content-Length must be decimal digits and nothing else")
        case .conflictingContentLength:
            (400, "Content-Length was given twice with different values")
        case .ambiguousFraming: (400, "send either Content-Length or Transfer-Encoding, not both")
        case .unknownTransferCoding: (400, "the only Transfer-Encoding served is chunked")
        case .transferCodingBeforeHTTP11:
            (400, "HTTP/1.0 has no Transfer-Encoding; send Content-Length")
        case .unknownExpectation: (417, "the only Expect served is 100-continue")
        case .bodyTooLarge: (413, "the body is too large; split it into several requests")
        case .tooManyChunks:
            (413, "the body is in too many chunks; send larger ones, or its Content-Length")
        case .malformedChunk: (400, "the chunked body is framed wrongly")
        case .malformedTrailer: (400, "the fields after the last chunk are malformed")
        case .headTimeout: (408, "the request's head did not arrive in time; send it in one go")
        case .bodyTimeout: (408, "the request's body did not arrive in time; send it in one go")
        case .lengthRequired:
            (
                411,
                "nothing was taken: how long the body is is not known; send its length in "
                    + "Content-Length (0 if there is none), or close the sending direction behind "
                    + "it"
            )
        case .contentBeyondLength:
            (
                400,
                "nothing was taken: bytes follow this request that cannot begin another one; send "
                    + "the length of the whole body in Content-Length"
            )
        case .contentAfterAnswer:
            (
                400,
                "bytes follow the request before that cannot begin another one; if they belong to "
                    + "its body, it was read and answered without them: take it back, and send the "
                    + "length of the whole body in Content-Length"
            )
        case .noRoom: (503, "too many are sending at once; send the same again later")
        }
    }
}

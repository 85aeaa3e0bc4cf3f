/// Why a request cannot be read, with a sentence for the user of the device: the fault, and what to
/// send instead. Every fault ends the connection, because the start of the next request is no longer
/// certain.
package enum ParseError: String, Error, Sendable, CaseIterable {
    case malformedRequestLine = """
        the request line must read METHOD SP TARGET SP HTTP/1.1; a blank in an address is written \
        as %20
        """
    case unsupportedVersion = "this server speaks HTTP/1.1 and HTTP/1.0 only"
    case bareLineFeed = "lines must end in CR LF, and a bare LF came"
    case bareCarriageReturn = "lines must end in CR LF, and a bare CR came"
    case requestLineTooLong = "the request line is too long; send the data in the body"
    case headTooLarge = "the header fields are too large; send fewer or shorter ones"
    case tooManyFields = "there are too many header fields; send fewer"
    case malformedField = "a header field must read NAME: VALUE, without a space before the colon"
    case foldedField = "a header field may not go on in the next line"
    case missingHost = "an HTTP/1.1 request needs a Host field"
    case malformedHost = "Host must be a name or address, with a port if need be"
    case repeatedHost = "Host may be given once only"
    case unservedTarget = "the target must be a path on this server, beginning with a slash"
    case malformedContentLength = "Content-Length must be decimal digits and nothing else"
    case conflictingContentLength = "Content-Length was given twice with different values"
    case ambiguousFraming = "send either Content-Length or Transfer-Encoding, not both"
    case unknownTransferCoding = "the only Transfer-Encoding served is chunked"
    case transferCodingBeforeHTTP11 = "HTTP/1.0 has no Transfer-Encoding; send Content-Length"
    case unknownExpectation = "the only Expect served is 100-continue"
    case bodyTooLarge = "the body is too large; split it into several requests"
    case tooManyChunks =
        "the body is in too many chunks; send larger ones, or its Content-Length"
    case malformedChunk = "the chunked body is framed wrongly"
    case malformedTrailer = "the fields after the last chunk are malformed"
    case headTimeout = "the request's head did not arrive in time; send it in one go"
    case bodyTimeout = "the request's body did not arrive in time; send it in one go"
    /// Content was meant, and its length is not known.
    case lengthRequired = """
        nothing was taken: how long the body is is not known; send its length in Content-Length (0 \
        if there is none), or close the sending direction behind it
        """
    /// Behind a request are bytes that cannot begin another one: its content was cut.
    case contentBeyondLength = """
        nothing was taken: bytes follow this request that cannot begin another one; send the \
        length of the whole body in Content-Length
        """
    /// The same, but the request was answered before these bytes came.
    case contentAfterAnswer = """
        bytes follow the request before that cannot begin another one; if they belong to its body, \
        it was read and answered without them: take it back, and send the length of the whole body \
        in Content-Length
        """
    /// Large content of others is under way, and there is no room for this one.
    case noRoom = "too many are sending at once; send the same again later"

    /// The status of the answer before the close.
    package var status: Int {
        switch self {
        case .headTimeout, .bodyTimeout: 408
        case .lengthRequired: 411
        case .bodyTooLarge, .tooManyChunks: 413
        case .requestLineTooLong: 414
        case .unknownExpectation: 417
        case .headTooLarge, .tooManyFields: 431
        case .noRoom: 503
        case .unsupportedVersion: 505
        default: 400
        }
    }

    /// The sentence.
    package var advice: String { rawValue }
}

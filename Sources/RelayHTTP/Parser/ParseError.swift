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
    case bodyTooLarge
    case malformedChunk, malformedTrailer
    case headTimeout, bodyTimeout
    /// Content was meant, and its length is not known.
    case lengthRequired
    /// Behind a request are bytes that cannot begin another one: its content was cut.
    case contentBeyondLength
    /// The same, but the request was answered before these bytes came.
    case contentAfterAnswer
    /// Too many others sent content, and there was no room for this one in time.
    case noRoom

    /// The status of the answer before the close.
    package var status: Int {
        switch self {
        case .unsupportedVersion: 505
        case .requestLineTooLong: 414
        case .headTooLarge, .tooManyFields: 431
        case .unknownExpectation: 417
        case .bodyTooLarge: 413
        case .headTimeout, .bodyTimeout: 408
        case .lengthRequired: 411
        case .noRoom: 503
        case .malformedRequestLine, .bareLineFeed, .bareCarriageReturn, .malformedField,
            .foldedField, .missingHost, .malformedHost, .repeatedHost, .unservedTarget,
            .malformedContentLength, .conflictingContentLength, .ambiguousFraming,
            .unknownTransferCoding, .transferCodingBeforeHTTP11, .malformedChunk,
            .malformedTrailer, .contentBeyondLength, .contentAfterAnswer:
            400
        }
    }
}

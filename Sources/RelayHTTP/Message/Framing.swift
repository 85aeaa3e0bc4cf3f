/// The fields of a head that concern framing and connection: the end of the body, the host and
/// persistence (RFC 9112 sections 3.2, 6 and 9.3).
struct Framing: Sendable {
    enum Content: Equatable, Sendable {
        case none
        case length(Int)
        case chunked
    }

    /// How the end of the content is found (RFC 9112 section 6.3).
    private(set) var content = Content.none
    /// The requested host, from the target or from `Host`, with a port if one was given; nil only
    /// on HTTP/1.0.
    var host: String?
    /// Whether the client waits for `100 Continue` before it sends the content, unless it has begun
    /// to send it (RFC 9110 section 10.1.1).
    private(set) var expectsContinue = false
    /// Whether the connection may stay open after the answer (RFC 9112 section 9.3).
    private(set) var keepsAlive: Bool

    let version: Version
    private var length: Int?
    private var isChunked = false

    init(_ fields: Fields, version: Version) throws(ParseError) {
        self.version = version
        keepsAlive = version == .http11
        let bytes = fields.bytes.span
        for position in fields.positions {
            let name = bytes.extracting(Int(position.nameStart)..<Int(position.nameEnd))
            let value = bytes.extracting(Int(position.valueStart)..<Int(position.valueEnd))
            try readField(name, value)
        }
        if version == .http11, host == nil { throw .missingHost }
        if isChunked {
            guard length == nil else { throw .ambiguousFraming }
            content = .chunked
        } else if let length, length > 0 {
            content = .length(length)
        }
        expectsContinue = expectsContinue && content != .none && version == .http11
    }

    /// Few fields concern the connection; the name's length excludes most others.
    private mutating func readField(
        _ name: borrowing Span<UInt8>, _ value: borrowing Span<UInt8>
    ) throws(ParseError) {
        switch name.count {
        case 4 where Grammar.spells(name, "host"): try readHost(value)
        case 6 where Grammar.spells(name, "expect"): try readExpect(value)
        case 10 where Grammar.spells(name, "connection"): readConnection(value)
        case 14 where Grammar.spells(name, "content-length"): try readLength(value)
        case 17 where Grammar.spells(name, "transfer-encoding"): try readCoding(value)
        default: break
        }
    }

    private mutating func readHost(_ value: borrowing Span<UInt8>) throws(ParseError) {
        guard host == nil else { throw .repeatedHost }
        guard Grammar.isHost(value) else { throw .malformedHost }
        host = String(copying: value)
    }

    private mutating func readLength(_ value: borrowing Span<UInt8>) throws(ParseError) {
        guard let number = Grammar.decimal(value) else { throw .malformedContentLength }
        guard length == nil || length == number else { throw .conflictingContentLength }
        length = number
    }

    /// Exactly `chunked`, once: two parsers that decode differently would see different requests.
    private mutating func readCoding(_ value: borrowing Span<UInt8>) throws(ParseError) {
        guard version == .http11 else { throw .transferCodingBeforeHTTP11 }
        guard !isChunked, Grammar.spells(value, "chunked") else { throw .unknownTransferCoding }
        isChunked = true
    }

    /// HTTP/1.0 has no Expect (RFC 9110 section 10.1.1), and an empty one expects nothing.
    private mutating func readExpect(_ value: borrowing Span<UInt8>) throws(ParseError) {
        guard version == .http11, !value.isEmpty else { return }
        guard Grammar.spells(value, "100-continue") else { throw .unknownExpectation }
        expectsContinue = true
    }

    /// Reads as many options as any client sends: anybody may send thousands. Of more than that any
    /// may be `close`, and to close is always allowed.
    private mutating func readConnection(_ value: borrowing Span<UInt8>) {
        guard value.count <= Framing.maxConnectionBytes else {
            (keepsAlive, closeAsked) = (false, true)
            return
        }
        var start = 0
        for index in 0...value.count where index == value.count || value[index] == ASCII.comma {
            var first = start
            var last = index
            while first < last, ASCII.isBlank(value[first]) { first += 1 }
            while last > first, ASCII.isBlank(value[last - 1]) { last -= 1 }
            readConnectionOption(value.extracting(first..<last))
            start = index + 1
        }
    }

    /// `close` overrides `keep-alive`, in any order.
    private mutating func readConnectionOption(_ option: borrowing Span<UInt8>) {
        if Grammar.spells(option, "close") {
            keepsAlive = false
            closeAsked = true
        } else if version == .http10, !closeAsked, Grammar.spells(option, "keep-alive") {
            keepsAlive = true
        }
    }

    private var closeAsked = false

    /// The longest `Connection` field that is read, in bytes.
    private static let maxConnectionBytes = 256
}

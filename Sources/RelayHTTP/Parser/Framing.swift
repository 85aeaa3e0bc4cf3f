/// The fields of a head that concern framing and connection: the end of the body, the host and
/// persistence (RFC 9112 sections 3.2, 6 and 9.3).
struct Framing: Sendable {
    private(set) var content = Head.Content.none
    private(set) var host: String?
    private(set) var expectsContinue = false
    private(set) var keepsAlive: Bool

    private let version: Version
    private var length: Int?
    private var isChunked = false

    init(
        _ bytes: borrowing Span<UInt8>, _ positions: [Fields.Position], version: Version
    ) throws(ParseError) {
        self.version = version
        keepsAlive = version == .http11
        for position in positions {
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

    /// Reads as many options as any client sends: anybody may send thousands.
    private mutating func readConnection(_ field: borrowing Span<UInt8>) {
        let value = field.extracting(first: Framing.maxConnectionBytes)
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

    /// How much of a `Connection` field is read, in bytes.
    private static let maxConnectionBytes = 256
}

/// Finds where a JSON text ends, without reading it: by its brackets and quotes.
enum JSONExtent {
    /// Whether these bytes are one object or list from its first bracket to its last one, with
    /// nothing but white space around it.
    static func isWhole(_ bytes: borrowing Span<UInt8>) -> Bool {
        var (depth, isEnded, isText, isEscaped) = (0, false, false, false)
        for index in bytes.indices {
            let byte = bytes[index]
            if isText {
                isText = isEscaped || byte != ASCII.quote
                isEscaped = !isEscaped && byte == ASCII.backslash
                continue
            }
            switch byte {
            case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn, 0: continue
            case 0x7B, 0x5B:
                guard !isEnded else { return false }
                depth += 1
            case 0x7D, 0x5D:
                depth -= 1
                isEnded = depth == 0
            case ASCII.quote: isText = true
            default: break
            }
            guard depth > 0 || isEnded && (byte == 0x7D || byte == 0x5D) else { return false }
        }
        return isEnded
    }
}

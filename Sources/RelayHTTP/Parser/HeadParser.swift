/// Parses a request's head line by line (RFC 9112 sections 2.2, 3 and 5).
///
/// No byte is scanned twice, and a fault is found at the first byte that proves it, so the result
/// does not depend on how the input was split.
struct HeadParser: Sendable {
    struct RequestLine: Sendable {
        var method: Method
        var target: Range<Int>
        var version: Version
    }

    private(set) var requestLine: RequestLine?
    private(set) var positions: [Fields.Position] = []
    /// How many bytes were scanned; after the end of the head, its length.
    private(set) var scanned = 0
    private var lineStart = 0
    private var emptyLines = 0

    /// The length of the empty lines before the request. They do not begin a request, so a client
    /// that sends an empty line after a body has no deadline to meet.
    var emptyLineBytes: Int { 2 * emptyLines }

    /// Continues with the bytes of the request so far. Returns whether the head is complete.
    mutating func advance(
        _ bytes: borrowing Span<UInt8>, _ limits: Limits
    ) throws(ParseError) -> Bool {
        while true {
            let bound = requestLine == nil ? limits.requestLineBytes : limits.headBytes
            let end = min(bytes.count, bound)
            guard let lineEnd = try scanLine(bytes, upTo: end) else {
                guard bytes.count > bound else { return false }
                throw requestLine == nil ? .requestLineTooLong : .headTooLarge
            }
            let line = bytes.extracting(lineStart..<lineEnd)
            let start = lineStart
            lineStart = scanned
            if requestLine == nil {
                try readRequestLine(line, at: start)
            } else if line.isEmpty {
                return true
            } else {
                try readField(line, at: start, limits)
            }
        }
    }

    /// The position of the CR LF that ends the line; nil while missing.
    private mutating func scanLine(
        _ bytes: borrowing Span<UInt8>, upTo end: Int
    ) throws(ParseError) -> Int? {
        // A peer that speaks another protocol, such as TLS, is rejected at its first byte.
        if requestLine == nil, scanned == lineStart, scanned < end,
            !ASCII.isToken(bytes[scanned]), bytes[scanned] != ASCII.carriageReturn,
            bytes[scanned] != ASCII.lineFeed
        {
            throw .malformedRequestLine
        }
        let rest = bytes.extracting(scanned..<end)
        let length = rest.firstIndex(of: ASCII.carriageReturn) ?? rest.count
        guard rest.extracting(..<length).firstIndex(of: ASCII.lineFeed) == nil else {
            throw .bareLineFeed
        }
        // A CR at the end stays unscanned: it is checked together with the next byte.
        let lineEnd = scanned + length
        scanned = lineEnd
        guard lineEnd + 1 < end else { return nil }
        guard bytes[lineEnd + 1] == ASCII.lineFeed else { throw .bareCarriageReturn }
        scanned = lineEnd + 2
        return lineEnd
    }

    /// Whether these bytes, which follow a request, begin another one, or may do so when more have
    /// come.
    ///
    /// Methods that are not complete, or not followed by a target, must be known ones: the rest of
    /// content that was cut has tokens, too, as in `5` or `value=1`.
    static func mayBegin(_ bytes: borrowing Span<UInt8>) -> Bool {
        var start = 0
        while start < bytes.count, RequestParser.isStray(bytes[start]) { start += 1 }
        var end = start
        // Upper-case letters and hyphens: methods have no other bytes in practice.
        while end < bytes.count, (0x41...0x5A).contains(bytes[end]) || bytes[end] == 0x2D {
            end += 1
        }
        if end == bytes.count { return Method.isBegun(by: bytes.extracting(start..<end)) }
        if end > start, bytes[end] == ASCII.space {
            guard end + 1 < bytes.count else { return true }
            if [ASCII.slash, ASCII.asterisk, 0x48, 0x68].contains(bytes[end + 1]) { return true }
        }
        return isRequestLine(bytes.extracting(start...))
    }

    /// Whether these bytes begin with a complete request line, whatever its method is.
    private static func isRequestLine(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard let end = bytes.firstIndex(of: ASCII.lineFeed), end > 0,
            bytes[end - 1] == ASCII.carriageReturn
        else { return false }
        var parser = HeadParser()
        do throws(ParseError) {
            try parser.readRequestLine(bytes.extracting(..<(end - 1)), at: 0)
        } catch {
            return error == .unsupportedVersion
        }
        return parser.requestLine != nil
    }

    private mutating func readRequestLine(
        _ line: borrowing Span<UInt8>, at start: Int
    ) throws(ParseError) {
        if line.isEmpty {  // RFC 9112 section 2.2: an empty line before a request is ignored.
            emptyLines += 1
            guard emptyLines <= 2 else { throw .malformedRequestLine }
            return
        }
        var methodEnd = 0
        while methodEnd < line.count, ASCII.isToken(line[methodEnd]) { methodEnd += 1 }
        guard methodEnd > 0, methodEnd < line.count, line[methodEnd] == ASCII.space else {
            throw .malformedRequestLine
        }
        let rest = line.extracting((methodEnd + 1)...)
        guard let length = rest.firstIndex(of: ASCII.space), length > 0,
            ASCII.isTarget(rest.extracting(..<length))
        else { throw .malformedRequestLine }
        let targetEnd = methodEnd + 1 + length
        requestLine = RequestLine(
            method: Method(line.extracting(..<methodEnd)),
            target: (start + methodEnd + 1)..<(start + targetEnd),
            version: try version(line.extracting((targetEnd + 1)...)))
    }

    /// `HTTP/1.` and a digit: RFC 9112 section 2.3, case-sensitive.
    private func version(_ bytes: borrowing Span<UInt8>) throws(ParseError) -> Version {
        guard bytes.count == 8, Grammar.equals(bytes.extracting(..<5), "HTTP/"), bytes[6] == 0x2E,
            case 0x30...0x39 = bytes[5], case 0x30...0x39 = bytes[7]
        else { throw .malformedRequestLine }
        guard bytes[5] == 0x31 else { throw .unsupportedVersion }
        return bytes[7] == ASCII.zero ? .http10 : .http11
    }

    private mutating func readField(
        _ line: borrowing Span<UInt8>, at start: Int, _ limits: Limits
    ) throws(ParseError) {
        if positions.isEmpty { positions.reserveCapacity(16) }  // Devices send four to twelve.
        guard positions.count < limits.fieldCount else { throw .tooManyFields }
        guard !ASCII.isBlank(line[0]) else { throw .foldedField }
        guard let position = FieldLine.position(line, at: start) else { throw .malformedField }
        positions.append(position)
    }
}

/// `field-name ":" OWS field-value OWS` of RFC 9112 section 5, in a head and after the last chunk.
enum FieldLine {
    /// The ranges of name and value, counted from `start`; nil when the line is not a field.
    static func position(_ line: borrowing Span<UInt8>, at start: Int) -> Fields.Position? {
        var nameEnd = 0
        while nameEnd < line.count, ASCII.isToken(line[nameEnd]) { nameEnd += 1 }
        guard nameEnd > 0, nameEnd < line.count, line[nameEnd] == ASCII.colon else { return nil }
        var valueStart = nameEnd + 1
        while valueStart < line.count, ASCII.isBlank(line[valueStart]) { valueStart += 1 }
        guard ASCII.isFieldValue(line.extracting(valueStart...)) else { return nil }
        var valueEnd = line.count
        while valueEnd > valueStart, ASCII.isBlank(line[valueEnd - 1]) { valueEnd -= 1 }
        return Fields.Position(
            nameStart: UInt16(start), nameEnd: UInt16(start + nameEnd),
            valueStart: UInt16(start + valueStart), valueEnd: UInt16(start + valueEnd))
    }
}

extension Target {
    /// Parses a request target (RFC 9112 section 3.2).
    ///
    /// - Parameter authority: the value of `Host`. It becomes the host of an absolute target, which
    ///   counts instead (section 3.2.2), also for the check against foreign hosts.
    init(
        _ bytes: borrowing Span<UInt8>, method: Method, authority: inout String?
    ) throws(ParseError) {
        if bytes[0] == ASCII.slash {
            self = try Target.origin(bytes)
        } else if bytes.count == 1, bytes[0] == ASCII.asterisk, method == .options {
            self = Target(path: "*")
        } else {
            self = try Target.absolute(bytes, authority: &authority)
        }
    }

    private static func origin(_ bytes: borrowing Span<UInt8>) throws(ParseError) -> Target {
        var pathEnd = 0
        while pathEnd < bytes.count, bytes[pathEnd] != ASCII.question {
            guard bytes[pathEnd] < 0x80 else { throw .malformedRequestLine }
            pathEnd += 1
        }
        let path = String(copying: bytes.extracting(..<pathEnd))
        guard pathEnd < bytes.count else { return Target(path: path) }
        let query = String(copying: bytes.extracting((pathEnd + 1)...))
        return Target(path: path, query: query)
    }

    private static func absolute(
        _ bytes: borrowing Span<UInt8>, authority: inout String?
    ) throws(ParseError) -> Target {
        guard bytes.count > 7, Grammar.spells(bytes.extracting(..<7), "http://") else {
            throw .unservedTarget
        }
        var end = 7
        while end < bytes.count, bytes[end] != ASCII.slash, bytes[end] != ASCII.question {
            end += 1
        }
        let named = bytes.extracting(7..<end)
        guard Grammar.isHost(named) else { throw .unservedTarget }
        authority = String(copying: named).lowercased()
        if end == bytes.count { return Target(path: "/") }
        if bytes[end] == ASCII.slash { return try origin(bytes.extracting(end...)) }
        return Target(path: "/", query: String(copying: bytes.extracting((end + 1)...)))
    }
}

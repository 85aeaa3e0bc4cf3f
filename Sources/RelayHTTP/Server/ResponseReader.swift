/// Reads the answer of another server as it comes.
struct ResponseReader {
    /// The longest answer that is passed on as a whole, in bytes.
    static let longest = 16 << 20

    private enum State {
        case head
        case content(Response, bytes: Int)
        case chunks(ChunkReader)
        case untilClose
        case complete
    }

    private let isHead: Bool
    private let others: [StaticString]
    private var state = State.head
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - isHead: whether the request was a HEAD, whose answer has no content.
    ///   - others: fields of the answer that are passed on besides the usual ones.
    init(isHead: Bool, passingOn others: [StaticString] = []) {
        (self.isHead, self.others) = (isHead, others)
    }

    var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// - Returns: the parts that are complete; nil when not HTTP.
    mutating func parse(_ bytes: ArraySlice<UInt8>) -> [Forwarder.Piece]? {
        buffer += bytes
        var pieces: [Forwarder.Piece] = []
        if case .head = state {
            guard let end = ResponseHead.end(in: buffer) else {
                return buffer.count > 65_536 ? nil : []
            }
            let head = ResponseHead(buffer[..<end], passingOn: others)
            buffer.removeFirst(end)
            guard let head, begin(head, &pieces) else { return nil }
        }
        switch state {
        case .head, .complete: return pieces
        case .content(var response, let count):
            guard buffer.count >= count else { return pieces }
            response.body = Array(buffer.prefix(count))
            state = .complete
            return pieces + [.whole(response)]
        case .untilClose:
            if !buffer.isEmpty { pieces.append(.more(buffer)) }
            buffer = []
            return pieces
        case .chunks(var chunks):
            var rest = buffer[...]
            guard let content = chunks.take(&rest) else { return nil }
            buffer = Array(rest)
            state = chunks.isComplete ? .complete : .chunks(chunks)
            if !content.isEmpty { pieces.append(.more(content)) }
            return pieces + (chunks.isComplete ? [.end] : [])
        }
    }

    /// The connection has ended.
    func end() -> [Forwarder.Piece]? {
        if case .untilClose = state { [.end] } else { nil }
    }

    private mutating func begin(_ head: ResponseHead, _ pieces: inout [Forwarder.Piece]) -> Bool {
        var response = head.response
        let length = head.length
        if isHead || response.status == 204 || response.status == 304 {
            state = .complete
            response.headLength = isHead ? length : nil
            let hasLength = !isHead || length != nil
            pieces +=
                hasLength
                ? [.whole(response)] : [.opening(response, hasEnd: head.isChunked), .end]
        } else if head.isChunked {
            state = .chunks(ChunkReader())
            pieces.append(.opening(response, hasEnd: true))
        } else if let length {
            guard (0...ResponseReader.longest).contains(length) else { return false }
            state = .content(response, bytes: length)
        } else {
            state = .untilClose
            pieces.append(.opening(response, hasEnd: false))
        }
        return true
    }
}

/// The head of another server's answer: the answer without its content, and how that is framed.
struct ResponseHead {
    /// The fields of an answer that are passed on.
    private static let names: [StaticString] = [
        "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Origin", "Access-Control-Max-Age", "Allow", "Cache-Control",
        "Content-Disposition", "Content-Security-Policy", "Content-Type", "ETag", "Location",
        "Referrer-Policy", "Retry-After", "Service-Worker-Allowed", "Set-Cookie", "Vary",
        "WWW-Authenticate", "X-Accel-Buffering",
    ]

    var response: Response
    /// The length of the content in bytes, if it is said.
    var length: Int?
    var isChunked = false

    /// - Parameter others: further fields that are passed on.
    /// - Returns: nil for anything but the head of an answer.
    init?(_ bytes: some Collection<UInt8>, passingOn others: [StaticString] = []) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1."),
            let status = Int(first.dropFirst(9).prefix(3)), (200...599).contains(status)
        else { return nil }
        response = Response(status: status)
        for line in lines.dropFirst() where !parse(line, others) { return nil }
    }

    /// - Returns: false for a length that is none, or is another one than before.
    private mutating func parse(_ line: Substring, _ others: [StaticString]) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return true }
        let name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        if name == "content-length" {
            guard let given = Grammar.decimal(value.utf8.span), length ?? given == given else {
                return false
            }
            length = given
        }
        if name == "transfer-encoding" { isChunked = value.lowercased() == "chunked" }
        let names = ResponseHead.names + others
        if let known = names.first(where: { "\($0)".lowercased() == name }) {
            response.fields.append(Response.Field(known, String(value)))
        }
        return true
    }

    /// The position behind the empty line that ends the head; nil while incomplete.
    static func end(in bytes: [UInt8]) -> Int? {
        let ending: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard bytes.count >= ending.count else { return nil }
        return (0...(bytes.count - ending.count)).first { bytes[$0...].starts(with: ending) }
            .map { $0 + ending.count }
    }
}

/// Reads the chunks of an answer (RFC 9112 section 7.1) as they come.
struct ChunkReader {
    /// The missing bytes of the present chunk, with its line end; nil before its size.
    private var rest: Int?
    private(set) var isComplete = false

    /// The longest line with a chunk's size, in bytes.
    private static let longestLine = 64

    /// Removes what it has read.
    ///
    /// - Returns: the content; nil when these are no chunks, or one is longer than
    ///   `ResponseReader.longest`.
    mutating func take(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        var content: [UInt8] = []
        while !isComplete {
            if let left = rest {
                guard !bytes.isEmpty else { break }
                let count = min(left, bytes.count)
                content += bytes.prefix(min(count, max(0, left - 2)))
                bytes = bytes.dropFirst(count)
                rest = left == count ? nil : left - count
            } else {
                guard let end = bytes.firstIndex(of: ASCII.lineFeed) else {
                    return bytes.count > ChunkReader.longestLine ? nil : content
                }
                guard let size = ChunkReader.size(bytes[..<end]) else { return nil }
                bytes = bytes[(end + 1)...]
                isComplete = size == 0
                rest = size + 2
            }
        }
        return content
    }

    /// The size that the line says, without extensions.
    private static func size(_ line: ArraySlice<UInt8>) -> Int? {
        let digits = line.prefix { $0 != ASCII.semicolon && $0 != ASCII.carriageReturn }
        guard digits.allSatisfy({ ASCII.hexValue($0) != nil }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
            size <= ResponseReader.longest
        else { return nil }
        return size
    }
}

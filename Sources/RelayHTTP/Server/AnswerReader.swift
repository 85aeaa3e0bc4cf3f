/// Reads the answer of another server as it comes.
struct AnswerReader {
    /// The fields of an answer that are passed on.
    private static let names: [StaticString] = [
        "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Origin", "Access-Control-Max-Age", "Allow", "Cache-Control",
        "Content-Disposition", "Content-Security-Policy", "Content-Type", "ETag", "Location",
        "Referrer-Policy", "Retry-After", "Service-Worker-Allowed", "Set-Cookie", "Vary",
        "WWW-Authenticate", "X-Accel-Buffering", "X-Beemed-Not-Leading",
    ]

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
    private var state = State.head
    private var buffer: [UInt8] = []

    init(isHead: Bool) { self.isHead = isHead }

    var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// - Returns: the parts that are complete; nil when it is not HTTP.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> [Forwarder.Piece]? {
        buffer += bytes
        var pieces: [Forwarder.Piece] = []
        if case .head = state {
            guard let end = AnswerReader.end(ofHeadIn: buffer) else {
                return buffer.count > 65_536 ? nil : []
            }
            let head = String(decoding: buffer[..<end], as: UTF8.self)
            buffer.removeFirst(end)
            guard begin(head, &pieces) else { return nil }
        }
        switch state {
        case .head, .complete: return pieces
        case .content(var response, let count):
            guard buffer.count >= count else { return pieces }
            response.body = buffer.prefix(count)
            state = .complete
            return pieces + [.whole(response)]
        case .untilClose:
            if !buffer.isEmpty { pieces.append(.more(buffer)) }
            buffer = []
            return pieces
        case .chunks(var chunks):
            guard let content = chunks.take(&buffer) else { return nil }
            state = chunks.isComplete ? .complete : .chunks(chunks)
            if !content.isEmpty { pieces.append(.more(content)) }
            return pieces + (chunks.isComplete ? [.end] : [])
        }
    }

    /// The connection has ended.
    func end() -> [Forwarder.Piece]? {
        if case .untilClose = state { [.end] } else { nil }
    }

    private mutating func begin(_ head: String, _ pieces: inout [Forwarder.Piece]) -> Bool {
        let lines = head.split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1."),
            let status = Int(first.dropFirst(9).prefix(3)), (200...599).contains(status)
        else { return false }
        var response = Response(status: status)
        var length: Int?
        var isChunked = false
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].lowercased()
            var value = line[line.index(after: colon)...]
            while value.first == " " { value.removeFirst() }
            if name == "content-length" { length = Int(value) }
            if name == "transfer-encoding" { isChunked = value.lowercased() == "chunked" }
            if let known = AnswerReader.names.first(where: { "\($0)".lowercased() == name }) {
                response.fields.append(Response.Field(known, String(value)))
            }
        }
        if isHead || status == 204 || status == 304 {
            state = .complete
            response.headLength = isHead ? length.map { max(0, $0) } : nil
            let hasLength = !isHead || length != nil
            pieces +=
                hasLength
                ? [.whole(response)] : [.opening(response, hasEnd: isChunked), .end]
        } else if isChunked {
            state = .chunks(ChunkReader())
            pieces.append(.opening(response, hasEnd: true))
        } else if let length {
            guard (0...AnswerReader.longest).contains(length) else { return false }
            state = .content(response, bytes: length)
        } else {
            state = .untilClose
            pieces.append(.opening(response, hasEnd: false))
        }
        return true
    }

    private static func end(ofHeadIn bytes: [UInt8]) -> Int? {
        let mark: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard bytes.count >= mark.count else { return nil }
        return (0...(bytes.count - mark.count)).first { bytes[$0...].starts(with: mark) }
            .map { $0 + mark.count }
    }
}

/// Reads chunks (RFC 9112 section 7.1).
struct ChunkReader {
    /// What is left of the present chunk, with its line end; nil before its size.
    private var rest: Int?
    private(set) var isComplete = false

    /// - Returns: the content; nil when these are no chunks.
    mutating func take(_ buffer: inout [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        while !isComplete {
            if let left = rest {
                guard !buffer.isEmpty else { break }
                let count = min(left, buffer.count)
                content += buffer.prefix(min(count, max(0, left - 2)))
                buffer.removeFirst(count)
                rest = left == count ? nil : left - count
            } else {
                guard let end = buffer.firstIndex(of: 0x0A) else {
                    return buffer.count > 64 ? nil : content
                }
                let digits = String(decoding: buffer[..<end], as: UTF8.self)
                    .prefix { $0 != ";" && $0 != "\r" && $0 != "\r\n" }
                guard let size = Int(digits, radix: 16),
                    (0...AnswerReader.longest).contains(size)
                else { return nil }
                buffer.removeFirst(end + 1)
                isComplete = size == 0
                rest = size + 2
            }
        }
        return content
    }
}

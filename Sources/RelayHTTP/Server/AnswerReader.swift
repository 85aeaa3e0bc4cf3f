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
            guard let end = AnswerHead.end(in: buffer) else {
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

    /// What a head says: the answer without its content, and how that is framed.
    private struct Opening {
        var response: Response
        var length: Int?
        var isChunked = false

        /// Nil when it is not the head of an answer.
        init?(_ head: String) {
            let lines = head.split(separator: "\r\n")
            guard let first = lines.first, first.hasPrefix("HTTP/1."),
                let status = Int(first.dropFirst(9).prefix(3)), (200...599).contains(status)
            else { return nil }
            response = Response(status: status)
            for line in lines.dropFirst() where !read(line) { return nil }
        }

        /// - Returns: false for a length that is none, or is another one than before.
        private mutating func read(_ line: Substring) -> Bool {
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
            if let known = AnswerReader.names.first(where: { "\($0)".lowercased() == name }) {
                response.fields.append(Response.Field(known, String(value)))
            }
            return true
        }
    }

    private mutating func begin(_ head: String, _ pieces: inout [Forwarder.Piece]) -> Bool {
        guard let opening = Opening(head) else { return false }
        var response = opening.response
        let length = opening.length
        if isHead || response.status == 204 || response.status == 304 {
            state = .complete
            response.headLength = isHead ? length : nil
            let hasLength = !isHead || length != nil
            pieces +=
                hasLength
                ? [.whole(response)] : [.opening(response, hasEnd: opening.isChunked), .end]
        } else if opening.isChunked {
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
}

/// Reads the answer of another server as it comes.
struct ResponseReader {
    private enum State {
        case head
        case content(Response, bytes: Int)
        case chunks(ChunkedDecoder)
        case untilClose
        case complete
    }

    private let isHead: Bool
    private let longest: Int
    private var state = State.head
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - isHead: whether the request was a HEAD, whose answer has no content.
    ///   - longest: the longest answer that is passed on as a whole, in bytes.
    init(isHead: Bool, longest: Int = 16 << 20) {
        (self.isHead, self.longest) = (isHead, longest)
    }

    var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// - Returns: the parts that are complete; nil when not HTTP.
    mutating func parse(_ bytes: ArraySlice<UInt8>) -> [Answer.Content]? {
        buffer += bytes
        var pieces: [Answer.Content] = []
        if case .head = state {
            guard let end = ASCII.position(of: ResponseHead.ending, in: buffer[...]) else {
                return buffer.count > 65_536 ? nil : []
            }
            let head = ResponseHead(buffer[..<end])
            buffer.removeFirst(end + ResponseHead.ending.count)
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
        case .chunks(var decoder):
            let decoded = try? decoder.decode(buffer.span, bodyBytes: .max, ResponseReader.limits)
            guard let (taken, isComplete) = decoded else { return nil }
            buffer.removeFirst(taken)
            let content = decoder.takeBody()
            state = isComplete ? .complete : .chunks(decoder)
            if !content.isEmpty { pieces.append(.more(content)) }
            return pieces + (isComplete ? [.end] : [])
        }
    }

    private static let limits = Limits()

    /// The connection has ended.
    func end() -> [Answer.Content]? {
        if case .untilClose = state { [.end] } else { nil }
    }

    private mutating func begin(_ head: ResponseHead, _ pieces: inout [Answer.Content]) -> Bool {
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
            state = .chunks(ChunkedDecoder())
            pieces.append(.opening(response, hasEnd: true))
        } else if let length {
            guard length <= longest else { return false }
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
    /// The fields that are not passed on: those of one connection (RFC 9110 section 7.6.1), and
    /// those that each server adds to its own answers.
    private static let dropped: Set = [
        "connection", "content-length", "date", "keep-alive", "transfer-encoding", "trailer",
        "upgrade", "x-content-type-options",
    ]

    var response: Response
    /// The length of the content in bytes, if it is said.
    var length: Int?
    var isChunked = false

    /// - Returns: nil for anything but the head of an answer.
    init?(_ bytes: ArraySlice<UInt8>) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1."),
            let status = Int(first.dropFirst(9).prefix(3)), (200...599).contains(status)
        else { return nil }
        response = Response(status: status)
        for line in lines.dropFirst() where !parse(line) { return nil }
    }

    /// - Returns: false for a length that is none, or is another one than before.
    private mutating func parse(_ line: Substring) -> Bool {
        guard let colon = line.firstIndex(of: ":"), line[..<colon].utf8.allSatisfy(ASCII.isToken)
        else { return true }
        let name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        if name == "content-length" {
            guard let given = Grammar.decimal(value.utf8.span), length ?? given == given else {
                return false
            }
            length = given
        }
        if name == "transfer-encoding" { isChunked = value.lowercased() == "chunked" }
        if !ResponseHead.dropped.contains(name) {
            response.fields.append(Response.Field(String(line[..<colon]), String(value)))
        }
        return true
    }

    static let ending: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
}

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
    private let others: [String]
    private var state = State.head
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - isHead: whether the request was a HEAD, whose answer has no content.
    ///   - others: fields of the answer that are passed on besides the usual ones.
    ///   - longest: the longest answer that is passed on as a whole, in bytes.
    init(isHead: Bool, passingOn others: [String] = [], longest: Int = 16 << 20) {
        (self.isHead, self.others, self.longest) = (isHead, others, longest)
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
            let head = ResponseHead(buffer[..<end], passingOn: others)
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
    /// The fields of an answer that are passed on.
    private static let names = [
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
    init?(_ bytes: ArraySlice<UInt8>, passingOn others: [String]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1."),
            let status = Int(first.dropFirst(9).prefix(3)), (200...599).contains(status)
        else { return nil }
        response = Response(status: status)
        for line in lines.dropFirst() where !parse(line, others) { return nil }
    }

    /// - Returns: false for a length that is none, or is another one than before.
    private mutating func parse(_ line: Substring, _ others: [String]) -> Bool {
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
        if let known = names.first(where: { $0.lowercased() == name }) {
            response.fields.append(Response.Field(known, String(value)))
        }
        return true
    }

    static let ending: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
}

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

    /// - Returns: the parts that are complete; nil when it is not HTTP.
    mutating func read(_ bytes: ArraySlice<UInt8>) -> [Forwarder.Piece]? {
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

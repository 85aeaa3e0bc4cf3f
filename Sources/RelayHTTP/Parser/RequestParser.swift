/// Parses bytes into requests. Owns no socket and reads no clock. A value: a test can copy the
/// parser at any byte.
///
/// After a fault it reads nothing more: the start of the next request is unknown.
package struct RequestParser: Sendable {
    /// The result of parsing.
    package enum Event: Sendable {
        /// The head of a request whose content is incomplete: `admit(bodyBytes:)` says how much of
        /// it is accepted. Small content that arrived together with its head needs no admission.
        case announced(Request)
        case request(Request)
    }

    /// The part of a request that is being read.
    package enum Position: Sendable {
        case betweenRequests, inHead, inBody, failed
    }

    private enum Body: Sendable {
        case none
        case announced(Head)
        case length(Int, of: Head)
        case chunked(ChunkedDecoder, bodyBytes: Int, of: Head)
    }

    /// Line feeds and zeros behind a request that are ignored, at most: programs in C send the end
    /// of a string or of a line with it.
    private static let maxStrayBytes = 4

    private let limits: Limits
    private var buffer: [UInt8] = []
    private var start = 0
    private var head = HeadParser()
    /// The last head: a client often sends the same one again on a connection.
    private var last: Head?
    /// Whether the last head, or as much of it as has come, is that of a HEAD.
    var isHead = false
    private var body = Body.none
    /// How many stray bytes may still follow the last request.
    private var strayBytes = 0
    private var failure: ParseError?

    /// A parser at the start of a connection.
    package init(limits: Limits = Limits()) {
        self.limits = limits.checked()
    }

    /// Bytes fed that do not yet belong to a request that was handed out.
    package var bufferedBytes: Int { buffer.count - start }

    /// The part of a request that is being read.
    package var position: Position {
        if failure != nil { return .failed }
        guard case .none = body else { return .inBody }
        return bufferedBytes <= head.emptyLineBytes ? .betweenRequests : .inHead
    }

    /// Whether what follows the last request begins another one, or may do so when more has come.
    var mayBeginRequest: Bool {
        bufferedBytes == 0 || HeadParser.mayBegin(buffer.span.extracting(start...))
    }

    /// Whether a byte may stand between two requests.
    static func isStray(_ byte: UInt8) -> Bool {
        byte == ASCII.lineFeed || byte == 0 || byte == ASCII.carriageReturn
    }

    /// Hands out all that was fed and not read.
    mutating func takeRest() -> [UInt8] {
        defer { consume(bufferedBytes) }
        return Array(buffer[start...])
    }

    /// Whether all that was fed and not read is one object or list of JSON.
    var isRestWholeJSON: Bool { JSONExtent.isWhole(buffer.span.extracting(start...)) }

    /// The longest content that the request being read may have; 0 while none is read.
    var admittedBytes: Int {
        switch body {
        case .none, .announced: 0
        case .length(let length, _): length
        case .chunked(_, let bodyBytes, _): bodyBytes
        }
    }

    /// How many bytes to read now: the rest of the content and a little more, which shows whether
    /// its length was right; anything after that stays in the client's socket.
    var readLimit: Int {
        switch body {
        case .none, .announced: limits.headReadBytes
        case .length(let length, _): max(1, length - bufferedBytes) + limits.lookaheadBytes
        case .chunked: .max
        }
    }

    /// Adds bytes in order of arrival. Call `next()` until it returns nil, then feed again: that
    /// keeps the buffer within the limits.
    package mutating func feed(_ bytes: borrowing Span<UInt8>) {
        guard failure == nil else { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        }
        buffer.append(copying: bytes)
    }

    /// The next event, or nil when more bytes are needed. After a fault each call throws the same.
    package mutating func next() throws(ParseError) -> Event? {
        if let failure { throw failure }
        do throws(ParseError) {
            return try advance()
        } catch {
            fail(error)
            throw error
        }
    }

    private mutating func advance() throws(ParseError) -> Event? {
        if case .none = body {
            while strayBytes > 0, head.scanned == 0, bufferedBytes > 0,
                buffer[start] == ASCII.lineFeed || buffer[start] == 0
            {
                strayBytes -= 1
                consume(1)
            }
            guard bufferedBytes > 0 else { return nil }
            if let last, isNext(last) {
                consume(last.fields.bytes.count)
                return startBody(of: last)
            }
            var head = self.head
            defer { isHead = head.requestLine?.method == .head }
            self.head = HeadParser()  // Leaves one reference, so growing copies nothing.
            guard try head.advance(buffer.span.extracting(start...), limits) else {
                self.head = head
                return nil
            }
            return try finish(head)
        }
        return try advanceBody()
    }

    /// Whether the same head follows, byte for byte: then its parsed result is valid again.
    private func isNext(_ known: Head) -> Bool {
        let wanted = known.fields.bytes
        guard head.scanned == 0, bufferedBytes >= wanted.count else { return false }
        return buffer.span.extracting(start..<(start + wanted.count)).equals(wanted.span)
    }

    /// The head is complete: determines the framing and continues with the body.
    private mutating func finish(_ head: HeadParser) throws(ParseError) -> Event? {
        guard let line = head.requestLine else { preconditionFailure("a head has a first line") }
        let bytes = Array(buffer[start..<(start + head.scanned)])
        let fields = Fields(bytes: bytes, positions: head.positions)
        var framing = try Framing(fields, version: line.version)
        let target = try Target(
            bytes.span.extracting(line.target), method: line.method, authority: &framing.host)
        let found = Head(line.method, target, fields, framing)
        last = found.isLong ? nil : found
        consume(head.scanned)
        return startBody(of: found)
    }

    private mutating func startBody(of head: Head) -> Event {
        strayBytes = RequestParser.maxStrayBytes
        switch head.framing.content {
        case .none:
            return .request(Request(head))
        case .length(let length):
            // The head decides on longer content, also if that has come with it.
            if length <= min(bufferedBytes, limits.bodyBytes) {
                return .request(take(length, of: head))
            }
        case .chunked: break
        }
        body = .announced(head)
        return .announced(Request(head))
    }

    /// The whole request whose content is next in the buffer.
    private mutating func take(_ length: Int, of head: Head) -> Request {
        let content = [UInt8](copying: buffer.span.extracting(start..<(start + length)))
        consume(length)
        return Request(head, body: content)
    }

    /// Accepts the announced content up to this many bytes. If the head has declared more, `next()`
    /// throws. Returns whether the client waits for `100 Continue` before it sends the content (RFC
    /// 9110 section 10.1.1).
    package mutating func admit(bodyBytes: Int) -> Bool {
        guard case .announced(let head) = body else {
            preconditionFailure("nothing was announced")
        }
        switch head.framing.content {
        case .none: preconditionFailure("what has no content is not announced")
        case .length(let length):
            guard length <= bodyBytes else {
                fail(.bodyTooLarge)
                return false
            }
            body = .length(length, of: head)
        case .chunked:
            body = .chunked(ChunkedDecoder(), bodyBytes: bodyBytes, of: head)
        }
        return head.framing.expectsContinue && bufferedBytes == 0
    }

    private mutating func advanceBody() throws(ParseError) -> Event? {
        switch body {
        case .none:
            preconditionFailure("there is a body to read")
        case .announced:
            return nil
        case .length(let length, let head):
            guard bufferedBytes >= length else { return nil }
            body = .none
            return .request(take(length, of: head))
        case .chunked(var decoder, let bodyBytes, let head):
            body = .none  // Leaves one reference, so growing copies nothing.
            let (taken, isComplete) = try decoder.decode(
                buffer.span.extracting(start...), bodyBytes: bodyBytes, limits)
            consume(taken)
            guard isComplete else {
                body = .chunked(decoder, bodyBytes: bodyBytes, of: head)
                return nil
            }
            var request = Request(head)
            request.body = decoder.body
            return .request(request)
        }
    }

    private mutating func fail(_ error: ParseError) {
        failure = error
        last = nil
        buffer = []
        start = 0
        body = .none
    }

    private mutating func consume(_ count: Int) {
        start += count
        if start == buffer.count, buffer.capacity > 8_192 {
            (buffer, start) = ([], 0)
        } else if start > 65_536 {
            buffer.removeSubrange(..<start)
            start = 0
        }
    }
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

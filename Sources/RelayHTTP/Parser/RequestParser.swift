/// Bytes in, requests out. It owns no socket and reads no clock, and it is a value: a test can
/// fork it at any byte.
///
/// After a fault it reads nothing more, for ever: where the next request would begin is unknown.
package struct RequestParser: Sendable {
    /// What the bytes so far amount to.
    package enum Event: Sendable {
        /// The client waits for `100 Continue` before it sends the body (RFC 9110 section
        /// 10.1.1).
        case continueExpected
        /// A whole request.
        case request(Request)
    }

    /// Where in a request the parser stands.
    package enum Position: Sendable {
        case betweenRequests, inHead, inBody, failed
    }

    private enum Body: Sendable {
        case none
        case length(Int, of: Request)
        case chunked(ChunkedDecoder, of: Request)
    }

    private let limits: Limits
    private var buffer: [UInt8] = []
    private var start = 0
    private var head = HeadParser()
    private var body = Body.none
    private var failure: ParseError?

    /// A parser at the start of a connection.
    package init(limits: Limits = Limits()) {
        self.limits = limits.checked()
    }

    /// Bytes fed and not yet part of a request that was handed out.
    package var bufferedBytes: Int { buffer.count - start }

    /// Where in a request the parser stands.
    package var position: Position {
        if failure != nil { return .failed }
        guard case .none = body else { return .inBody }
        return bufferedBytes <= head.emptyLineBytes ? .betweenRequests : .inHead
    }

    /// Takes bytes in the order they came. Call `next()` until it returns nil, then feed again:
    /// that keeps the buffer within the limits.
    package mutating func feed(_ bytes: borrowing Span<UInt8>) {
        guard failure == nil else { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 8_192)
            start = 0
        }
        buffer.append(copying: bytes)
    }

    /// The next event, or nil when more bytes are needed.
    ///
    /// - Throws: what is wrong with the bytes; the same again at every later call.
    package mutating func next() throws(ParseError) -> Event? {
        if let failure { throw failure }
        do throws(ParseError) {
            return try advance()
        } catch {
            failure = error
            buffer = []
            start = 0
            throw error
        }
    }

    private mutating func advance() throws(ParseError) -> Event? {
        if case .none = body {
            guard bufferedBytes > 0 else { return nil }
            var head = self.head
            self.head = HeadParser()  // So that the copy is the only one, and growing it is free.
            guard try head.advance(buffer.span.extracting(start...), limits) else {
                self.head = head
                return nil
            }
            return try finish(head)
        }
        return try advanceBody()
    }

    /// The head is complete: reads what it says and goes on with the body.
    private mutating func finish(_ head: HeadParser) throws(ParseError) -> Event? {
        guard let line = head.requestLine else { preconditionFailure("a head has a first line") }
        let bytes = Array(buffer[start..<(start + head.scanned)])
        let framing = try Framing(bytes.span, head.places, version: line.version)
        var host = framing.host
        let target = try Target(
            bytes.span.extracting(line.target), method: line.method, authority: &host)
        let request = Request(
            method: line.method, target: target, version: line.version,
            fields: Fields(bytes: bytes, places: head.places), host: host, body: [],
            keepsAlive: framing.keepsAlive)
        consume(head.scanned)
        return try startBody(framing, of: request)
    }

    private mutating func startBody(
        _ framing: Framing, of request: Request
    ) throws(ParseError) -> Event? {
        switch framing.body {
        case .none:
            return .request(request)
        case .length(let length):
            guard length <= limits.bodyBytes(path: request.target.path) else {
                throw .bodyTooLarge
            }
            body = .length(length, of: request)
        case .chunked:
            body = .chunked(ChunkedDecoder(), of: request)
        }
        // A client that has already sent some of the body does not wait for a go-ahead.
        if framing.expectsContinue, bufferedBytes == 0 { return .continueExpected }
        return try advanceBody()
    }

    private mutating func advanceBody() throws(ParseError) -> Event? {
        switch body {
        case .none:
            preconditionFailure("there is a body to read")
        case .length(let length, of: var request):
            guard bufferedBytes >= length else { return nil }
            request.body = Array(buffer[start..<(start + length)])
            consume(length)
            body = .none
            return .request(request)
        case .chunked(var decoder, of: var request):
            body = .none  // The decoder is ours alone while it grows, so it is not copied.
            let limit = limits.bodyBytes(path: request.target.path)
            let (taken, isComplete) = try decoder.decode(
                buffer.span.extracting(start...), bodyBytes: limit, limits)
            consume(taken)
            guard isComplete else {
                body = .chunked(decoder, of: request)
                return nil
            }
            request.body = decoder.body
            return .request(request)
        }
    }

    private mutating func consume(_ count: Int) {
        start += count
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 8_192)
            start = 0
        } else if start > 65_536 {
            buffer.removeSubrange(..<start)
            start = 0
        }
    }
}

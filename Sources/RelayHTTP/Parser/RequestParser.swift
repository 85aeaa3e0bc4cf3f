/// Bytes in, requests out. It owns no socket and reads no clock, and it is a value: a test can
/// fork it at any byte.
///
/// After a fault it reads nothing more, for ever: where the next request would begin is unknown.
package struct RequestParser: Sendable {
    /// What the bytes so far amount to.
    package enum Event: Sendable {
        /// The head of a request whose content has not all come: `admit(bodyBytes:)` says how
        /// much of it is taken. What is small and came in one go with its head needs no asking.
        case announced(PendingRequest)
        /// A whole request.
        case request(Request)
    }

    /// Where in a request the parser stands.
    package enum Position: Sendable {
        case betweenRequests, inHead, inBody, failed
    }

    private enum Body: Sendable {
        case none
        case announced(Framing, of: Request)
        case length(Int, of: Request)
        case chunked(ChunkedDecoder, bodyBytes: Int, of: Request)
    }

    private let limits: Limits
    private var buffer: [UInt8] = []
    private var start = 0
    private var head = HeadParser()
    /// The last head and what it said: a client on a connection often sends the same once more.
    private var last: (head: Head, framing: Framing)?
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

    /// Whether it was announced that content comes, and nobody has said how much is taken.
    package var awaitsAdmission: Bool {
        if case .announced = body { true } else { false }
    }

    /// How many bytes are of use now: what completes the content and no more, so that what a
    /// client runs ahead by stays in its own socket.
    var readLimit: Int {
        switch body {
        case .none, .announced: limits.headReadBytes
        case .length(let length, _): max(1, length - bufferedBytes)
        case .chunked: .max
        }
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
            fail(error)
            throw error
        }
    }

    private mutating func advance() throws(ParseError) -> Event? {
        if case .none = body {
            guard bufferedBytes > 0 else { return nil }
            if let last, isNext(last.head) {
                consume(last.head.fields.bytes.count)
                return try startBody(last.framing, of: Request(last.head))
            }
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

    /// Whether the same head follows, byte for byte: then all that was found of it holds again.
    private func isNext(_ known: Head) -> Bool {
        let wanted = known.fields.bytes
        guard head.scanned == 0, bufferedBytes >= wanted.count else { return false }
        return buffer.span.extracting(start..<(start + wanted.count)).equals(wanted.span)
    }

    /// The head is complete: reads what it says and goes on with the body.
    private mutating func finish(_ head: HeadParser) throws(ParseError) -> Event? {
        guard let line = head.requestLine else { preconditionFailure("a head has a first line") }
        let bytes = Array(buffer[start..<(start + head.scanned)])
        let framing = try Framing(bytes.span, head.places, version: line.version)
        var host = framing.host
        let target = try Target(
            bytes.span.extracting(line.target), method: line.method, authority: &host)
        let found = Head(
            method: line.method, target: target, version: line.version,
            fields: Fields(bytes: bytes, places: head.places), host: host,
            keepsAlive: framing.keepsAlive)
        last = (found, framing)
        consume(head.scanned)
        return try startBody(framing, of: Request(found))
    }

    private mutating func startBody(
        _ framing: Framing, of request: Request
    ) throws(ParseError) -> Event? {
        var declared: Int?
        switch framing.body {
        case .none:
            return .request(request)
        case .length(let length):
            declared = length
            if length <= min(bufferedBytes, limits.bodyBytes) {
                body = .length(length, of: request)
                return try advanceBody()
            }
        case .chunked: break
        }
        body = .announced(framing, of: request)
        return .announced(PendingRequest(request: request, bodyBytes: declared))
    }

    /// Takes the announced content, up to so many bytes. When the head has declared more than
    /// that, `next()` throws.
    ///
    /// - Returns: whether the client waits for `100 Continue` before it sends the content
    ///   (RFC 9110 section 10.1.1).
    package mutating func admit(bodyBytes: Int) -> Bool {
        guard case .announced(let framing, let request) = body else {
            preconditionFailure("nothing was announced")
        }
        switch framing.body {
        case .none: preconditionFailure("what has no content is not announced")
        case .length(let length):
            guard length <= bodyBytes else {
                fail(.bodyTooLarge)
                return false
            }
            body = .length(length, of: request)
        case .chunked:
            body = .chunked(ChunkedDecoder(), bodyBytes: bodyBytes, of: request)
        }
        // A client that has already sent some of the body does not wait for a go-ahead.
        return framing.expectsContinue && bufferedBytes == 0
    }

    private mutating func advanceBody() throws(ParseError) -> Event? {
        switch body {
        case .none:
            preconditionFailure("there is a body to read")
        case .announced:
            return nil
        case .length(let length, of: var request):
            guard bufferedBytes >= length else { return nil }
            request.body = Array(buffer[start..<(start + length)])
            consume(length)
            body = .none
            return .request(request)
        case .chunked(var decoder, let bodyBytes, of: var request):
            body = .none  // The decoder is ours alone while it grows, so it is not copied.
            let (taken, isComplete) = try decoder.decode(
                buffer.span.extracting(start...), bodyBytes: bodyBytes, limits)
            consume(taken)
            guard isComplete else {
                body = .chunked(decoder, bodyBytes: bodyBytes, of: request)
                return nil
            }
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
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 8_192)
            start = 0
        } else if start > 65_536 {
            buffer.removeSubrange(..<start)
            start = 0
        }
    }
}

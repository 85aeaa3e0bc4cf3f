/// The state of one connection as a value: input, output and the next step.
///
/// Hands out one request at a time, the next one only after its answer, so that pipelined requests
/// are answered in order (RFC 9112 section 9.3.2). It holds no socket and reads no clock.
package struct Connection: Sendable {
    private enum Phase: Sendable {
        /// Reads a request, or waits for one.
        case reading
        /// Reads the content of a request without a length, up to the end of the input. Rare, so an
        /// object: else each look at the phase copies the room for a request.
        indirect case gathering(UnframedContent)
        /// A request was handed out and is not answered yet. When it is held, the application is
        /// told that the client gives up meanwhile.
        case answering(ResponseEncoder.Frame, isHeld: Bool)
        /// An answer without a length was begun; input from the peer is discarded.
        case streaming(Ending)
        /// The last answer is in the outbox.
        case finishing
        /// All is sent; input is discarded until the peer closes. To close with unread input would
        /// cause a reset, which could overtake the answer (RFC 9112 section 9.6).
        case lingering
    }

    /// The content of a request that does not say how long it is.
    private struct UnframedContent: Sendable {
        let request: Request
        /// The greatest length; nil until admitted.
        var limit: Int?
        /// Whether nothing more will come, although the client has not said so.
        var isWhole = false
    }

    /// The server's next action.
    package enum Step: Sendable {
        /// Nothing until the next event.
        case wait
        /// Decide whether to accept the content, and call `admit(bodyBytes:)` or `refuse(_:date:)`
        /// before anything else.
        case ask(Request)
        /// Pass this request to the application.
        case deliver(Request)
        /// Answer this fault with `refuse(_:date:)`.
        case refuse(ParseError)
        /// Tell the application that the client of a held request has closed its sending direction,
        /// that is, has given up. The request must be answered then.
        case endWait
        /// Close the sending direction and go on reading.
        case shutDown
        case close
    }

    /// How an answer ends that is sent in parts.
    private enum Ending: Sendable {
        /// Never, except with the connection: an event stream. The stream has no chunks, since
        /// every client that reads streams can read without.
        case connection
        /// With its last part: what tells the client that parts are missing, if anything, is in
        /// the bytes themselves.
        case lastPart
        /// With its last chunk.
        case lastChunk
    }

    /// The current wait for the peer or the application; each new value has its own deadline.
    package struct Wait: Equatable, Sendable {
        package enum Kind: Sendable {
            case idle, head, body, answer, write, linger
            /// For more of a content that has no length: each byte begins it anew.
            case silence
        }
        package var kind: Kind
        /// Distinguishes the waits of successive requests, and the progress of a slow reader.
        var mark: Int
    }

    /// Output; the bytes from `sent` on are not sent yet.
    package private(set) var outbox: [UInt8] = []
    /// How many bytes of the outbox were sent.
    package private(set) var sent = 0

    private let limits: Limits
    private var parser: RequestParser
    private var phase = Phase.reading
    private var hasInputEnded = false
    /// Whether an open answer was abandoned, and the application is not told yet.
    private var owesEnd = false
    private var isDraining = false
    private var requests = 0
    private var sentInAll = 0

    /// Creates the state of a connection that was just accepted.
    package init(limits: Limits) {
        self.limits = limits
        parser = RequestParser(limits: limits)
    }

    /// The number of bytes still to be sent.
    @inline(__always)  // Else a connection is copied for each, here and below.
    package var unsentBytes: Int { outbox.count - sent }

    /// Whether to read more input. While a request is in work, a peer may send up to one head
    /// ahead; further input stays in its socket. After `drain()` only the rest of a request that
    /// has begun is read.
    @inline(__always)
    package var wantsInput: Bool {
        guard !hasInputEnded else { return false }
        switch phase {
        case .reading: return unsentBytes <= limits.unsentPerClient
        case .gathering(let content): return content.limit != nil
        case .answering: return !isDraining && parser.bufferedBytes < limits.headBytes
        case .streaming, .finishing, .lingering: return true
        }
    }

    /// The longest content that the request being read may have; 0 while none is read.
    var admittedBytes: Int {
        switch phase {
        case .reading: parser.admittedBytes
        case .gathering(let content): content.limit ?? 0
        case .answering, .streaming, .finishing, .lingering: 0
        }
    }

    /// How many bytes may be read at once. Input after the last answer is discarded.
    var readLimit: Int {
        switch phase {
        case .reading, .answering, .gathering: parser.readLimit
        case .streaming, .finishing, .lingering: .max
        }
    }

    /// Whether the request is held, or its answer has no end.
    var isHeld: Bool {
        switch phase {
        case .answering(_, let isHeld): isHeld
        case .streaming(let ending): ending == .connection
        case .reading, .gathering, .finishing, .lingering: false
        }
    }

    /// Whether an answer with an end was begun and is not complete.
    var isSendingParts: Bool {
        if case .streaming(let ending) = phase { ending != .connection } else { false }
    }

    var waitsForAnswer: Bool {
        if case .answering = phase { true } else { false }
    }

    /// Whether all parts so far of an open answer were sent, so that the next one may follow.
    var wantsNextPart: Bool {
        if case .streaming = phase { unsentBytes == 0 } else { false }
    }

    /// Whether the application is told when this connection ends.
    var tellsEnd: Bool { owesEnd || isHeld || isSendingParts }

    /// Seconds to subtract from the peer's silence when a connection must be closed to make room;
    /// the longest silence is closed first. A request that has begun counts more than none, an
    /// answer being sent more still. Nil while the peer waits for us.
    package var evictionGrace: Double? {
        switch phase {
        case .answering, .streaming: return nil
        case .reading, .gathering, .finishing, .lingering: break
        }
        switch wait.kind {
        case .answer: return nil
        case .idle, .linger: return 0
        case .head, .body, .silence: return 1
        case .write: return 5
        }
    }

    /// Whether the connection has no request, input or output.
    var isIdle: Bool {
        guard case .reading = phase, unsentBytes == 0 else { return false }
        return parser.position == .betweenRequests
    }

    /// The current wait.
    @inline(__always)
    package var wait: Wait {
        if unsentBytes > 0 { return Wait(kind: .write, mark: sentInAll) }
        switch phase {
        case .answering, .streaming: return Wait(kind: .answer, mark: requests)
        case .finishing, .lingering: return Wait(kind: .linger, mark: 0)
        case .gathering(let content):
            return content.limit == nil
                ? Wait(kind: .body, mark: requests)
                : Wait(kind: .silence, mark: parser.bufferedBytes)
        case .reading:
            switch parser.position {
            case .betweenRequests, .failed: return Wait(kind: .idle, mark: requests)
            case .inHead: return Wait(kind: .head, mark: requests)
            case .inBody: return Wait(kind: .body, mark: requests)
            }
        }
    }

    /// Receives bytes from the peer.
    package mutating func received(_ bytes: borrowing Span<UInt8>) {
        switch phase {
        case .reading, .answering, .gathering: parser.feed(bytes)
        case .streaming, .finishing, .lingering: break
        }
    }

    /// The peer has closed its sending direction; it may still wait for answers.
    package mutating func inputEnded() {
        hasInputEnded = true
    }

    /// Accepts no further requests, except those that have begun.
    package mutating func drain() {
        isDraining = true
        if isIdle { phase = .finishing }
        if case .streaming = phase { phase = .finishing }
    }

    /// The next step. To be called after every event until it returns `wait` or `close`.
    package mutating func next() -> Step {
        if hasInputEnded, isHeld {
            set(isHeld: false)
            if case .streaming = phase { phase = .finishing }  // The peer has stopped reading.
            return .endWait
        }
        switch phase {
        case .reading:
            return unsentBytes > limits.unsentPerClient ? .wait : readNext()
        case .gathering(let content):
            return gather(content)
        case .answering:
            return .wait
        case .streaming:
            guard hasInputEnded, !isSendingParts else { return .wait }
            phase = .finishing  // The peer has stopped reading.
            return next()
        case .finishing:
            guard unsentBytes == 0 else { return .wait }
            phase = .lingering
            return hasInputEnded ? .close : .shutDown
        case .lingering:
            return hasInputEnded ? .close : .wait
        }
    }

    private mutating func readNext() -> Step {
        // Before it is read, as a fault empties the parser.
        guard requests == 0 || parser.position == .inBody || parser.mayBeginRequest else {
            parser.isHead = false  // These bytes are of no HEAD, whatever was before them.
            return .refuse(.contentAfterAnswer)
        }
        do throws(ParseError) {
            switch try parser.next() {
            case .announced(let announced): return .ask(announced)
            case .request(let request): return try handOut(request)
            case nil:
                guard hasInputEnded || (isDraining && isIdle) else { return .wait }
                phase = .finishing  // An incomplete request needs no answer.
                return next()
            }
        } catch {
            return .refuse(error)
        }
    }

    /// Hands out a request, unless the bytes in hand show that its content is not whole: a press
    /// would be logged with a value that nobody meant.
    ///
    /// Without a length there is no content (RFC 9112 section 6.3), but clients forget the length.
    /// A Content-Type shows that content was meant. On a connection that stays open its end cannot
    /// be found then; on one that closes it is the end of the input.
    private mutating func handOut(_ request: consuming Request) throws(ParseError) -> Step {
        if request.body.isEmpty, request.lacksLength {
            guard request.head.framing.keepsAlive else {
                phase = .gathering(UnframedContent(request: copy request))
                return .ask(request)
            }
            if request.namesContent { throw .lengthRequired }
        }
        guard parser.mayBeginRequest else { throw .contentBeyondLength }
        return deliver(request)
    }

    private mutating func deliver(_ request: consuming Request) -> Step {
        requests += 1
        phase = .answering(
            ResponseEncoder.Frame(
                omitsBody: request.method == .head, keepsAlive: request.head.framing.keepsAlive,
                version: request.version), isHeld: false)
        return .deliver(request)
    }

    private mutating func gather(_ content: UnframedContent) -> Step {
        guard let limit = content.limit else { return .wait }
        guard parser.bufferedBytes <= limit else { return .refuse(.bodyTooLarge) }
        guard hasInputEnded || content.isWhole else { return .wait }
        var request = content.request
        request.body = parser.takeRest()
        // The client may have gone before it sent what its Content-Type is about.
        guard !request.body.isEmpty || !request.namesContent else {
            return .refuse(.lengthRequired)
        }
        return deliver(request)
    }

    /// The client of a request without a length has been silent for a while. Many never end their
    /// input, and wait for the answer.
    ///
    /// Without a byte and a Content-Type there is no content: `curl -0 -X POST` sends a press so.
    /// An object or a list of JSON tells its own end. Of any other content the rest may be on its
    /// way: it is refused, since `0.` of `0.25` is another value. Returns whether it is whole.
    package mutating func endSilence() -> Bool {
        guard wait.kind == .silence, case .gathering(var content) = phase else { return false }
        content.isWhole =
            parser.bufferedBytes == 0
            ? !content.request.namesContent : parser.isRestWholeJSON
        phase = .gathering(content)
        return content.isWhole
    }

    /// Accepts the announced content up to this many bytes; `next()` refuses a longer one. Returns
    /// whether to send the outbox at once, because of an interim answer.
    package mutating func admit(bodyBytes: Int) -> Bool {
        if case .gathering(var content) = phase {
            content.limit = bodyBytes
            phase = .gathering(content)
            return false
        }
        guard parser.admit(bodyBytes: bodyBytes) else { return false }
        outbox.append(contentsOf: ResponseEncoder.continueResponse)
        return true
    }

    /// Marks the request that was handed out as held.
    package mutating func hold() { set(isHeld: true) }

    private mutating func set(isHeld: Bool) {
        if case .answering(let frame, _) = phase { phase = .answering(frame, isHeld: isHeld) }
    }

    /// Responds to the request that was handed out.
    ///
    /// - Parameter date: the fields of every answer, `Date` first, each with its CR LF.
    package mutating func respond(with response: Response, date: [UInt8]) {
        guard case .answering(var frame, _) = phase else {
            preconditionFailure("an answer without a request")
        }
        frame.keepsAlive = frame.keepsAlive && (!isDraining || hasReadAnother)
        ResponseEncoder.encode(response, to: &outbox, framed: frame, date: date)
        phase = frame.keepsAlive ? .reading : .finishing
    }

    /// Begins an answer without a length to the request that was handed out. It lasts as long as
    /// the connection (RFC 9112 section 6.3), or is sent in parts that come to an end.
    package mutating func open(_ response: Response, hasEnd: Bool = false, date: [UInt8]) {
        guard case .answering(let frame, _) = phase else {
            preconditionFailure("an answer without a request")
        }
        let ending: Ending =
            !hasEnd ? .connection : frame.version == .http10 ? .lastPart : .lastChunk
        let opening = ResponseEncoder.Frame(
            omitsBody: true, isOpen: true, isChunked: ending == .lastChunk)
        ResponseEncoder.encode(response, to: &outbox, framed: opening, date: date)
        phase = frame.omitsBody || isDraining ? .finishing : .streaming(ending)
        guard !frame.omitsBody, !response.body.isEmpty else { return }
        add(response.body, isChunk: ending == .lastChunk)
    }

    /// Begins an answer that another server has encoded, and which ends with the connection.
    mutating func passOn(_ bytes: [UInt8]) {
        precondition(waitsForAnswer, "an answer without a request")
        phase = .streaming(.lastPart)
        add(bytes, isChunk: false)
    }

    /// Appends to an open answer. A peer that reads an event stream too slowly is disconnected: it
    /// can reconnect and request the missing part.
    package mutating func append(_ bytes: [UInt8]) {
        guard case .streaming(let ending) = phase, !bytes.isEmpty else { return }
        let isSlow = ending == .connection && unsentBytes > limits.unsentPerClient
        if isSlow { abandonOutput() } else { add(bytes, isChunk: ending == .lastChunk) }
    }

    private mutating func add(_ bytes: [UInt8], isChunk: Bool) {
        if isChunk {
            ResponseEncoder.appendChunk(bytes, to: &outbox)
        } else {
            outbox.append(contentsOf: bytes)
        }
    }

    /// Ends an open answer. When parts of it are missing the client must detect that.
    mutating func endStream(isComplete: Bool = true) {
        guard case .streaming(let ending) = phase else { return }
        if ending == .lastChunk, isComplete { ResponseEncoder.appendChunk([], to: &outbox) }
        phase = .finishing
    }

    /// Whether another whole request has been read; a copy of the parser finds out.
    private var hasReadAnother: Bool {
        var fork = parser
        while let event = try? fork.next() {
            switch event {
            case .request: return true
            case .announced: _ = fork.admit(bodyBytes: limits.bodyBytes)
            }
        }
        return false
    }

    /// Answers an unreadable or unwanted request, then closes the connection. The answer to a HEAD
    /// has no content, also then (RFC 9110 9.3.2).
    package mutating func refuse(_ response: Response, date: [UInt8]) {
        let frame = ResponseEncoder.Frame(omitsBody: parser.isHead)
        ResponseEncoder.encode(response, to: &outbox, framed: frame, date: date)
        phase = .finishing
    }

    /// The fault to answer when the head or the content did not arrive in time; nil when no request
    /// had begun, and the connection can be closed without an answer.
    package func timedOut() -> ParseError? {
        switch wait.kind {
        case .head: .headTimeout
        case .body: .bodyTimeout
        case .silence: .lengthRequired
        case .idle, .answer, .write, .linger: nil
        }
    }

    /// The peer reads no more: discards the output and any pending request.
    package mutating func abandonOutput() {
        outbox = []
        sent = 0
        hasInputEnded = true
        if case .answering = phase { return }
        owesEnd = tellsEnd
        phase = .lingering
    }

    /// This many bytes of the outbox were sent.
    package mutating func didSend(_ count: Int) {
        sent += count
        sentInAll += count
        guard sent == outbox.count else { return }
        outbox.removeAll(keepingCapacity: outbox.capacity <= 16_384)
        sent = 0
    }
}

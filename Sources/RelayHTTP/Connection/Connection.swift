/// The life of one connection as a value: what came in, what goes out, what to do next.
///
/// One request at a time is handed out, and the next only when it is answered, so pipelined
/// requests are answered in order (RFC 9112 section 9.3.2). It holds no socket and reads no clock.
package struct Connection: Sendable {
    private enum Phase: Sendable {
        /// Reading a request, or waiting for one.
        case reading
        /// A request was handed out and its answer has not come.
        case answering(ResponseEncoder.Frame)
        /// The answer was begun and has no end; what the peer sends meanwhile is thrown away.
        case streaming
        /// The last answer is in the outbox.
        case finishing
        /// All is said; what the peer still sends is thrown away until it closes, since a close
        /// over unread input would be a reset and could overtake the answer (RFC 9112
        /// section 9.6).
        case lingering
    }

    /// What the shell must do next.
    package enum Step: Sendable {
        /// Nothing until something happens.
        case wait
        /// Ask whether its content is to be taken, and say so with `admit(bodyBytes:)` or
        /// `refuse(_:date:)`; until then nothing of it is read.
        case ask(PendingRequest)
        /// Have this request answered.
        case deliver(Request)
        /// Answer this fault with `refuse(_:date:)`.
        case refuse(ParseError)
        /// Close the sending direction and go on reading.
        case shutDown
        /// Close.
        case close
    }

    /// What the peer or we owe now; the shell has one deadline for each new value.
    package struct Wait: Equatable, Sendable {
        package enum Kind: Sendable {
            case idle, head, body, answer, write, linger
        }
        package var kind: Kind
        /// Tells one request's wait from the next one's, and a slow reader's progress.
        var mark: Int
    }

    /// What is to be sent and has not been: bytes from `sent` on.
    package private(set) var outbox: [UInt8] = []
    /// How much of the outbox has gone.
    package private(set) var sent = 0

    private let limits: Limits
    private var parser: RequestParser
    private var phase = Phase.reading
    private var hasInputEnded = false
    /// Whether the request that was handed out waits for something to happen.
    private var waitsForEvent = false
    private var isDraining = false
    private var requests = 0
    private var sentInAll = 0

    /// A connection that was just accepted.
    package init(limits: Limits) {
        self.limits = limits
        parser = RequestParser(limits: limits)
    }

    /// Bytes that wait to be sent.
    package var unsentBytes: Int { outbox.count - sent }

    /// Whether more input can be of use now. While the answer to a request is awaited a peer may
    /// run ahead by one head's worth; then it waits in its own socket. Once no more requests are
    /// taken, only what completes one that has begun is of use.
    package var wantsInput: Bool {
        guard !hasInputEnded else { return false }
        switch phase {
        case .reading: return unsentBytes <= limits.unsentBytes && !parser.awaitsAdmission
        case .answering: return !isDraining && parser.bufferedBytes < limits.headBytes
        case .streaming, .finishing, .lingering: return true
        }
    }

    /// How many bytes may be read at once. What is read after the last answer is thrown away.
    var readLimit: Int {
        switch phase {
        case .reading, .answering: parser.readLimit
        case .streaming, .finishing, .lingering: .max
        }
    }

    /// Whether the content of a request is under way, or waits to be admitted.
    var isInBody: Bool {
        guard case .reading = phase else { return false }
        return parser.position == .inBody
    }

    /// Whether the request that was handed out waits for something to happen, or its answer has no
    /// end: such a connection gives way to one that asks for something now.
    package var isWaiting: Bool {
        switch phase {
        case .answering: waitsForEvent
        case .streaming: true
        case .reading, .finishing, .lingering: false
        }
    }

    /// Whether the wait on this connection is over: its client has closed its sending direction, as
    /// one does that has given up. A request that waits is to be answered then; true once.
    package mutating func takeEndOfWait() -> Bool {
        guard isWaiting, hasInputEnded else { return false }
        waitsForEvent = false
        if case .streaming = phase { phase = .finishing }  // Nobody reads it any more.
        return true
    }

    /// Whether the peer has never asked for anything.
    package var isUnheard: Bool { requests == 0 && isIdle }

    /// When room must be made, the connection goes whose peer has been silent longest; by how many
    /// seconds its silence counts as shorter than it was. A request that has begun is worth
    /// something, an answer on its way more. Nil while we are the ones who keep it waiting.
    package var evictionGrace: Double? {
        switch phase {
        case .answering, .streaming: return nil
        case .reading, .finishing, .lingering: break
        }
        switch wait.kind {
        case .answer: return nil
        case .idle, .linger: return 0
        case .head, .body: return 1
        case .write: return 5
        }
    }

    /// Whether nothing at all is going on.
    package var isIdle: Bool {
        guard case .reading = phase, unsentBytes == 0 else { return false }
        return parser.position == .betweenRequests
    }

    /// What is owed now.
    package var wait: Wait {
        if unsentBytes > 0 { return Wait(kind: .write, mark: sentInAll) }
        switch phase {
        case .answering, .streaming: return Wait(kind: .answer, mark: requests)
        case .finishing, .lingering: return Wait(kind: .linger, mark: 0)
        case .reading:
            switch parser.position {
            case .betweenRequests, .failed: return Wait(kind: .idle, mark: requests)
            case .inHead: return Wait(kind: .head, mark: requests)
            case .inBody: return Wait(kind: .body, mark: requests)
            }
        }
    }

    /// Takes what the peer sent.
    package mutating func received(_ bytes: borrowing Span<UInt8>) {
        switch phase {
        case .reading, .answering: parser.feed(bytes)
        case .streaming, .finishing, .lingering: break
        }
    }

    /// The peer has closed its sending direction; it may still be waiting for answers.
    package mutating func inputEnded() {
        hasInputEnded = true
    }

    /// No further request is to be taken than those that have begun.
    package mutating func drain() {
        isDraining = true
        if isIdle { phase = .finishing }
        if case .streaming = phase { phase = .finishing }
    }

    /// What to do next. To be called after every event until it says `wait` or `close`.
    package mutating func next() -> Step {
        switch phase {
        case .reading:
            return unsentBytes > limits.unsentBytes ? .wait : readNext()
        case .answering:
            return .wait
        case .streaming:
            guard hasInputEnded else { return .wait }
            phase = .finishing  // Nobody reads it any more.
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
        do throws(ParseError) {
            switch try parser.next() {
            case .announced(let announced): return .ask(announced)
            case .request(let request):
                requests += 1
                phase = .answering(
                    ResponseEncoder.Frame(
                        omitsBody: request.method == .head,
                        keepsAlive: request.head.keepsAlive, version: request.version))
                return .deliver(request)
            case nil:
                guard hasInputEnded || (isDraining && isIdle) else { return .wait }
                phase = .finishing  // A request that broke off in the middle costs nothing.
                return next()
            }
        } catch {
            return .refuse(error)
        }
    }

    /// Takes the announced content, up to so many bytes. What is too long for that is refused by
    /// the next `next()`.
    ///
    /// - Returns: whether the client is to be told at once, by what is in the outbox now.
    package mutating func admit(bodyBytes: Int) -> Bool {
        guard parser.admit(bodyBytes: bodyBytes) else { return false }
        outbox.append(contentsOf: ResponseEncoder.goAhead)
        return true
    }

    /// The request that was handed out waits for something to happen.
    package mutating func beginWait() {
        if case .answering = phase { waitsForEvent = true }
    }

    /// Takes the answer to the request that was handed out.
    ///
    /// - Parameter date: the `Date` field, its CR LF included.
    package mutating func answer(_ response: Response, date: [UInt8]) {
        guard case .answering(var frame) = phase else {
            preconditionFailure("an answer without a request")
        }
        frame.keepsAlive =
            frame.keepsAlive && !response.closes && (!isDraining || hasReadAnother)
        ResponseEncoder.append(response, to: &outbox, framed: frame, date: date)
        waitsForEvent = false
        phase = frame.keepsAlive ? .reading : .finishing
    }

    /// Begins an answer without an end to the request that was handed out. Its length is not known,
    /// so it lasts as long as the connection (RFC 9112 section 6.3).
    package mutating func open(_ response: Response, date: [UInt8]) {
        guard case .answering(let frame) = phase else {
            preconditionFailure("an answer without a request")
        }
        ResponseEncoder.appendOpening(response, to: &outbox, date: date)
        phase = frame.omitsBody || isDraining ? .finishing : .streaming
        if !frame.omitsBody { outbox.append(contentsOf: response.body) }
    }

    /// Goes on with an answer that was opened. A peer that does not keep up is left: it comes back
    /// and asks for what it has missed.
    package mutating func append(_ bytes: [UInt8]) {
        guard case .streaming = phase else { return }
        guard unsentBytes <= limits.unsentBytes else { return abandonOutput() }
        outbox.append(contentsOf: bytes)
    }

    /// Ends an answer that was opened.
    package mutating func endStream() {
        if case .streaming = phase { phase = .finishing }
    }

    /// Ends the connection in the middle of the answer to the request that was handed out, or, with
    /// no response, in its place. The client must not take what it got for an answer.
    package mutating func breakOff(
        _ response: Response?, afterBodyBytes bodyBytes: Int, date: [UInt8]
    ) {
        guard case .answering = phase else {
            preconditionFailure("an answer without a request")
        }
        phase = .finishing
        guard let response else { return }
        let frame = ResponseEncoder.Frame(omitsBody: true, keepsAlive: false, version: .http11)
        ResponseEncoder.append(response, to: &outbox, framed: frame, date: date)
        outbox.append(contentsOf: response.body.prefix(bodyBytes))
    }

    /// Whether another whole request has been read, which a copy of the parser can tell.
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

    /// Answers a request that cannot be read, as the last thing on this connection.
    package mutating func refuse(_ response: Response, date: [UInt8]) {
        let frame = ResponseEncoder.Frame(omitsBody: false, keepsAlive: false, version: .http11)
        ResponseEncoder.append(response, to: &outbox, framed: frame, date: date)
        phase = .finishing
    }

    /// The head or the body has not come in time.
    ///
    /// - Returns: the fault to answer, or nil when there is nothing to say and the connection
    ///   can be closed as it is.
    package func timedOut() -> ParseError? {
        switch wait.kind {
        case .head: .headTimeout
        case .body: parser.awaitsAdmission ? .noRoom : .bodyTimeout
        case .idle, .answer, .write, .linger: nil
        }
    }

    /// The peer takes nothing more: what was to be sent is void, and so is what it asks.
    package mutating func abandonOutput() {
        outbox = []
        sent = 0
        hasInputEnded = true
        if case .answering = phase { return }
        phase = .lingering
    }

    /// So many bytes of the outbox have gone.
    package mutating func didSend(_ count: Int) {
        sent += count
        sentInAll += count
        guard sent == outbox.count else { return }
        outbox.removeAll(keepingCapacity: outbox.capacity <= 16_384)
        sent = 0
    }
}

/// Identifies one request that waits for its answer. An answer to a closed connection is dropped.
package struct ExchangeID: Hashable, Sendable {
    let slot: Int
    let generation: UInt32

    /// The index of its connection among the open ones, from 0. A later connection may have it.
    package var connection: Int { slot }
}

/// A request that needs exactly one answer.
package struct Exchange: Sendable {
    /// The identity to answer to.
    package let id: ExchangeID
    /// The peer's address.
    package let peer: Endpoint
    /// The request.
    package let request: Request
}

/// The answer to one exchange.
package struct Answer: Sendable {
    /// The content of an answer, and whether the connection continues.
    enum Content: Sendable {
        case whole(Response)
        /// Less than the announced length, or nothing; then the connection is closed.
        case brokenOff(Response?, bodyBytes: Int)
        /// The beginning of an answer that lasts as long as the connection.
        case opening(Response, hasEnd: Bool)
        /// More bytes of that answer.
        case more([UInt8])
        /// The end of that answer.
        case end
        /// The rest of an open answer will never come.
        case abandon
        /// No answer yet: the request waits for an event.
        case wait
        /// No answer yet, from a request that keeps its connection.
        case hold
    }

    /// The exchange that it belongs to.
    package let id: ExchangeID
    let content: Content

    /// An answer to that exchange.
    package init(to id: ExchangeID, _ response: Response) {
        self.id = id
        content = .whole(response)
    }

    /// An answer whose connection is closed after this many bytes of the body, to simulate a server
    /// that fails while it sends.
    package init(to id: ExchangeID, _ response: Response, brokenOffAfter bodyBytes: Int) {
        self.id = id
        content = .brokenOff(response, bodyBytes: bodyBytes)
    }

    /// The head and first bytes of an event stream, which has no length. More follows with
    /// `init(to:more:)`; it ends with the connection.
    package init(to id: ExchangeID, opening response: Response) {
        self.id = id
        content = .opening(response, hasEnd: false)
    }

    /// The head and first part of a long answer, which comes to an end. Each further part is to
    /// follow with `init(to:more:)` when the one before was sent (`Application.nextPart`), and then
    /// `init(ending:)`: so an answer of any length needs little memory. A client of HTTP/1.1
    /// detects when the end is missing.
    package init(to id: ExchangeID, beginning response: Response) {
        self.id = id
        content = .opening(response, hasEnd: true)
    }

    /// More bytes of an open answer. They are dropped if the client has gone, or reads an event
    /// stream too slowly.
    package init(to id: ExchangeID, more bytes: [UInt8]) {
        self.id = id
        content = .more(bytes)
    }

    /// The end of an open answer.
    package init(ending id: ExchangeID) {
        self.id = id
        content = .end
    }

    /// Closes an open answer before its end, so that the client does not take it for complete.
    package init(abandoning id: ExchangeID) {
        self.id = id
        content = .abandon
    }

    /// No answer yet: the request waits for an event, possibly for long. Meanwhile the connection
    /// may be closed to make room for another one, and the wait ends when the client closes its
    /// sending direction. `Application.endWait` reports both.
    package init(waiting id: ExchangeID) {
        self.id = id
        content = .wait
    }

    /// No answer yet: the program works at it elsewhere. The connection keeps its slot, and
    /// `Application.endWait` reports when the client has gone.
    package init(holding id: ExchangeID) {
        self.id = id
        content = .hold
    }

    /// Whether this is the whole answer.
    package var isWhole: Bool {
        if case .whole = content { true } else { false }
    }

    /// Whether this is the beginning of an answer whose parts follow.
    package var isOpening: Bool {
        if case .opening = content { true } else { false }
    }

    /// Closes the connection instead of an answer, to simulate a server that died.
    package init(hangingUpOn id: ExchangeID) {
        self.id = id
        content = .brokenOff(nil, bodyBytes: 0)
    }
}

/// Whether the content of a request is accepted.
package enum Admission: Sendable {
    /// The share of the budget that holds the content until it is complete.
    package enum Account: Sendable {
        /// A client that the application has authenticated.
        case known
        /// Any client: unknown clients share less of the budget (`Limits.bodyBytesOfStrangers`).
        case stranger
    }

    /// Accept the content up to this many bytes; more is answered with 413. It counts as that of
    /// this client, which is behind a proxy; nil for the address of the connection.
    case body(atMost: Int, Account, of: Address? = nil)
    /// Send this answer without reading the content, and close.
    case refuse(Response)
}

/// The functions that a server needs from its program. All are called on the loop.
package struct Application: Sendable {
    /// Decides on a request by its head, before its content is read; nil accepts up to
    /// `Limits.bodyBytes` from every client. It is not called for small content that arrived
    /// together with its head.
    package var admit: (@Sendable (PendingRequest, Endpoint) -> Admission)?
    /// Receives the requests of a turn and returns the answers that are known at once. The others
    /// follow by `Server.answer(_:)`; every exchange needs one.
    package var respond: @Sendable ([Exchange]) -> [Answer]
    /// Returns the answer to a request that cannot be read.
    package var refuse: @Sendable (ParseError, Endpoint) -> Response
    /// Called when a waiting or held request (`Answer.init(waiting:)`, `Answer.init(holding:)`) or
    /// an open answer ends early: the client has gone, or its connection is needed. Returns the
    /// answer to a request that waits.
    package var endWait: @Sendable (ExchangeID) -> Answer?
    /// Called when all parts so far of an open answer were sent.
    package var nextPart: @Sendable (ExchangeID) -> Void
    /// Fields that every answer has.
    package var fields: [Response.Field]

    /// Creates an application.
    package init(
        respond: @escaping @Sendable ([Exchange]) -> [Answer],
        refuse: @escaping @Sendable (_ fault: ParseError, _ peer: Endpoint) -> Response = {
            fault, _ in .text(fault.status, fault.advice)
        },
        admit: (@Sendable (_ announced: PendingRequest, _ peer: Endpoint) -> Admission)? = nil,
        endWait: @escaping @Sendable (_ waiting: ExchangeID) -> Answer? = { _ in nil },
        nextPart: @escaping @Sendable (_ answer: ExchangeID) -> Void = { _ in },
        fields: [Response.Field] = []
    ) {
        self.admit = admit
        self.endWait = endWait
        self.nextPart = nextPart
        self.fields = fields
        self.respond = respond
        self.refuse = refuse
    }
}

/// Names one request that waits for its answer. A late answer to a connection that has gone
/// finds nobody, and is dropped.
package struct ExchangeID: Hashable, Sendable {
    let slot: Int
    let generation: UInt32
}

/// One request that wants exactly one answer.
package struct Exchange: Sendable {
    /// Whom to answer.
    package let id: ExchangeID
    /// The peer's address.
    package let peer: Endpoint
    /// What it asks.
    package let request: Request
}

/// The answer to one exchange.
package struct Answer: Sendable {
    /// What is sent, and how the connection goes on.
    enum Content: Sendable {
        case whole(Response)
        /// Less than the answer promises, or nothing; then the connection ends.
        case brokenOff(Response?, bodyBytes: Int)
        /// The beginning of an answer that goes on as long as the connection.
        case opening(Response)
        /// More of that.
        case more([UInt8])
        /// The end of that.
        case end
        /// Not yet: the request waits for something to happen.
        case wait
    }

    let id: ExchangeID
    let content: Content

    /// An answer to that exchange.
    package init(to id: ExchangeID, _ response: Response) {
        self.id = id
        content = .whole(response)
    }

    /// An answer whose connection ends after so many bytes of the body, to play a server that
    /// fails in the middle of it.
    package init(to id: ExchangeID, _ response: Response, brokenOffAfter bodyBytes: Int) {
        self.id = id
        content = .brokenOff(response, bodyBytes: bodyBytes)
    }

    /// The head and first bytes of an answer without an end: an event stream. More follows with
    /// `init(to:more:)`; it ends with the connection.
    package init(to id: ExchangeID, opening response: Response) {
        self.id = id
        content = .opening(response)
    }

    /// More of an answer that was opened. Who has gone, or does not keep up, gets nothing.
    package init(to id: ExchangeID, more bytes: [UInt8]) {
        self.id = id
        content = .more(bytes)
    }

    /// The end of an answer that was opened.
    package init(ending id: ExchangeID) {
        self.id = id
        content = .end
    }

    /// No answer yet: the request waits for something to happen, which may take long. Until it is
    /// answered its connection may be closed to make room for another one, and the wait ends when
    /// the client closes its sending direction; both are told by `Application.endWait`.
    package init(waiting id: ExchangeID) {
        self.id = id
        content = .wait
    }

    /// The end of the connection in place of an answer, to play a server that died.
    package init(hangingUpOn id: ExchangeID) {
        self.id = id
        content = .brokenOff(nil, bodyBytes: 0)
    }
}

/// Whether the content of a request is taken.
package enum Admission: Sendable {
    /// On whose account it is kept until it is complete.
    package enum Account: Sendable {
        /// Somebody whom the application knows.
        case known
        /// Anybody: strangers share less of the room (`Limits.bodyBytesOfStrangers`).
        case stranger
    }

    /// Take it, up to so many bytes: 413 past it.
    case body(atMost: Int, Account)
    /// Answer this without it, and close.
    case refuse(Response)
}

/// What a server asks of the program around it. All are called on the loop.
package struct Application: Sendable {
    /// Judges a request by its head, before its content is read; nil takes up to
    /// `Limits.bodyBytes` from everybody. Small content that came in one go with its head is not
    /// asked about.
    package var admit: (@Sendable (PendingRequest, Endpoint) -> Admission)?
    /// Takes the requests of a turn and returns the answers that are known at once. The others
    /// follow by `Server.answer(_:)`; every exchange needs one.
    package var respond: @Sendable ([Exchange]) -> [Answer]
    /// Words the answer to a request that cannot be read.
    package var refuse: @Sendable (ParseError, Endpoint) -> Response
    /// Told that a request need not wait any longer (`Answer.init(waiting:)`), or that an answer
    /// that was opened has ended: the client has gone, or the connection is needed. Returns the
    /// answer to a request that waits.
    package var endWait: @Sendable (ExchangeID) -> Answer?
    /// Fields that every answer carries.
    package var fields: [Response.Field]

    /// A program.
    package init(
        respond: @escaping @Sendable ([Exchange]) -> [Answer],
        refuse: @escaping @Sendable (_ fault: ParseError, _ peer: Endpoint) -> Response = {
            fault, _ in .text(fault.status, fault.advice)
        },
        admit: (@Sendable (_ announced: PendingRequest, _ peer: Endpoint) -> Admission)? = nil,
        endWait: @escaping @Sendable (_ waiting: ExchangeID) -> Answer? = { _ in nil },
        fields: [Response.Field] = []
    ) {
        self.admit = admit
        self.endWait = endWait
        self.fields = fields
        self.respond = respond
        self.refuse = refuse
    }
}

/// Identifies one request that waits for its answer. An answer to a closed connection is dropped.
package struct ExchangeID: Hashable, Sendable {
    /// The index of its connection among the open ones, from 0. A later connection may have it.
    package let slot: Int
    let generation: UInt32
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
    /// The content of an answer, or a part of it, and whether the connection continues.
    package enum Content: Sendable {
        case whole(Response)
        /// The head and first bytes of an answer without a length, of which more follows. With an
        /// end, each part is to follow when the one before was sent (`Application.nextPart`), so
        /// that an answer of any length needs little memory; a client of HTTP/1.1 detects when the
        /// end is missing. Without one it is an event stream, and lasts as long as the connection.
        case opening(Response, hasEnd: Bool)
        /// The head and first bytes of another server's answer to a request that asked to close the
        /// connection. They are sent as they are; parts and the end follow as with an end above.
        case passedOn([UInt8])
        /// More bytes of an open answer. They are dropped if the client has gone, or reads an event
        /// stream too slowly.
        case more([UInt8])
        case end
        /// Closes an open answer before its end, so that the client does not take it for complete.
        case abandon
        /// No answer yet: the request waits for an event, or the program works at it elsewhere. The
        /// connection keeps its slot, so the application limits how many requests it holds.
        /// `Application.endWait` reports when the client has gone or closes its sending direction,
        /// and when the server stops.
        case hold
        /// Closes the connection behind these bytes, which are sent as they are.
        case brokenOff([UInt8])

        /// Closes the connection instead of an answer.
        package static let hangUp = Content.brokenOff([])
    }

    /// The exchange that it belongs to.
    package let id: ExchangeID
    /// The content.
    package let content: Content

    /// A part of the answer to that exchange.
    package init(to id: ExchangeID, _ content: Content) {
        self.id = id
        self.content = content
    }

    /// A whole answer to that exchange.
    package init(to id: ExchangeID, _ response: Response) {
        self.init(to: id, .whole(response))
    }
}

/// Whether the content of a request is accepted.
package enum Admission: Sendable {
    /// Accept the content up to this many bytes; more is answered with 413, and content for which
    /// there is no room (`Limits.largeBodyBytesInAll`) with 503.
    case body(atMost: Int)
    /// Send this answer without reading the content, and close.
    case refuse(Response)
}

/// The functions that a server needs from its program. All are called on the loop.
package struct Application: Sendable {
    /// Decides on a request by its head, before its content is read; nil accepts up to
    /// `Limits.bodyBytes` from every client. It is not called for small content that arrived
    /// together with its head.
    package var admit: (@Sendable (Request, Endpoint) -> Admission)?
    /// Receives the requests of a turn and returns the answers that are known at once. The others
    /// follow by `Server.send(_:)`; every exchange needs one.
    package var respond: @Sendable ([Exchange]) -> [Answer]
    /// Returns the answer to a request that cannot be read.
    package var refuse: @Sendable (ParseError, Endpoint) -> Response
    /// Called when a held request (`Answer.Content`) or an open answer should end early: the client
    /// has gone, or the server stops. Returns the answer to a held request that ends; without one
    /// the request is answered as usual.
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
        admit: (@Sendable (_ announced: Request, _ peer: Endpoint) -> Admission)? = nil,
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

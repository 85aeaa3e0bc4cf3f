/// Every bound of the server, in one value. Nothing it keeps for a peer grows past these.
package struct Limits: Sendable {
    /// Request line and header fields together, in bytes: 431 past it.
    package var headBytes = 8_192
    /// The request line, in bytes: 414 past it.
    package var requestLineBytes = 4_096
    /// Header fields of one request: 431 past it.
    package var fieldCount = 64
    /// Content of one request, in bytes: 413 past it, decided on the declared length. An
    /// application may allow more (`Application.admit`).
    package var bodyBytes = 65_536
    /// Content that has not all come, of all connections together, in bytes. Past it whoever
    /// begins to send some waits in its own socket, and hears 503 when its time is over.
    package var bodyBytesInAll = 64 << 20
    /// How much of that is for those whom the application does not know, in bytes.
    package var bodyBytesOfStrangers = 16 << 20
    /// Read at once while no content is expected, in bytes: what anybody can make us keep.
    package var headReadBytes = 16_384
    /// One line of chunk framing, its extensions included, in bytes.
    package var chunkLineBytes = 1_024
    /// Connections at once. For one more, the one that has been quiet longest is closed.
    package var connections = 1_024
    /// Connections of one address at once. For one more, that address loses its quietest.
    package var connectionsPerAddress = 1_024
    /// Seconds that a connection may rest between requests.
    package var idleSeconds = 75.0
    /// Seconds from a request's first byte to the end of its head, whatever drips in: 408.
    package var headSeconds = 10.0
    /// Seconds from the end of the head to the end of the content: 408.
    package var bodySeconds = 20.0
    /// Seconds in which a client must take some of its answer.
    package var writeSeconds = 20.0
    /// Seconds that unread input is thrown away after the last answer, so that no reset
    /// overtakes it (RFC 9112 section 9.6).
    package var lingerSeconds = 2.0
    /// Answers that a client has not taken, in bytes; past it no further request is read. With 0
    /// the outbox never holds more than one answer.
    package var unsentBytes = 0

    /// The defaults of the design; change what a test or a flag needs.
    package init() {}

    func checked() -> Limits {
        precondition(headBytes <= Int(UInt16.max), "a field's place is 16 bits")
        precondition(requestLineBytes <= headBytes)
        precondition(connections > 0 && connectionsPerAddress > 0)
        precondition(headReadBytes > 0)
        precondition(
            bodyBytes <= bodyBytesOfStrangers && bodyBytesOfStrangers <= bodyBytesInAll,
            "one content at least must find room")
        return self
    }
}

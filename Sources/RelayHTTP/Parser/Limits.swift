/// Every bound of the server, in one value. Nothing it keeps for a peer grows past these.
package struct Limits: Sendable {
    /// Request line and header fields together, in bytes: 431 past it.
    package var headBytes = 16_384
    /// The request line with its CR LF, in bytes: 414 past it. RFC 9112 section 3 recommends that
    /// 8,000 are taken at least.
    package var requestLineBytes = 8_192
    /// Header fields of one request: 431 past it.
    package var fieldCount = 100
    /// Content of one request, in bytes: 413 past it, decided on the declared length. An
    /// application may allow more (`Application.admit`).
    package var bodyBytes = 65_536
    /// Content that has not all come, of all connections together, in bytes. Past it whoever
    /// begins to send some waits in its own socket, and hears 503 when its time is over.
    package var bodyBytesInAll = 64 << 20
    /// How much of that is for those whom the application does not know, in bytes.
    package var bodyBytesOfStrangers = 16 << 20
    /// Content of one request that never waits for room, in bytes, if that is no more than a
    /// connection's even share of `bodyBytesOfStrangers`. A press is smaller than this, so a crowd
    /// that announces content delays no press.
    package var smallBodyBytes = 8_192
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
    /// The same for a connection that has never asked for anything, while more than half of the
    /// connections are taken.
    package var silentSeconds = 20.0
    /// Seconds from a request's first byte to the end of its head, whatever drips in: 408.
    package var headSeconds = 10.0
    /// Seconds from the end of the head to the end of the content: 408.
    package var bodySeconds = 20.0
    /// The same for content of strangers that is not small: it takes room that others wait for.
    package var strangerBodySeconds = 5.0
    /// Seconds in which a client must take some of its answer.
    package var writeSeconds = 20.0
    /// Seconds that unread input is thrown away after the last answer, so that no reset
    /// overtakes it (RFC 9112 section 9.6).
    package var lingerSeconds = 2.0
    /// Answers that a client has not taken, in bytes; past it no further request is read. With 0
    /// the outbox never holds more than one answer.
    package var unsentBytes = 0

    /// Requests of a turn that were pipelined behind others, after which the time is looked at.
    package var pipelinedRequests = 16
    /// Seconds of a turn after which no more pipelined requests are taken up.
    package var turnSeconds = 0.002

    /// The defaults of the design; change what a test or a flag needs.
    package init() {}

    /// Content that needs no room of its own, in bytes.
    var unreservedBodyBytes: Int { min(smallBodyBytes, bodyBytesOfStrangers / connections) }

    func checked() -> Limits {
        precondition(headBytes <= Int(UInt16.max), "a field's place is 16 bits")
        precondition(requestLineBytes <= headBytes)
        precondition(connections > 0 && connectionsPerAddress > 0)
        precondition(headReadBytes > 0 && pipelinedRequests > 0)
        precondition(
            bodyBytes <= bodyBytesOfStrangers && bodyBytesOfStrangers <= bodyBytesInAll,
            "one content at least must find room")
        return self
    }
}

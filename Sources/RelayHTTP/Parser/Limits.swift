/// All limits of the server. Nothing that it stores for a peer exceeds them.
package struct Limits: Sendable {
    /// Request line and header fields together, in bytes; 431 above.
    package var headBytes = 16_384
    /// The request line with its CR LF, in bytes; 414 above. RFC 9112 section 3 recommends to
    /// support at least 8,000.
    package var requestLineBytes = 8_192
    /// Header fields of one request; 431 above.
    package var fieldCount = 100
    /// Content of one request, in bytes; 413 above, decided on the declared length. An application
    /// may allow more (`Application.admit`).
    package var bodyBytes = 65_536
    /// Incomplete content longer than `bodyBytes` of all connections together, in bytes; 503 above.
    /// Shorter content needs no room here, so that uploads never keep a press out: the number of
    /// connections limits it.
    package var largeBodyBytesInAll = 64 << 20
    /// Read at once while no content is expected, in bytes: any client can make us buffer this.
    var headReadBytes = 16_384
    /// Read at once behind content, in bytes: enough to see whether another request follows it.
    var lookaheadBytes = 64
    /// A line of chunk framing with its extension, or a trailer, in bytes. Nothing is kept of them,
    /// and all of them together have the time for the content.
    package var chunkLineBytes = 1_024
    /// Connections at once. Above this, the longest silent connection is closed.
    package var connections = 1_024
    /// The limits of time.
    package var timeouts = Timeouts()
    /// Answers that one client has not read, in bytes; above this no further request is read. With
    /// 0 the outbox never holds more than one answer.
    package var unsentPerClient = 0
    /// Answers that all clients have not read, in bytes. Above this the connection with the longest
    /// one is closed, unless it is the only long one: they must not fill the memory.
    package var unsentInAll = 32 << 20
    /// Pipelined requests of a turn between two checks of the time.
    var pipelinedRequests = 16

    /// Creates the default limits; change single values as needed.
    package init() {}

    func checked() -> Limits {
        precondition(headBytes <= Int(UInt16.max), "a field's place is 16 bits")
        precondition(requestLineBytes <= headBytes)
        precondition(connections > 0)
        precondition(headReadBytes > 0 && pipelinedRequests > 0)
        return self
    }
}

/// How long the server waits, in seconds.
package struct Timeouts: Sendable {
    /// Seconds that a connection may stay idle between requests, or before the first one, while
    /// no other connection needs its slot.
    package var idle = 75.0
    /// Seconds from a request's first byte to the end of its head, at any speed; then 408.
    package var head = 10.0
    /// Seconds from the end of the head to the end of the content; then 408.
    package var body = 20.0
    /// Seconds without a byte after which a request without a length has no further content, if its
    /// client does not end the connection.
    package var silence = 1.0
    /// Seconds in which a client must read some part of its answer.
    package var write = 20.0
    /// Seconds in which input is discarded after the last answer, so that no reset overtakes the
    /// answer (RFC 9112 section 9.6).
    package var linger = 2.0
    /// Seconds after which a shutdown closes the connections whose clients still read.
    package var drain = 20.0
    /// Seconds of a turn after which no more pipelined requests are processed.
    package var turn = 0.002

    /// Creates the default timeouts; change single values as needed.
    package init() {}
}

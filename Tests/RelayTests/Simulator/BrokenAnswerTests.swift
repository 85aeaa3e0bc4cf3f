import RelayHTTP
import Testing

@Suite struct BrokenAnswerTests {
    /// A connection that has handed out a request and waits for the answer.
    private func asked(_ head: String) -> Connection {
        var connection = Connection(limits: Limits())
        connection.received(Array((head + "\r\nHost: a\r\n\r\n").utf8).span)
        guard case .deliver = connection.next() else {
            Issue.record("nothing was delivered")
            return connection
        }
        return connection
    }

    private func send(_ connection: inout Connection) -> String {
        let text = String(decoding: connection.outbox, as: UTF8.self)
        connection.didSend(connection.unsentBytes)
        return text
    }

    @Test func `promises the whole length and sends less`() {
        var connection = asked("GET / HTTP/1.1")
        let response = Response(status: 200, body: Array("0123456789".utf8))
        connection.breakOff(response, afterBodyBytes: 4, date: [])
        #expect(
            send(&connection)
                == "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123")
        guard case .shutDown = connection.next() else {
            Issue.record("the connection goes on")
            return
        }
    }

    @Test func `ends without a byte when it hangs up`() {
        var connection = asked("POST / HTTP/1.1")
        connection.breakOff(nil, afterBodyBytes: 0, date: [])
        #expect(send(&connection) == "")
        guard case .shutDown = connection.next() else {
            Issue.record("the connection goes on")
            return
        }
        connection.inputEnded()
        guard case .close = connection.next() else {
            Issue.record("the connection stays")
            return
        }
    }
}

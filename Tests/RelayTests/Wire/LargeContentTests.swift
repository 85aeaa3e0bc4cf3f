import Testing

@testable import RelayHTTP

/// Content above the ordinary length shares one limit while it is incomplete.
struct LargeContentTests {
    /// Content above 8 bytes is large, and 20 bytes of it are read at once.
    private func server(_ change: (inout Limits) -> Void = { _ in }) throws -> RunningServer {
        var limits = Limits.unhurried
        limits.bodyBytes = 8
        limits.largeBodyBytesInAll = 20
        limits.timeouts.silence = HangLimit.seconds
        change(&limits)
        return try RunningServer(limits: limits) { _, _ in .body(atMost: 20) }.start()
    }

    private func head(_ path: String, _ length: Int) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
    }

    private static let chunked = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static let beginnings = [
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n1",
        // Content without a length takes what its path allows.
        chunked + "1\r\n1\r\n",
        "POST /a HTTP/1.0\r\n\r\n1",
        "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n1",
    ]

    @Test func `large content finds room or is refused at once, and ordinary content needs none`()
        throws
    {
        for beginning in LargeContentTests.beginnings {
            let server = try server()
            let first = Client(server.endpoint)
            first.send(beginning)
            expect(server.answersNewcomer(), "\(beginning)")
            let refused = Client(server.endpoint)
            refused.send(head("/b", 9))
            let answer = refused.rest()
            expect(answer.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"), "\(beginning)")
            expect(answer.contains("\r\nConnection: close\r\n"), "\(beginning)")
            let ordinary = Client(server.endpoint)
            ordinary.send(head("/c", 8))
            ordinary.send("12345678")
            expect(ordinary.body(), is: "POST /c 12345678", "\(beginning)")
        }
    }

    @Test func `large content leaves its room however it ends`() throws {
        let whole = head("/d", 20) + "12345678901234567890"
        for (beginning, end) in [
            // Complete.
            (head("/a", 12) + "1", "23456789012"),
            (LargeContentTests.chunked + "1\r\n1\r\n", "0\r\n\r\n"),
            // Framed wrongly, and too long.
            (LargeContentTests.chunked + "1\r\n1\r\n", "x\r\n"),
            (LargeContentTests.chunked + "1\r\n1\r\n", "14\r\n"),
        ] {
            let server = try server()
            let first = Client(server.endpoint)
            first.send(beginning)
            expect(server.answersNewcomer())
            first.send(end)
            expect(first.answer() != nil, "\(beginning)\(end)")
            let next = Client(server.endpoint)
            next.send(whole)
            expect(next.body(), is: "POST /d 12345678901234567890", "\(beginning)\(end)")
        }
    }

    @Test func `large content leaves its room when its client goes or stops sending`() throws {
        let whole = head("/d", 20) + "12345678901234567890"
        for beginning in LargeContentTests.beginnings {
            let server = try server()
            var first: Client? = Client(server.endpoint)
            first?.send(beginning)
            expect(server.answersNewcomer())
            first = nil
            // The server may hear of a newcomer before it hears that the first one is gone.
            try waitUntil("there is room again after \(beginning)") {
                let next = Client(server.endpoint)
                next.send(whole)
                return next.body() == "POST /d 12345678901234567890"
            }
        }
        let server = try server { $0.timeouts.body = 0.3 }
        let first = Client(server.endpoint)
        first.send(head("/a", 12) + "1")
        expect(first.rest().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        let next = Client(server.endpoint)
        next.send(whole)
        expect(next.body(), is: "POST /d 12345678901234567890")
    }
}

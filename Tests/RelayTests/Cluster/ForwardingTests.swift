import Foundation
import RelayHTTP
import Testing

/// The requests and answers that a relay that follows passes on, byte for byte, between a client
/// and a leader that a test plays.
struct ForwardingTests {
    private static let host = "Host: 127.0.0.1"

    private func leader(_ answer: String) throws -> RawBeeminder {
        try RawBeeminder { _ in answer }
    }

    /// The head of an answer without its date, and its content.
    private func parts(_ answer: String) -> (head: [String], body: String) {
        let parts = answer.components(separatedBy: "\r\n\r\n")
        let lines = parts[0].components(separatedBy: "\r\n").filter { !$0.hasPrefix("Date: ") }
        return (lines, parts.dropFirst().joined(separator: "\r\n\r\n"))
    }

    // MARK: Requests

    @Test func `the leader gets method, target, fields and content as they came`() throws {
        let leader = try leader("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let follower = try RunningFront(following: leader.endpoint)
        let answer = try follower.call(
            "PUT /presets/a%2Fb?x=1&y=%20&&z HTTP/1.1", "host: pi.local:2336",
            "AUTHORIZATION: Bearer abc", "X-Twice: 1", "X-Twice:  2 ", "Cookie: a=1; b=2",
            "Connection: keep-alive, X-Hop", "X-Hop: 1", "Keep-Alive: 5", "TE: trailers",
            "Proxy-Connection: close", "Upgrade: h2c", "Content-Length: 5", body: "hello")
        expect(parts(answer).body, is: "ok")
        expect(
            leader.asked.first?.components(separatedBy: "\r\n"),
            is: [
                "PUT /presets/a%2Fb?x=1&y=%20&&z HTTP/1.1", "Host: pi.local:2336",
                "AUTHORIZATION: Bearer abc", "X-Twice: 1", "X-Twice: 2", "Cookie: a=1; b=2",
                "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: pi.local:2336",
                "X-Beemed-Forwarded: 1", "Content-Length: 5",
                "Connection: close",
            ])
        expect(leader.bodies, is: ["hello"])
    }

    @Test func `content in chunks reaches the leader whole, with its length`() throws {
        let leader = try leader("HTTP/1.1 204 No Content\r\n\r\n")
        let follower = try RunningFront(following: leader.endpoint)
        let client = Client(follower.endpoint)
        client.send(
            "POST /log/water HTTP/1.1\r\n\(ForwardingTests.host)\r\n"
                + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
        expect(client.read(through: "\r\n\r\n"), is: "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n")
        expect(client.answer()?.hasPrefix("HTTP/1.1 204 "), is: true)
        expect(leader.bodies, is: ["hello world"])
        let head = try require(leader.asked.first)
        expect(head.contains("\r\nContent-Length: 11\r\n"))
        for name in ["Transfer-Encoding", "Expect", "X-Trailer"] {
            expect(!head.contains(name))
        }
    }

    @Test func `a connection ends with the answer of the leader, and takes nothing behind it`()
        throws
    {
        let leader = try leader(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        let follower = try RunningFront(following: leader.endpoint)
        let client = Client(follower.endpoint)
        let request =
            "POST /log HTTP/1.1\r\n\(ForwardingTests.host)\r\nContent-Length: 0\r\n\r\n"
        client.send(request + request)
        expect(parts(client.rest()).body, is: "ok")
        expect(leader.asked.count, is: 1)
    }

    @Test func `proxies that are trusted after a reread count for what is passed on`() throws {
        let leader = try leader("HTTP/1.1 204 No Content\r\n\r\n")
        let follower = try RunningFront(following: leader.endpoint)
        try follower.change(["--trusted-proxy", "127.0.0.1"])
        let head = ["GET /events HTTP/1.1", ForwardingTests.host, "X-Forwarded-For: 192.168.7.7"]
        _ = try follower.call(head[0], head[1], head[2])
        expect(leader.asked.last?.contains("X-Forwarded-For: 192.168.7.7\r\n"), is: true)
        try follower.change([])
        _ = try follower.call(head[0], head[1], head[2])
        expect(leader.asked.last?.contains("X-Forwarded-For: 127.0.0.1\r\n"), is: true)
    }

    @Test func `no request makes a follower call anybody but the leader`() throws {
        let leader = try leader("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let elsewhere = try self.leader("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        let follower = try RunningFront(following: leader.endpoint)
        let place = "\(elsewhere.endpoint)"
        let heads = [
            ["GET http://\(place)/a HTTP/1.1", "Host: \(place)"],
            ["GET /b HTTP/1.1", "Host: \(place)", "X-Forwarded-Host: \(place)"],
            ["GET //\(place)/c HTTP/1.1", ForwardingTests.host, "Location: http://\(place)/"],
            ["GET /d@\(place) HTTP/1.1", ForwardingTests.host, "Forwarded: host=\(place)"],
        ]
        for head in heads {
            let client = Client(follower.endpoint)
            client.send(head.joined(separator: "\r\n") + "\r\n\r\n")
            expect(client.body(), is: "ok", "\(head)")
        }
        let connect = try follower.call("CONNECT \(place) HTTP/1.1", "Host: \(place)")
        expect(connect.hasPrefix("HTTP/1.1 4"))
        expect(elsewhere.asked.isEmpty)
        expect(leader.asked.first?.hasPrefix("GET /a HTTP/1.1\r\nHost: \(place)\r\n"), is: true)
    }

    @Test func `the longest content that a route takes reaches the leader whole`() throws {
        var limits = Limits.unhurried
        limits.bodyBytes = 1 << 20
        let leader = try RunningServer(limits: limits).start()
        let follower = try RunningFront(following: leader.endpoint)
        let body = String(repeating: "x", count: 1 << 20)
        let events = try follower.call(
            "POST /events HTTP/1.1", ForwardingTests.host, "Content-Length: \(body.utf8.count)",
            "Authorization: Bearer x", body: body)
        expect(parts(events).body, is: "POST /events \(body)")
    }

    // MARK: Answers

    @Test func `the client gets the status, the fields and the content as they came`() throws {
        let leader = try leader(
            "HTTP/1.1 422 Unprocessable Content\r\nset-cookie: a=1\r\nDate: never\r\n"
                + "Content-Type: application/problem+json\r\nSet-Cookie: b=2; Path=/\r\n"
                + "Vary: Cookie\r\nRetry-After: 7\r\nConnection: close\r\nContent-Length: 6\r\n\r\n"
                + "{\"ü\"}")
        let follower = try RunningFront(following: leader.endpoint)
        let answer = try follower.call("POST /log/water HTTP/1.1", ForwardingTests.host)
        expect(
            parts(answer).head,
            is: [
                "HTTP/1.1 422 Unprocessable Content", "set-cookie: a=1",
                "Content-Type: application/problem+json", "Set-Cookie: b=2; Path=/",
                "Vary: Cookie", "Retry-After: 7", "Connection: close", "Content-Length: 6",
            ])
        expect(parts(answer).body, is: "{\"ü\"}")
    }

    @Test(arguments: [
        ("GET", "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n", ["ETag: \"x\""]),
        ("DELETE", "HTTP/1.1 204 No Content\r\n\r\n", []),
        (
            "HEAD", "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 1234\r\n\r\n",
            ["ETag: \"x\"", "Content-Length: 1234"]
        ),
        (
            "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            ["Transfer-Encoding: chunked"]
        ),
    ])
    func `an answer without content stays one`(
        _ method: String, _ answer: String, _ fields: [String]
    ) throws {
        let leader = try leader(answer)
        let follower = try RunningFront(following: leader.endpoint)
        let received = try follower.call("\(method) /docs HTTP/1.1", ForwardingTests.host)
        let (head, body) = parts(received)
        expect(head[0], is: answer.components(separatedBy: "\r\n")[0])
        expect(Array(head.dropFirst()), is: fields)
        expect(body.isEmpty)
    }

    @Test func `an answer in chunks keeps its content and its end`() throws {
        let chunks = "4\r\nab\r\n\r\n3;a=b\r\ncde\r\n0\r\nX: 1\r\n\r\n"
        let leader = try leader(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n\(chunks)")
        let follower = try RunningFront(following: leader.endpoint)
        let client = Client(follower.endpoint)
        client.send("GET /export HTTP/1.1\r\n\(ForwardingTests.host)\r\n\r\n")
        expect(parts(client.rest()).body, is: chunks)
    }

    @Test func `a client of HTTP 1 0 gets no chunks`() throws {
        let leader = try leader("HTTP/1.1 200 OK\r\n\r\nall")
        let follower = try RunningFront(following: leader.endpoint)
        let client = Client(follower.endpoint)
        client.send("GET /export HTTP/1.0\r\n\r\n")
        expect(parts(client.rest()).body, is: "all")
        expect(leader.asked.first?.hasPrefix("GET /export HTTP/1.0\r\n"), is: true)
    }
}

import Foundation
import RelayHTTP
import Testing

/// The fields that a follower passes on, and the requests that it sends twice.
struct ForwardedRequestTests {
    @Test(arguments: [
        "GET /log/g/trigger", "GET /log/g/undo", "GET /login?code=a",
        "GET /oauth/callback?access_token=a", "GET /log/g/trigg%65r", "POST /log/g",
        "DELETE /events/a",
    ])
    func `a request that may have changed something is not sent twice`(
        _ request: String
    ) throws {
        let leader = try ScriptedLeader { exchange, _ in Answer(to: exchange.id, .hangUp) }
        let front = try RunningFront(following: leader.endpoint)
        let answer = try require(front.client(request).answer())
        expect(answer.hasPrefix("HTTP/1.1 503"))
        expect(answer.contains("outcome_unknown"))
        expect(leader.requests.count, is: 1)
    }

    @Test(arguments: ["GET /context", "GET /events/a", "GET /log/g/trigger/x", "OPTIONS /log/g"])
    func `a request that changes nothing is sent again`(_ request: String) throws {
        let leader = try ScriptedLeader { exchange, count in
            count == 1
                ? Answer(to: exchange.id, .hangUp) : Answer(to: exchange.id, .text(200, "second"))
        }
        let front = try RunningFront(following: leader.endpoint)
        expect(front.client(request).body(), is: "second\n")
        expect(leader.requests.count, is: 2)
    }

    @Test func `a client says nothing about itself to the leader`() throws {
        let leader = try ScriptedLeader(answering: "taken")
        let front = try RunningFront(following: leader.endpoint)
        let client = front.client(
            "GET /context",
            [
                "Host: 127.0.0.1:80", "X-Forwarded-Host: localhost", "X-Forwarded-Proto: https",
                "X-Forwarded-For: 10.0.0.1", "x-forwarded-prefix: /evil", "X-Ingress-Path: /a",
                "Forwarded: for=10.0.0.1", "Connection: keep-alive, X-Secret", "X-Secret: 1",
                "TE: trailers", "Accept: */*",
            ])
        expect(client.body(), is: "taken\n")
        let fields = try require(leader.requests.first).fields
        expect(fields.all("x-forwarded-for"), is: ["127.0.0.1"])
        expect(fields.all("x-forwarded-host"), is: ["127.0.0.1:80"])
        expect(fields.all("host"), is: ["127.0.0.1:80"])
        expect(fields["accept"], is: "*/*")
        let names: [FieldName] = [
            "x-forwarded-proto", "x-forwarded-prefix", "x-ingress-path", "forwarded", "x-secret",
            "te",
        ]
        for name in names { expect(fields[name] == nil) }
    }

    @Test func `a trusted proxy tells who the client is`() throws {
        let leader = try ScriptedLeader(answering: "taken")
        let front = try RunningFront(
            following: leader.endpoint,
            ["--trusted-proxy", "127.0.0.1", "--host-name", "relay.example"])
        let client = front.client(
            "GET /context",
            [
                "Host: 127.0.0.1", "X-Forwarded-Host: relay.example", "X-Forwarded-Proto: https",
                "X-Forwarded-For: 8.8.8.8, 10.0.0.7", "X-Forwarded-Prefix: /relay",
                "X-Ingress-Path: /a",
            ])
        expect(client.body(), is: "taken\n")
        let fields = try require(leader.requests.first).fields
        expect(fields.all("x-forwarded-for"), is: ["10.0.0.7"])
        expect(fields.all("x-forwarded-host"), is: ["relay.example"])
        expect(fields.all("x-forwarded-proto"), is: ["https"])
        expect(fields.all("x-forwarded-prefix"), is: ["/relay"])
        expect(fields["x-ingress-path"] == nil)
    }

    @Test(arguments: ["evil.example", "evil.example:80"])
    func `a follower refuses an unknown host name as a single relay does`(
        _ host: String
    ) throws {
        let leader = try ScriptedLeader(answering: "taken")
        let front = try RunningFront(following: leader.endpoint)
        let client = front.client(
            "GET /context", ["Host: \(host)", "X-Forwarded-Host: localhost"])
        let answer = try require(client.answer())
        expect(answer.hasPrefix("HTTP/1.1 421"))
        expect(answer.contains("unknown_host"))
        expect(leader.requests.isEmpty)
    }

    @Test func `a client of HTTP 1 0 without a host asks the leader by its address`() throws {
        let leader = try ScriptedLeader(answering: "taken")
        let front = try RunningFront(following: leader.endpoint)
        let client = Client(front.endpoint)
        client.send("GET /context HTTP/1.0\r\n\r\n")
        expect(client.body(), is: "taken\n")
        let fields = try require(leader.requests.first).fields
        expect(fields.all("host"), is: ["\(leader.endpoint)"])
        expect(fields["x-forwarded-host"] == nil)
    }
}

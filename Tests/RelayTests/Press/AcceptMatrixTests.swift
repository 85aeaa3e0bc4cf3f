import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// Every client as it really is, over a real socket, and the answer that it can live with.
struct AcceptMatrixTests {
    private static let cases = ClientCase.curl + ClientCase.devices + ClientCase.programs

    /// Checks the needs of all clients: myStrom needs a reason phrase and exactly 200, the ESP32 a
    /// length, old MicroPython an answer without chunks, ESPHome a short one.
    private func check(_ answer: String, _ row: ClientCase) {
        let head = answer.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
        expect(head[0], is: "HTTP/1.1 200 OK", "\(row.client): \(answer)")
        let fields = head.dropFirst().map { $0.lowercased() }
        expect(fields.contains { $0.hasPrefix("content-length: ") }, "\(row.client)")
        expect(!fields.contains { $0.hasPrefix("transfer-encoding:") }, "\(row.client)")
        expect(!fields.contains { $0.hasPrefix("content-encoding:") }, "\(row.client)")
        expect(fields.allSatisfy { $0.split(separator: ": ").count >= 2 }, "\(row.client)")
        expect(fields.contains("connection: close"), is: row.closes, "\(row.client)")
        expect(answer.utf8.count < 512, "\(row.client)")
    }

    private func exchange(_ row: ClientCase, _ relay: RunningRelayProgram) -> String? {
        let client = Client(relay.endpoint)
        client.send(row.head(relay: "\(relay.endpoint)", token: relay.token))
        if row.awaitsGoAhead {
            expect(client.answer(), is: "HTTP/1.1 100 Continue\r\n\r\n", "\(row.client)")
        }
        client.send(row.body(relay.token))
        let answer = client.answer()
        if row.closes { expect(client.rest(), is: "", "\(row.client)") }
        return answer
    }

    @Test func `takes a press from every client as it really is`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        for row in AcceptMatrixTests.cases {
            let answer = try require(exchange(row, relay), "\(row.client)")
            check(answer, row)
            let body = answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
            let accepted = try members(body)
            expect(accepted["ok"] as? Bool, is: true, "\(row.client)")
            expect(accepted["state"] as? String, is: "queued", "\(row.client)")
            expect(accepted["duplicate"] as? Bool, is: false, "\(row.client)")
            expect(accepted["parsed"] as? String, is: row.parsed, "\(row.client)")
            let id = try require(accepted["id"] as? String, "\(row.client)")
            let event = try members(try relay.call("GET", "/events/\(id)").body)
            expect(event["goal"] as? String, is: row.goal, "\(row.client)")
            expect(event["value"] as? Double, is: row.value, "\(row.client)")
            expect(event["comment"] as? String, is: row.comment, "\(row.client)")
            let metadata = event["metadata"] as? [String: String] ?? [:]
            expect(metadata, is: row.metadata, "\(row.client)")
        }
        let health = try members(try relay.call("GET", "/healthz", token: "-").body)
        expect(health["queued"] as? Int, is: AcceptMatrixTests.cases.count)
    }

    @Test func `takes all of them in pieces, as slow devices send them`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        for row in AcceptMatrixTests.cases where !row.awaitsGoAhead {
            let client = Client(relay.endpoint)
            let bytes =
                row.head(relay: "\(relay.endpoint)", token: relay.token) + row.body(relay.token)
            var rest = bytes[...]
            while !rest.isEmpty {
                client.send(String(rest.prefix(29)))
                rest = rest.dropFirst(29)
            }
            let answer = client.answer() ?? "none"
            expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(row.client): \(answer)")
        }
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let client: String
        let request: String
        let status: String
        var words = #""detail":""#
        var testDescription: String { client }
    }

    static let refusals = [
        Refusal(
            client: "a gzipped body",
            request: "POST /log/water HTTP/1.1\nHost: a.local\nX-Relay-Token: TOKEN\n"
                + "Content-Encoding: gzip\nContent-Length: 2\n\n\u{1F}x",
            status: "415", words: "without 'gzip'"),
        Refusal(
            client: "a comma in a number",
            request: "POST /log/water HTTP/1.1\nHost: a.local\nX-Relay-Token: TOKEN\n"
                + "Content-Length: 3\n\n1,5", status: "422", words: "with a dot"),
        Refusal(
            client: "milliseconds, as JavaScript has them",
            request: "POST /log/water?timestamp=1790000000000 HTTP/1.1\nHost: a.local\n"
                + "X-Relay-Token: TOKEN\n\n", status: "422", words: "milliseconds"),
        Refusal(
            client: "HTTP/2 at once", request: "PRI * HTTP/2.0\n\nSM\n\n", status: "505"),
        Refusal(
            client: "a GET where only POST logs",
            request: "GET /log/water?token=TOKEN HTTP/1.1\nHost: a.local\n\n", status: "405"),
        Refusal(
            client: "a body of 64 KiB and one",
            request: "POST /log/water HTTP/1.1\nHost: a.local\nX-Relay-Token: TOKEN\n"
                + "Content-Length: 65537\n\n", status: "413", words: "split"),
    ]

    @Test func `says to the others what to send instead`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        for row in AcceptMatrixTests.refusals {
            let client = Client(relay.endpoint)
            client.send(
                row.request.replacing("\n", with: "\r\n").replacing("TOKEN", with: relay.token))
            let answer = client.answer() ?? "none"
            expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(row.client): \(answer)")
            expect(answer.contains(row.words), "\(row.client): \(answer)")
        }
    }

    @Test(arguments: [
        ("/log", "POST, PUT, OPTIONS"), ("/log/water", "POST, PUT, OPTIONS"),
        ("/log/water/trigger", "GET, HEAD, OPTIONS"),
        ("*", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    ])
    func `tells its methods to whoever asks, and no browser that it may`(
        _ target: String, _ allowed: String
    ) throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let answer = try relay.call(
            "OPTIONS", target, token: "-",
            fields: [
                "Origin: http://elsewhere.example", "Access-Control-Request-Method: POST",
                "Access-Control-Request-Headers: authorization",
            ])
        expect(answer.status, is: 200)
        expect(answer.head.contains("\r\nAllow: \(allowed)\r\n"))
        expect(answer.head.contains("\r\nContent-Length: 0\r\n"))
        expect(!answer.head.lowercased().contains("access-control"))
    }
}

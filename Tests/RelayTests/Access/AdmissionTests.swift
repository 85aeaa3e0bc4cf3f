import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// The decisions made before the content of a request is read.
struct AdmissionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var request: String
        var length = 100
        /// Whether the device's token stands in the head.
        var isKnown = false
        var fields: [String] = []
        var status: Int
        var testDescription: String { "\(request), \(length) bytes, \(fields): \(status)" }
    }

    static let refusals = [
        Case(request: "POST /events", status: 401),
        Case(request: "POST /events", length: 1 << 20, status: 401),
        Case(request: "POST /events", fields: ["Expect: 100-continue"], status: 401),
        Case(request: "POST /events", fields: ["Authorization: Bearer br_wrong"], status: 401),
        Case(request: "POST /devices", status: 401),
        Case(request: "PUT /connection", status: 401),
        Case(request: "POST /log/water", fields: ["X-Relay-Token: br_wrong"], status: 401),
        Case(request: "POST /log/water", length: 16_385, status: 413),
        Case(request: "POST /log/water", length: 65_537, isKnown: true, status: 413),
        Case(request: "POST /events", length: (1 << 20) + 1, isKnown: true, status: 413),
        Case(request: "POST /devices", length: 65_537, isKnown: true, status: 413),
        Case(request: "POST /nothing/here", isKnown: true, status: 404),
        Case(request: "POST /context", isKnown: true, status: 405),
        Case(request: "OPTIONS *", status: 413),
    ]

    @Test func `refuses by the head, without the body`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder(), account: nil)
        for row in AdmissionTests.refusals {
            let client = Client(relay.endpoint)
            var head = ["\(row.request) HTTP/1.1", "Host: 127.0.0.1"] + row.fields
            head.append("Content-Length: \(row.length)")
            if row.isKnown { head.append("Authorization: Bearer \(relay.token)") }
            client.send(head.joined(separator: "\r\n") + "\r\n\r\n")
            let answer = client.answer() ?? "no answer"
            expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(row.testDescription)")
            expect(answer.contains("\r\nConnection: close\r\n"), "\(row.testDescription)")
            expect(answer.contains(#""code":""#), "\(row.testDescription)")
        }
    }

    @Test func `who has the token in a long body is told to send it in the head`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder(), account: nil)
        let body = #"{"token":"\#(relay.token)","x":"\#(String(repeating: "x", count: 20_000))"}"#
        let answer = try relay.call("POST", "/log/water", body, token: "-")
        expect(answer.status == 413 && answer.body.contains("'Authorization: Bearer TOKEN'"))
    }

    @Test func `reserves nothing for content that its sender may not send`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let token = try relay.add(#"{"name":"display","can":["read"]}"#)
        for (path, length) in [("/import", 8 << 20), ("/events", 1 << 20), ("/health", 8 << 20)] {
            let fields = ["Content-Length: \(length)"]
            let answer = try relay.call("POST", path, token: token, fields: fields)
            expect(answer.status, is: 403, "\(path)")
        }
    }

    @Test(arguments: ["{", #"{"token":"#])
    func `counts what cannot be read of a stranger, and no token is locked out`(
        _ content: String
    ) throws {
        let relay = try RunningRelayProgram(
            in: TemporaryFolder(), change: { $0.requestsPerSecond = 50 })
        let statuses = try (0..<100).map { _ in
            try relay.call("POST", "/log/water", content, token: "-").status
        }
        // Content that may hold a token is read first.
        expect(statuses.first == (content == "{" ? 401 : 400) && statuses.last == 429)
        try expect(relay.call("POST", "/log/water", "{").status, is: 400)
        let body = #"{"token":"\#(relay.token)","value":1}"#
        try expect(relay.call("POST", "/log/water", body, token: "-").status, is: 200)
    }

    @Test func `reads the body of whoever may send one`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let filler = String(repeating: " ", count: 60_000)
        let bodies = [
            ("/log/water", "", #"{"token":"\#(relay.token)","value":1}"# + filler.prefix(1_900)),
            ("/log/water", "Authorization: Bearer \(relay.token)\r\n", "+1" + filler),
            (
                "/events", "Authorization: Bearer \(relay.token)\r\n",
                #"[{"goal":"water"}]"# + String(repeating: filler, count: 17)
            ),
        ]
        for (path, token, body) in bodies {
            let client = Client(relay.endpoint)
            client.send(
                "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(token)Expect: 100-continue\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n")
            expect(client.answer(), is: "HTTP/1.1 100 Continue\r\n\r\n", "\(path)")
            client.send(body)
            expect(client.answer()?.hasPrefix("HTTP/1.1 200 OK\r\n"), is: true, "\(path)")
        }
    }
}

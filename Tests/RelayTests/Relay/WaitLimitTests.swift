import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// Requests that wait leave connections to presses, over real sockets.
struct WaitLimitTests {
    private let folder = TemporaryFolder()

    private func relay(_ connections: Int) throws -> RunningRelayProgram {
        try RunningRelayProgram(in: folder) { $0.maxConnections = connections }
    }

    /// Asks to be told of what is new.
    private func wait(_ relay: RunningRelayProgram, _ token: String, _ tag: String) -> Client {
        let client = Client(relay.endpoint)
        client.send(
            "GET /context?wait=60 HTTP/1.1\r\nHost: a.local\r\nX-Relay-Token: \(token)\r\n"
                + "If-None-Match: \(tag)\r\n\r\n")
        return client
    }

    private func stream(_ relay: RunningRelayProgram, _ token: String) -> Client {
        let client = Client(relay.endpoint)
        client.send(
            "GET /context/stream HTTP/1.1\r\nHost: a.local\r\nX-Relay-Token: \(token)\r\n\r\n")
        expect(client.read(through: "retry: 2000\n\n") != nil)
        return client
    }

    private func tag(_ relay: RunningRelayProgram) throws -> String {
        let head = try relay.call("GET", "/context").head
        return try require(headField("ETag", of: head))
    }

    private func isPressAccepted(_ relay: RunningRelayProgram) throws -> Bool {
        try relay.call("POST", "/log/water", "+1").status == 200
    }

    @Test func `a token that waits too often ends its own oldest wait`() throws {
        let relay = try relay(1_024)
        let tag = try tag(relay)
        let waits = (0..<ContextWatchers.maxWaits).map { _ in wait(relay, relay.token, tag) }
        let other = wait(relay, relay.owner, tag)
        expect(!waits[0].canRead(withinMilliseconds: 100))
        let further = wait(relay, relay.token, tag)
        expect(waits[0].answer(toHead: true)?.hasPrefix("HTTP/1.1 304 "), is: true)
        for client in waits.dropFirst() + [other, further] {
            expect(!client.canRead(withinMilliseconds: 0))
        }
        // A stream counts like any other wait.
        let streams = (0..<ContextWatchers.maxWaits).map { _ in stream(relay, relay.token) }
        expect(further.answer(toHead: true)?.hasPrefix("HTTP/1.1 304 "), is: true)
        let last = stream(relay, relay.token)
        expect(streams[0].rest().contains("event: context"), "it was told, and then ended")
        try expect(isPressAccepted(relay))
        expect(last.read(through: "\"queued\":1") != nil)
    }

    @Test func `waits never hold more than half of the connections`() throws {
        let relay = try relay(8)
        let tag = try tag(relay)
        let waits = (0..<6).map { _ in wait(relay, relay.token, tag) }
        for client in waits.prefix(2) {
            expect(client.answer(toHead: true)?.hasPrefix("HTTP/1.1 304 "), is: true)
        }
        for client in waits.dropFirst(2) { expect(!client.canRead(withinMilliseconds: 0)) }
        try expect(isPressAccepted(relay))
    }

    @Test func `waits that were given up are over`() throws {
        let relay = try relay(64)
        let tag = try tag(relay)
        for _ in 0..<100 {
            let client = wait(relay, relay.token, tag)
            client.closeSending()
            expect(client.answer(toHead: true)?.hasPrefix("HTTP/1.1 304 "), is: true)
        }
        try expect(isPressAccepted(relay))
    }

    @Test func `a client that waits and goes on is answered as before`() throws {
        let relay = try relay(64)
        let client = wait(relay, relay.token, try tag(relay))
        expect(!client.canRead(withinMilliseconds: 50))
        try expect(isPressAccepted(relay))
        expect(client.body()?.contains("\"queued\":1"), is: true)
        client.send("GET /healthz HTTP/1.1\r\nHost: a.local\r\n\r\n")
        expect(client.answer()?.hasPrefix("HTTP/1.1 "), is: true)
    }
}

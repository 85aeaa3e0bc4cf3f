import Foundation
import Testing

/// The context as server-sent events, over a real socket.
struct ContextStreamTests {
    private let folder = TemporaryFolder()

    private func open(_ relay: RunningRelayProgram, _ fields: [String] = []) -> Client {
        let client = Client(relay.endpoint)
        let head =
            [
                "GET /context/stream?fields=slug HTTP/1.1", "Host: 127.0.0.1",
                "Authorization: Bearer \(relay.token)",
            ] + fields
        client.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        return client
    }

    /// The id of the next event that says this.
    private func id(_ client: Client, where words: String) throws -> String {
        while true {
            let event = try require(client.read(through: "\n\n"))
            guard event.contains(words) else { continue }
            let line = event.split(separator: "\n").first { $0.hasPrefix("id: ") }
            return String(try require(line).dropFirst(4))
        }
    }

    @Test func `tells the context, and every change of it, to all who listen`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        let clients = (0..<3).map { _ in open(relay) }
        for client in clients {
            let head = try require(client.read(through: "\r\n\r\n"))
            expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
            expect(head.contains("Content-Type: text/event-stream"))
            expect(!head.contains("Content-Length") && !head.contains("Transfer-Encoding"))
            expect(client.read(through: "\n\n"), is: "retry: 2000\n\n")
            _ = try id(client, where: #""queued":0"#)
        }
        try expect(relay.call("POST", "/log/water").status, is: 200)
        for client in clients { _ = try id(client, where: #""queued":1"#) }
        for client in clients { _ = try id(client, where: #""queued":0"#) }
        relay.stop()
        for client in clients { _ = client.rest() }
    }

    @Test func `tells who comes back only what is new`() async throws {
        let beeminder = try RunningBeeminder()
        await beeminder.stop()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let first = open(relay)
        let known = try id(first, where: #""queued":0"#)
        let second = open(relay, ["Last-Event-ID: \(known)"])
        _ = second.read(through: "retry: 2000\n\n")
        try expect(relay.call("POST", "/log/water").status, is: 200)
        try expect(id(second, where: "context") != known)
    }

    @Test func `wants a token, and answers HEAD without an end to wait for`() throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        try expect(relay.call("GET", "/context/stream", token: "-").status, is: 401)
        try expect(relay.call("GET", "/context/stream?format=text").status, is: 400)
        try expect(relay.call("HEAD", "/context/stream").status, is: 200)
    }
}

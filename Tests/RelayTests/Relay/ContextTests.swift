import Foundation
import RelayHTTP
import Testing

struct ContextTests {
    private let folder = TemporaryFolder()

    /// A relay that knows alice's goals, and the tag of its context.
    private func settled() throws -> (relay: RunningRelayProgram, tag: String) {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        return (relay, try tag(try relay.call("GET", "/context").head))
    }

    private func tag(_ head: String) throws -> String {
        try require(headField("ETag", of: head))
    }

    @Test func `gives the goals, and 304 to whom has them`() throws {
        let (relay, tag) = try settled()
        let context = try members(try relay.call("GET", "/context").body)
        expect(context["user"] as? String, is: "alice")
        expect(context["sync"] as? String, is: "online")
        let goals = context["pinnedGoals"] as? [NSDictionary] ?? []
        expect(
            goals.compactMap { $0["slug"] as? String }.sorted(),
            is: ["pushups", "reading", "water"])
        let same = try relay.call("GET", "/context", fields: ["If-None-Match: W/\(tag), \"x\""])
        expect(same.status, is: 304)
        expect(same.body.isEmpty)
        try expect(relay.call("HEAD", "/context").status, is: 200)
        try expect(relay.call("POST", "/log/water", "1").status, is: 200)
        let changed = try relay.call("GET", "/context", fields: ["If-None-Match: \(tag)"])
        expect(changed.status, is: 200)
    }

    @Test func `gives as little as a small display asks for`() throws {
        let (relay, tag) = try settled()
        let little = try relay.call("GET", "/context?limit=1&fields=slug,urgency")
        let goals = try members(little.body)["pinnedGoals"] as? [NSDictionary] ?? []
        expect(goals, is: [["slug": "pushups", "urgency": "critical"]])
        try expect(self.tag(little.head) != tag, "another form is another representation")
        let text = try relay.call("GET", "/context?format=text&limit=1")
        expect(text.body, is: "online queued=0 refused=0\npushups critical queued=0 today=0\n")
        expect(text.head.contains("Content-Type: text/plain"))
        for query in ["limit=0", "limit=x", "fields=token", "format=xml", "wait=-1", "wait=0x1"] {
            try expect(relay.call("GET", "/context?\(query)").status, is: 400, "\(query)")
        }
    }

    @Test func `holds the answer until something changes`() throws {
        let (relay, tag) = try settled()
        let waiting = (0..<20).map { _ in Client(relay.endpoint) }
        for client in waiting {
            client.send(
                "GET /context?wait=30 HTTP/1.1\r\nHost: a.local\r\nIf-None-Match: \(tag)\r\n"
                    + "Authorization: Bearer \(relay.token)\r\n\r\n")
        }
        // Each has been read and is being held: whoever asks now is answered, and they are not.
        try expect(relay.call("GET", "/healthz").status, is: 200)
        expect(waiting.allSatisfy { !$0.canRead(withinMilliseconds: 0) })
        try expect(relay.call("POST", "/log/water", "1").status, is: 200)
        for client in waiting { expect(client.answer()?.hasPrefix("HTTP/1.1 200 OK"), is: true) }
    }

    @Test func `does not wait longer than it was told`() throws {
        let (relay, tag) = try settled()
        let started = Instant.now
        let held = try relay.call(
            "GET", "/context?wait=0.2", fields: ["If-None-Match: \(tag)"])
        expect(held.status, is: 304)
        // The relay counts in whole milliseconds.
        expect(started.advanced(bySeconds: 0.199) <= Instant.now)
        let other = try relay.call(
            "GET", "/context?wait=30", fields: ["If-None-Match: \"another\""])
        expect(other.status, is: 200, "what it has is old, so it need not wait")
    }
}

import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// Every rule of access, and somebody who tries to get round it.
struct IntrusionTests {
    private let folder = TemporaryFolder()

    /// Sends these lines as a head, and a `+1`, with the first device's token or that one.
    private func status(
        _ relay: RunningRelayProgram, _ lines: [String], token: String? = nil
    ) -> String {
        let client = Client(relay.endpoint)
        client.send(
            (lines + ["X-Relay-Token: \(token ?? relay.token)", "Content-Length: 2", "", "+1"])
                .joined(separator: "\r\n"))
        return String((client.answer() ?? "HTTP/1.1 none").dropFirst(9).prefix(3))
    }

    @Test func `a name of a stranger's own is answered 421, wherever it stands`() throws {
        let relay = try RunningRelayProgram(in: folder) { $0.hostNames = ["nas"] }
        let rows: [(lines: [String], status: String)] = [
            (["POST /log/water HTTP/1.1", "Host: 127.0.0.1"], "200"),
            (["POST /log/water HTTP/1.1", "Host: nas:2336"], "200"),
            (["POST /log/water HTTP/1.1", "Host: rebind.example"], "421"),
            (["POST /log/water HTTP/1.1", "Host: rebind.example:2336"], "421"),
            (["POST /log/water HTTP/1.1", "Host: 127.0.0.1.rebind.example"], "421"),
            (["POST http://rebind.example/log/water HTTP/1.1", "Host: rebind.example"], "421"),
            (["POST http://rebind.example/log/water HTTP/1.0"], "421"),
            (["POST /log/water HTTP/1.0", "Host: rebind.example"], "421"),
            (
                [
                    "POST /log/water HTTP/1.1", "Host: rebind.example",
                    "X-Forwarded-Host: 127.0.0.1",
                ], "421"
            ),
            (["POST /healthz HTTP/1.1", "Host: rebind.example"], "421"),
        ]
        for row in rows { expect(status(relay, row.lines), is: row.status, "\(row.lines)") }
    }

    @Test func `nobody but the proxy says who asks`() throws {
        let head = ["POST /log/water HTTP/1.1", "Host: 127.0.0.1"]
        let rows: [(fields: [String], byProxy: String)] = [
            ([], "200"),
            (["X-Forwarded-For: 192.168.1.7"], "200"),
            (["X-Forwarded-For: 8.8.8.8"], "403"),
            (["X-Forwarded-For: 8.8.8.8:4711"], "403"),
            (["X-Forwarded-For: [2001:db8::1]:4711"], "403"),
            (["X-Forwarded-For: [2001:db8::1]"], "403"),
            (["X-Forwarded-For: fd00::1"], "200"),
            (["X-Forwarded-For: nonsense"], "403"),
            // The client has made up the addresses before the one that the proxy has added.
            (["X-Forwarded-For: 192.168.1.7, 8.8.8.8"], "403"),
            (["X-Forwarded-For: 192.168.1.7", "X-Forwarded-For: 8.8.8.8"], "403"),
            (["X-Forwarded-For: 8.8.8.8, 192.168.1.7"], "200"),
            (["X-Forwarded-For: 8.8.8.8, 127.0.0.1"], "403"),
            (["X-Forwarded-Host: rebind.example"], "421"),
            (["X-Forwarded-Host: relay.local"], "200"),
        ]
        let unaware = try RunningRelayProgram(in: folder)
        for row in rows { expect(status(unaware, head + row.fields), is: "200", "\(row.fields)") }
        unaware.stop()
        let copy = try folder.copy()
        let aware = try RunningRelayProgram(in: copy) {
            $0.trustedProxies = [Address([127, 0, 0, 1])]
        }
        let token = try aware.add(#"{"name":"x"}"#)
        for row in rows {
            let found = status(aware, head + row.fields, token: token)
            expect(found, is: row.byProxy, "\(row.fields)")
        }
    }

    @Test func `who guesses is slowed down, and a good token from there is not`() throws {
        let relay = try RunningRelayProgram(in: folder) { $0.requestsPerSecond = 50 }
        var statuses: [Int] = []
        for guess in 0..<100 {
            let places = ["Authorization: Bearer br_\(guess)", try relay.cookie("br_\(guess)")]
            let answer = try relay.call(
                "GET", "/context", token: "-", fields: [places[guess % places.count]])
            statuses.append(answer.status)
            guard answer.status == 429 else { continue }
            expect(answer.head.contains("\r\nRetry-After: 1"))
        }
        expect(statuses.prefix(60).allSatisfy { $0 == 401 })
        expect(statuses.suffix(20).contains(429))
        try expect(relay.call("GET", "/login?code=br_x", token: "-").status, is: 429)
        try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
    }

    @Test(arguments: [
        ("OPTIONS", "/log/water", ""), ("OPTIONS", "*", ""), ("HEAD", "/log/water/trigger", ""),
        ("HEAD", "/log/water/undo", ""), ("GET", "/log/water/trigger", "Purpose: prefetch"),
    ])
    func `who asks for what needs no token is slowed down`(
        _ method: String, _ path: String, _ field: String
    ) throws {
        let relay = try RunningRelayProgram(in: folder) { $0.requestsPerSecond = 1 }
        let fields = field.isEmpty ? [] : [field]
        let statuses = try (0..<60).map { _ in
            try relay.call(method, path, token: "-", fields: fields).status
        }
        expect(statuses.first == 200 && statuses.suffix(10).contains(429))
    }

    @Test func `who only looks is slowed down too, and no device for it`() throws {
        let relay = try RunningRelayProgram(in: folder) { $0.requestsPerSecond = 1 }
        var statuses: [Int] = []
        for index in 0..<60 {
            let path = ["/healthz", "/nowhere", "/docs"][index % 3]
            let answer = try relay.call("GET", path, token: "-")
            statuses.append(answer.status)
            expect(answer.status != 429 || answer.head.contains("\r\nRetry-After: "))
        }
        expect(statuses.prefix(20).allSatisfy { $0 == 200 || $0 == 404 })
        expect(statuses.suffix(10).contains(429))
        try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
    }

    @Test func `how long a comparison takes says nothing about the token`() throws {
        let token = TokenDigest(of: "br_token")  // c1fd...4c1a
        let near = try require(TokenDigest(rawValue: token.rawValue.dropLast() + "f"))
        let far = try require(TokenDigest(rawValue: "f" + token.rawValue.dropFirst()))
        func nanoseconds(_ other: TokenDigest) -> Double {
            var equal = 0
            let time = ThreadTime.nanoseconds {
                for _ in 0..<500 where token == other { equal += 1 }
            }
            expect(equal, is: 0)
            return Double(time)
        }
        // The least of many turns: whatever else the machine does only adds.
        var (least, most) = (Double.infinity, Double.infinity)
        for _ in 0..<200 {
            least = min(least, nanoseconds(far))
            most = min(most, nanoseconds(near))
        }
        expect(most / least < 1.5 && least / most < 1.5, "\(least) and \(most)")
    }
}

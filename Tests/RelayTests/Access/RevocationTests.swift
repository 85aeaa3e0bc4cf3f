import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// A token or session that is taken away is of no use from that moment on, over real sockets.
struct RevocationTests {
    private let folder = TemporaryFolder()

    private func add(_ relay: RunningRelayProgram, _ name: String) throws -> String {
        try relay.add(#"{"name":"\#(name)","can":["log","read","manage"]}"#)
    }

    /// The cookie of a browser that is signed in by a link of whoever shows this.
    private func signIn(
        _ relay: RunningRelayProgram, token: String, fields: [String] = []
    ) throws -> String {
        let link = try relay.call("POST", "/owner-link", token: token, fields: fields)
        let path = try require(try members(link.body)["path"] as? String)
        let answer = try relay.call("GET", path, token: "-")
        let field = try require(headField("Set-Cookie", of: answer.head))
        return "Cookie: " + field.prefix { $0 != ";" }
    }

    /// A stream and a long poll that are under way.
    private func waits(_ relay: RunningRelayProgram, _ field: String) throws -> [Client] {
        let head = try relay.call("GET", "/context", token: "-", fields: [field]).head
        let tag = try require(headField("ETag", of: head))
        let (stream, poll) = (Client(relay.endpoint), Client(relay.endpoint))
        stream.send("GET /context/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\(field)\r\n\r\n")
        expect(stream.read(through: "event: context") != nil)
        poll.send(
            "GET /context?wait=60 HTTP/1.1\r\nHost: 127.0.0.1\r\n\(field)\r\n"
                + "If-None-Match: \(tag)\r\n\r\n")
        expect(!poll.canRead(withinMilliseconds: 50))
        return [stream, poll]
    }

    private func expectEnd(_ waits: [Client], _ what: String) {
        expect(waits[0].rest().hasSuffix("\n\n"), "the stream of \(what)")
        expect(waits[1].answer()?.hasPrefix("HTTP/1.1 401 "), is: true, "the wait of \(what)")
    }

    /// Requests after which a device that could do everything cannot read or manage.
    static let ends = [
        "DELETE /devices/knob", "POST /devices/knob/rotate",
        #"PATCH /devices/knob {"can":["log"]}"#,
    ]

    private func end(_ request: String, _ relay: RunningRelayProgram) throws {
        let words = request.split(separator: " ", maxSplits: 2).map(String.init)
        let body = words.count > 2 ? words[2] : ""
        try expect(relay.call(words[0], words[1], body, token: relay.owner).status, is: 200)
    }

    @Test(arguments: ends)
    func `streams and waits end with their token, and no others`(_ request: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try add(relay, "knob")
        let ended = try waits(relay, "X-Relay-Token: \(token)")
        let others = [
            try waits(relay, "X-Relay-Token: \(relay.token)"),
            try waits(relay, "X-Relay-Token: \(relay.owner)"),
        ]
        try end(request, relay)
        expectEnd(ended, request)
        try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
        for other in others {
            expect(other[0].read(through: "\"queued\":1") != nil)
            expect(other[1].answer()?.hasPrefix("HTTP/1.1 200 "), is: true)
        }
    }

    @Test(arguments: ["DELETE /devices/knob", "POST /devices/knob/rotate"])
    func `a connection that sends the same head again is refused from then on`(
        _ request: String
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try add(relay, "knob")
        let client = Client(relay.endpoint)
        let press =
            "POST /log/water HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Length: 1\r\n\r\n1"
        for _ in 0..<3 {
            client.send(press)
            expect(client.answer()?.hasPrefix("HTTP/1.1 200 "), is: true)
        }
        try end(request, relay)
        client.send(press)
        expect(client.answer()?.hasPrefix("HTTP/1.1 401 "), is: true)
    }

    @Test(arguments: ends)
    func `browsers, links and authorisations end with the token that they go back to`(
        _ request: String
    ) throws {
        let relay = try RunningRelayProgram(in: folder) { $0.oauthClientID = "client" }
        let token = try add(relay, "knob")
        let own = try signIn(relay, token: relay.owner)
        let first = try signIn(relay, token: token)
        // A browser that another browser has signed in goes back to the same token.
        let second = try signIn(relay, token: "-", fields: [first, "Origin: http://127.0.0.1"])
        let link = try relay.call("POST", "/owner-link", token: token).body
        let path = try require(try members(link)["path"] as? String)
        let start = try relay.call("GET", "/oauth/start", token: token)
        let state = try require(start.head.components(separatedBy: "beemed-oauth=").last)
            .prefix { $0 != ";" }
        let ended = try [first, second].map { try waits(relay, $0) }
        try end(request, relay)
        for (waits, name) in zip(ended, ["its browser", "its browser's browser"]) {
            expectEnd(waits, name)
        }
        for cookie in [first, second] {
            let answer = try relay.call("GET", "/devices", token: "-", fields: [cookie])
            expect(answer.status, is: 401)
        }
        try expect(relay.call("GET", "/devices", token: "-", fields: [own]).status, is: 200)
        try expect(relay.call("GET", path, token: "-").status, is: 403)
        let back = try relay.call(
            "GET", "/oauth/callback?access_token=t0ken&state=\(state)", token: "-",
            fields: ["Cookie: beemed-oauth=\(state)"])
        expect(back.status, is: 403)
    }

    @Test(arguments: ["POST /logout", "DELETE /sessions"])
    func `a browser's streams end when it is signed out`(_ request: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        let cookie = try signIn(relay, token: relay.owner)
        let other = try signIn(relay, token: relay.owner)
        let ended = try waits(relay, cookie)
        let others = try waits(relay, other)
        let words = request.split(separator: " ").map(String.init)
        let answer = try relay.call(
            words[0], words[1], token: "-", fields: [cookie, "Origin: http://127.0.0.1"])
        expect(answer.status, is: 200, "\(answer.body)")
        expectEnd(ended, request)
        if request == "DELETE /sessions" {
            expectEnd(others, "another browser")
        } else {
            try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
            expect(others[0].read(through: "\"queued\":1") != nil)
        }
    }

    @Test func `a device that is removed while no relay runs takes its browsers along`() throws {
        let first = try RunningRelayProgram(in: folder)
        let cookie = try signIn(first, token: try add(first, "knob"))
        let own = try signIn(first, token: first.owner)
        first.stop()
        let copy = try folder.copy()
        try expect(Executable.run(["device", "remove", "knob", "--data", copy.path]).code, is: 0)
        let second = try RunningRelayProgram(in: copy)
        let answers = try [cookie, own].map {
            try second.call("GET", "/devices", token: "-", fields: [$0]).status
        }
        expect(answers, is: [401, 200])
    }
}

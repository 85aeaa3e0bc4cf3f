import Foundation
import RelayHTTP
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// Whole relays of one cluster, over sockets: two relays, etcd's gateway and Beeminder.
struct ClusterRelayTests {
    private let folders = [TemporaryFolder(), TemporaryFolder()]

    /// Sends a press until it is taken, as a device does: with the same id.
    private func press(_ id: String, at relay: RunningClusterRelay, token: String) -> Bool {
        for _ in 0..<20 {
            let answer = relay.call(
                "POST", "/log/water", #"{"id":"\#(id)","value":1}"#, token: token)
            if answer.status == 200 { return true }
            guard answer.status == 503, answer.head.contains("Retry-After: ") else { return false }
        }
        return false
    }

    /// An answer without what differs between two answers to the same request.
    private func lasting(_ text: String) -> String {
        text.replacing(/Date: [^\r]*\r\n/, with: "")
            .replacing(/"request":"[^"]*"/, with: "")
    }

    /// Sends a request and reads until the end of the connection.
    private func answer(_ endpoint: Endpoint, _ head: [String]) -> String {
        let client = Client(endpoint)
        client.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        return lasting(client.rest())
    }

    @Test func `a leader that stops hands over settings and journal`() async throws {
        let (etcd, beeminder) = (try RunningEtcd(), try RunningBeeminder())
        let store = ["--store", "etcd://\(etcd.endpoint)/home"]
        let first = try RunningClusterRelay(in: folders[0], beeminder, store)
        expect(first.awaitHealth(#""role":"leader""#))
        let second = try RunningClusterRelay(in: folders[1], beeminder, store)
        expect(second.awaitHealth(#""leader":"\#(first.endpoint)""#))
        let owner = try first.owner
        try require(press("p-1", at: second, token: owner))
        let preset = second.call(
            "PUT", "/presets/tea", #"{"goal":"water","value":2}"#, token: owner)
        expect(preset.status == 200 || preset.status == 201, "\(preset)")

        first.beginStop()
        try require(press("p-2", at: second, token: owner))
        first.awaitStop()
        expect(second.awaitHealth(#""role":"leader""#))
        try expect(second.owner, is: owner)
        let third = try RunningClusterRelay(in: folders[0], beeminder, store)
        expect(third.awaitHealth(#""leader":"\#(second.endpoint)""#))
        try require(press("p-1", at: third, token: owner), "the same press, at the third leader")
        expect(third.call("GET", "/presets", token: owner).body.contains("tea"))
        second.beginStop()
        second.awaitStop()
        expect(third.awaitHealth(#""role":"leader""#))
        expect(third.call("GET", "/presets", token: owner).body.contains("tea"))
        for id in ["p-1", "p-2"] {
            expect(third.call("GET", "/events/\(id)", token: owner).status, is: 200)
        }
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        third.beginStop()
        third.awaitStop()
        await expect(beeminder.posted(to: "water").count, is: 2)
        expect(etcd.data.text("/beemed/home/leader") == nil, "the lease is given back")
        for call in etcd.calls {
            expect(!decoded(call.body).contains(RunningBeeminder.token), "\(call.path)")
        }
    }

    @Test func `another user's token sends nothing of the cluster's folder`() async throws {
        let (etcd, beeminder) = (try RunningEtcd(), try RunningBeeminder())
        await beeminder.addBob()
        let store = ["--store", "etcd://\(etcd.endpoint)/home"]
        let first = try RunningClusterRelay(in: folders[0], beeminder, store)
        expect(first.awaitHealth(#""role":"leader""#))
        let second = try RunningClusterRelay(in: folders[1], beeminder, store, token: "bobs-token")
        expect(second.awaitHealth(#""leader":"\#(first.endpoint)""#))
        let owner = try first.owner
        try require(press("p-1", at: first, token: owner))
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        expect(first.call("PUT", "/pins/water", token: owner).status, is: 200)
        first.beginStop()
        first.awaitStop()
        expect(second.awaitHealth("another user's than this folder"))
        // Nothing waits, and it does not begin anew by itself: the other relay may lead again.
        try require(press("p-2", at: second, token: owner))
        let account = second.call("GET", "/connection", token: owner).body
        expect(account.contains("this folder is alice's, and the token is bob's; 1 press"))
        expect(second.call("GET", "/events/p-2", token: owner).body.contains(#""state":"held""#))
        let third = try RunningClusterRelay(in: folders[0], beeminder, store)
        expect(third.awaitHealth(#""leader":"\#(second.endpoint)""#))
        second.beginStop()
        second.awaitStop()
        expect(third.awaitHealth(#""role":"leader""#))
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        expect(third.call("GET", "/pins", token: owner).body.contains("water"))
        await expect(beeminder.bobs.isEmpty)
        third.beginStop()
        third.awaitStop()
    }

    /// The keys and values of a call.
    private func decoded(_ body: String) -> String {
        body.matches(of: /"(?:key|value)":"([^"]*)"/)
            .compactMap { Data(base64Encoded: String($0.1)) }
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }

    @Test func `a client cannot tell a relay that follows from the one that leads`() throws {
        let (etcd, beeminder) = (try RunningEtcd(), try RunningBeeminder())
        let store = ["--store", "etcd://\(etcd.endpoint)/home"]
        let first = try RunningClusterRelay(in: folders[0], beeminder, store)
        expect(first.awaitHealth(#""role":"leader""#))
        let second = try RunningClusterRelay(in: folders[1], beeminder, store)
        expect(second.awaitHealth(#""leader":"\#(first.endpoint)""#))
        let owner = "Authorization: Bearer \(try first.owner)"
        try require(press("p-1", at: second, token: try first.owner))
        try waitUntil("the press is delivered") {
            second.call("GET", "/events/p-1", token: try first.owner).body.contains("delivered")
        }
        let page = answer(first.endpoint, ["GET /docs HTTP/1.0", "Accept: text/html"])
        let tag = try require(page.firstMatch(of: /ETag: ([^\r]*)/)?.1)
        let requests = [
            ["GET / HTTP/1.1", "Accept: text/html"], ["HEAD / HTTP/1.1", "Accept: text/html"],
            ["GET /docs HTTP/1.1", "Accept: text/html", "If-None-Match: \(tag)"],
            ["GET /docs HTTP/1.1"], ["HEAD /docs HTTP/1.1"], ["GET /docs HTTP/1.0"],
            ["GET /docs/recipes HTTP/1.1"], ["GET /none?x=%2F HTTP/1.1", owner],
            ["GET /events HTTP/1.1"], ["GET /events/p-1 HTTP/1.1", owner],
            ["GET /events/none HTTP/1.1", owner], ["PUT /context HTTP/1.1", owner],
            ["DELETE /events HTTP/1.1", owner], ["GET /log/water HTTP/1.1", owner],
            ["OPTIONS /log/water HTTP/1.1", "Origin: http://evil.example"],
            ["OPTIONS * HTTP/1.1"], ["BREW / HTTP/1.1"], ["GET /presets HTTP/1.1", owner],
            ["POST /events HTTP/1.1", owner, "Content-Length: 0", "Content-Type: image/png"],
            ["GET /export HTTP/1.0", owner], ["HEAD /export HTTP/1.1", owner],
            ["POST /login HTTP/1.1", "Content-Length: 0", "Origin: http://evil.example"],
        ]
        for request in requests {
            let head = request + ["Host: 127.0.0.1", "Connection: close"]
            let direct = answer(first.endpoint, head)
            expect(direct.hasPrefix("HTTP/1.1 "), "\(request)")
            expect(answer(second.endpoint, head), is: direct, "\(request)")
        }
        for relay in [second, first] {
            relay.beginStop()
            relay.awaitStop()
        }
    }

    @Test func `a leader that etcd does not hear gives way to the next one`() async throws {
        let data = EtcdData()
        data.with { $0.password = "secret" }
        let members = [try RunningEtcd(data), try RunningEtcd(data)]
        let beeminder = try RunningBeeminder()
        let secrets = TemporaryFolder()
        try PrivateFile.makeFolder(secrets.path)
        let file = "\(secrets.path)/password"
        try PrivateFile.write(Array("secret\n".utf8), to: file)
        var relays: [RunningClusterRelay] = []
        for (folder, member) in zip(folders, members) {
            let relay = try RunningClusterRelay(
                in: folder, beeminder,
                ["--store", "etcd://relay@\(member.endpoint)/home", "--store-password-file", file],
                lease: 4)
            // The first one leads before there is another one.
            expect(relay.awaitHealth(relays.isEmpty ? #""role":"leader""# : "role"))
            relays.append(relay)
        }
        let owner = try relays[0].owner
        data.with { $0.tokens = [] }
        try require(press("p-1", at: relays[1], token: owner), "with new tokens of etcd")
        members[0].set { _, _ in .losesCall }
        expect(relays[1].awaitHealth(#""role":"leader""#))
        try require(press("p-2", at: relays[1], token: owner))
        members[0].set(nil)
        expect(relays[0].awaitHealth(#""leader":"\#(relays[1].endpoint)""#))
        try require(press("p-3", at: relays[0], token: owner))
        for id in ["p-1", "p-2", "p-3"] {
            expect(relays[0].call("GET", "/events/\(id)", token: owner).status, is: 200)
        }
        await expect(beeminder.awaitPosted(3, to: ["water"]))
        for relay in relays {
            relay.beginStop()
            relay.awaitStop()
        }
        await expect(beeminder.posted(to: "water").count, is: 3)
    }

    @Test func `a quota of etcd that is used up is a full disk`() throws {
        let (etcd, beeminder) = (try RunningEtcd(), try RunningBeeminder())
        let store = ["--store", "etcd://\(etcd.endpoint)/home"]
        let relay = try RunningClusterRelay(in: folders[0], beeminder, store)
        expect(relay.awaitHealth(#""role":"leader""#))
        let owner = try relay.owner
        try require(press("p-1", at: relay, token: owner))
        etcd.data.with { $0.isFull = true }
        let refused = relay.call("POST", "/log/water", #"{"id":"p-2"}"#, token: owner)
        expect(refused.status, is: 507, "\(refused)")
        expect(relay.awaitHealth("disk"))
        etcd.data.with { $0.isFull = false }
        var status = 507
        try waitUntil("the store has room again") {
            status = relay.call("POST", "/log/water", #"{"id":"p-2"}"#, token: owner).status
            return status != 507
        }
        expect(status, is: 200)
        expect(relay.awaitHealth(#""role":"leader""#), "it went on leading")
        relay.beginStop()
        relay.awaitStop()
    }
}

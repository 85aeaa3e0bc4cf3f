import Foundation
import Testing

@testable import BeemedDomain
@testable import RelayCluster
@testable import RelayTrunk

/// The calls of etcd's gateway, over a socket.
struct EtcdGatewayTests {
    private func gateway(_ location: StoreLocation, password: String? = nil) -> EtcdGateway {
        EtcdGateway(location, password: password, seconds: HangLimit.seconds)
    }

    private func put(_ key: String, _ value: [UInt8], lease: Int64 = 0) -> Transaction {
        Transaction(if: [:], then: [.put(key, value, lease: lease)])
    }

    /// The fault of a call; nil when it succeeded.
    private func fault<Value>(_ call: () throws(StoreFault) -> Value) -> StoreFault? {
        do throws(StoreFault) {
            _ = try call()
            return nil
        } catch { return error }
    }

    // MARK: Values

    @Test func `keys and values of any bytes are read back, with numbers of 64 bits`() throws {
        let etcd = try RunningEtcd()
        etcd.data.with { $0.revision = 1 << 60 }
        let store = gateway(try etcd.location())
        let key = "/beemed/home/config/grüße \"\\\u{1}"
        let value = (0...255).map { UInt8($0) }
        _ = try store.commit(put(key, value))
        let entry = try require(try store.get(key))
        expect(entry.key == key && entry.value == value)
        expect(entry.revision, is: 1 << 60 + 1)
        let encoded = Data(key.utf8).base64EncodedString()
        expect(etcd.calls.last?.body, is: #"{"key":"\#(encoded)","limit":"1"}"#)
        _ = try store.commit(put("/empty", []))
        try expect(store.get("/empty")?.value, is: [])
        try expect(store.get("/none") == nil)
    }

    @Test func `a range ends before its end, and a page at its limit`() throws {
        let etcd = try RunningEtcd()
        let store = gateway(try etcd.location())
        for name in ["a/1", "a/2", "a/3", "a0", "b"] { _ = try store.commit(put(name, [1])) }
        let all = try store.get(KeyRange(below: "a/"), limit: .max)
        expect(all.map(\.key), is: ["a/1", "a/2", "a/3"])
        try expect(store.get(KeyRange(below: "a/"), limit: 2).map(\.key), is: ["a/1", "a/2"])
    }

    @Test func `a transaction compares, and reads what it found instead`() throws {
        let etcd = try RunningEtcd()
        let store = gateway(try etcd.location())
        let claim = Transaction(if: ["k": 0], then: [.put("k", [1])], elseRead: ["k", "none"])
        guard case .done(let revision) = try store.commit(claim) else {
            throw Unexpected("nothing was put")
        }
        let entry = KeyValue("k", [1], revision: revision)
        try expect(store.get("k"), is: entry)
        try expect(store.commit(claim), is: .differs([entry, nil]))
        let change = Transaction(if: ["k": revision], then: [.delete(KeyRange("k"))])
        try expect(store.commit(change), is: .done(revision + 1))
        try expect(store.commit(change), is: .differs([]))
        try expect(store.get("k") == nil)
    }

    @Test func `a lease keeps its keys until it is revoked`() throws {
        let etcd = try RunningEtcd()
        let store = gateway(try etcd.location())
        let (lease, seconds) = try store.grant(seconds: 7)
        expect(lease > 1 << 53 && seconds == 7)
        _ = try store.commit(put("k", [1], lease: lease))
        try expect(store.get("k")?.lease, is: lease)
        try expect(store.keepAlive(lease), is: 7)
        try store.revoke(lease)
        try expect(store.get("k") == nil)
        try expect(store.keepAlive(lease), is: 0)
        let unknown = fault { () throws(StoreFault) in
            try store.commit(put("k", [1], lease: lease))
        }
        guard case .refused(let words) = unknown else { throw Unexpected(unknown) }
        expect(words.contains("lease not found"))
    }

    // MARK: Faults

    @Test(
        arguments: [
            .says(500, ""), .says(503, "<html>busy</html>"), .says(200, "<html>login</html>"),
            .says(200, "{}"), .says(200, #"{"header":{},"kvs":[{"key":"?","value":"?"}]}"#),
            .says(503, etcdError(14, "etcdserver: request timed out")), .losesAnswer,
            .losesCall, .breaksOff(after: 9),
            .says(429, etcdError(8, "etcdserver: too many requests")),
        ] as [RunningEtcd.Trouble])
    func `an answer that does not say what happened counts as none`(
        _ trouble: RunningEtcd.Trouble
    ) throws {
        let etcd = try RunningEtcd { _, _ in trouble }
        let other = try RunningEtcd()
        let store = gateway(try etcd.location(other))
        let found = fault { () throws(StoreFault) in
            try store.get(KeyRange(below: "/beemed/home/journal/"), limit: 256)
        }
        guard case .unanswered(let words) = found else { throw Unexpected(found) }
        expect(words.contains("\(etcd.endpoint)"), "the message names the member: \(words)")
        try expect(store.get("k") == nil, "the next call is for the next member")
    }

    @Test(arguments: [
        (400, etcdError(3, "etcdserver: request is too large")),
        (400, etcdError(3, "etcdserver: too many operations in txn request")),
        (429, etcdError(8, "grpc: received message larger than max (2195 vs. 2097)")),
        (403, etcdError(7, "etcdserver: permission denied")),
        (404, "404 page not found"), (405, ""), (501, etcdError(12, "Not Implemented")),
    ])
    func `a call that etcd refuses is not repeated, and the next is for another member`(
        _ status: Int, _ body: String
    ) throws {
        let first = try RunningEtcd { _, _ in .says(status, body) }
        let second = try RunningEtcd(first.data)
        let store = gateway(try first.location(second))
        let found = fault { () throws(StoreFault) in try store.commit(put("k", [1])) }
        guard case .refused(let words) = found else { throw Unexpected(found) }
        expect(words.contains("\(first.endpoint)"))
        if status == 404 { expect(words.contains("enable-grpc-gateway")) }
        expect(first.calls.count == 1 && second.calls.isEmpty)
        _ = try store.commit(put("k", [1]))
        expect(first.calls.count == 1 && second.calls.count == 1)
    }

    // MARK: Members

    @Test func `the next member is called after one that does not answer`() throws {
        let first = try RunningEtcd()
        let second = try RunningEtcd(first.data)
        let third = try RunningEtcd(first.data) { _, _ in .says(503, "") }
        let store = gateway(try first.location(third, second))
        _ = try store.commit(put("k", [1]))
        first.stop()
        var attempts = 0
        while attempts < 10, (try? store.get("k")) == nil { attempts += 1 }
        expect(attempts, is: 2)
        expect(third.calls.count, is: 1)
        try expect(store.get("k")?.value, is: [1])
        expect(second.calls.count == 2 && third.calls.count == 1, "it stays with who answers")
    }

    @Test func `a member that takes a call and never answers costs one time-out`() throws {
        let frozen = try RunningServer()  // The system alone takes its connections.
        let etcd = try RunningEtcd()
        let text = "etcd://\(frozen.endpoint),\(etcd.endpoint)/home"
        let location = try require(StoreLocation(text))
        let store = EtcdGateway(location, password: nil, seconds: 0.3)
        let begin = ContinuousClock.now
        let found = fault { () throws(StoreFault) in try store.get("k") }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        expect(seconds >= 0.25)
        guard case .unanswered = found else { throw Unexpected(found) }
        try expect(store.get("k") == nil)
        expect(etcd.calls.count, is: 1)
    }

    // MARK: Authentication

    @Test func `a call is made with a token, which one password is exchanged for`() throws {
        let etcd = try RunningEtcd()
        etcd.data.with { $0.password = "s\"cret" }
        let store = gateway(try etcd.location(user: "relay"), password: "s\"cret")
        _ = try store.commit(put("k", [1]))
        try expect(store.get("k")?.value, is: [1])
        expect(etcd.paths, is: ["auth/authenticate", "kv/txn", "kv/range"])
        expect(etcd.calls.map { $0.token == nil }, is: [true, false, false])
    }

    @Test func `a gateway that wants a password is asked again when the token ends`() throws {
        let etcd = try RunningEtcd()
        etcd.data.with { $0.password = "secret" }
        let store = gateway(try etcd.location(user: "relay"), password: "secret")
        try expect(store.get("k") == nil)
        etcd.data.with { $0.tokens = [] }
        _ = try store.commit(put("k", [1]))
        expect(etcd.paths.filter { $0 == "auth/authenticate" }.count, is: 2)
        try expect(store.get("k")?.value, is: [1])
    }

    @Test func `a renewal that is refused in a stream is repeated with a new token`() throws {
        let words = "etcdserver: invalid auth token"
        let body = #"{"error":{"grpc_code":16,"http_code":401,"message":"\#(words)"}}"#
        let etcd = try RunningEtcd { call, count in
            call.path == "/v3/lease/keepalive" && count == 2 ? .says(200, body) : nil
        }
        etcd.data.with { $0.password = "secret" }
        let store = gateway(try etcd.location(user: "relay"), password: "secret")
        let (lease, _) = try store.grant(seconds: 5)
        try expect(store.keepAlive(lease), is: 5)
        expect(
            etcd.paths,
            is: [
                "auth/authenticate", "lease/grant", "lease/keepalive", "auth/authenticate",
                "lease/keepalive",
            ])
    }

    @Test(
        arguments: [
            ("relay", "wrong", "secret", "invalid user ID or password"),
            (nil, nil, "secret", "user name is empty"),
            ("relay", "secret", nil, "authentication is not enabled"),
        ] as [(String?, String?, String?, String)])
    func `authentication that does not fit is refused, with the reason`(
        _ user: String?, _ given: String?, _ wanted: String?, _ words: String
    ) throws {
        let etcd = try RunningEtcd()
        etcd.data.with { $0.password = wanted }
        let store = gateway(try etcd.location(user: user), password: given)
        let found = fault { () throws(StoreFault) in try store.get("k") }
        guard case .refused(let why) = found else { throw Unexpected(found) }
        expect(why.contains(words))
        expect(etcd.calls.count <= 2, "a wrong password must not be tried again and again")
    }
}

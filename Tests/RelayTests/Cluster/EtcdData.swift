import Foundation
import RelayHTTP
import Synchronization

@testable import BeemedDomain

/// The data of an etcd cluster: strictly serializable, with leases by this machine's clock, and
/// with one user when there is a password. It speaks the JSON of the gateway (etcd 3.4).
final class EtcdData: Sendable {
    struct Lease: Sendable {
        var seconds: Int
        var end: Instant
    }

    struct State: Sendable {
        var entries: [String: KeyValue] = [:]
        var revision: Int64 = 1
        var leases: [Int64: Lease] = [:]
        var lastLease: Int64 = 1 << 60
        /// The password of the user "relay"; nil without authentication.
        var password: String?
        /// The tokens that count.
        var tokens: Set<String> = []
        /// Whether the quota is used up.
        var isFull = false
        /// The longest call, in bytes.
        var longest = 3 << 19
    }

    private let state = Mutex(State())

    func with<Value>(_ body: (inout sending State) -> sending Value) -> Value {
        state.withLock { body(&$0) }
    }

    /// The value of a key, as text.
    func text(_ key: String) -> String? {
        with { $0.entries[key].map { String(decoding: $0.value, as: UTF8.self) } }
    }

    /// The status and the content of the answer.
    func answer(_ call: RunningEtcd.Call) -> (Int, String) {
        with { state in
            state.endLeases()
            let answer = JSONTree(Array(call.body.utf8)).map {
                state.answer(call.path, $0, call.token, bytes: call.body.utf8.count)
            }
            return answer ?? (400, etcdError(3, "invalid character"))
        }
    }
}

extension EtcdData.State {
    fileprivate mutating func answer(
        _ path: String, _ body: JSONTree, _ token: String?, bytes: Int
    ) -> (Int, String) {
        if path == "/v3/auth/authenticate" { return authenticate(body) }
        if password != nil, path != "/v3/lease/keepalive" {
            guard let token else {
                return (400, etcdError(3, "etcdserver: user name is empty"))
            }
            guard tokens.contains(token) else {
                return (401, etcdError(16, "etcdserver: invalid auth token"))
            }
        }
        guard bytes <= longest else {
            return (400, etcdError(3, "etcdserver: request is too large"))
        }
        switch path {
        case "/v3/kv/range": return (200, range(body))
        case "/v3/kv/txn": return commit(body)
        case "/v3/lease/grant": return (200, grant(Int(body["TTL"]?.text ?? "") ?? 0))
        case "/v3/lease/keepalive": return (200, keepAlive(lease(body)))
        case "/v3/lease/revoke": return revoke(lease(body))
        case "/v3/maintenance/status":
            return (200, "{\(header),\"version\":\"3.4.23\",\"dbSize\":\"5242880\"}")
        case "/v3/maintenance/alarm":
            let alarms = #","alarms":[{"memberID":"1","alarm":"NOSPACE"}]"#
            return (200, "{\(header)\(isFull ? alarms : "")}")
        default: return (404, "Not Found")
        }
    }

    private var header: String {
        #""header":{"cluster_id":"1","member_id":"2","revision":"\#(revision)","raft_term":"3"}"#
    }

    private mutating func authenticate(_ body: JSONTree) -> (Int, String) {
        guard let password else {
            return (400, etcdError(9, "etcdserver: authentication is not enabled"))
        }
        guard body["name"]?.text == "relay", body["password"]?.text == password else {
            let words = "etcdserver: authentication failed, invalid user ID or password"
            return (400, etcdError(3, words))
        }
        let token = "token.\(UUID().uuidString)"
        tokens.insert(token)
        return (200, #"{\#(header),"token":"\#(token)"}"#)
    }

    // MARK: Leases

    fileprivate mutating func endLeases() {
        let now = Instant.now
        leases = leases.filter { $0.value.end > now }
        dropKeysOfEndedLeases()
    }

    private mutating func dropKeysOfEndedLeases() {
        for (key, entry) in entries where entry.lease != 0 && leases[entry.lease] == nil {
            entries[key] = nil
            revision += 1
        }
    }

    private func lease(_ body: JSONTree) -> Int64 { Int64(body["ID"]?.text ?? "") ?? 0 }

    private mutating func grant(_ seconds: Int) -> String {
        lastLease += 1
        leases[lastLease] = .init(
            seconds: seconds, end: Instant.now.advanced(bySeconds: Double(seconds)))
        return #"{\#(header),"ID":"\#(lastLease)","TTL":"\#(seconds)"}"#
    }

    private mutating func keepAlive(_ lease: Int64) -> String {
        guard let known = leases[lease] else {
            return #"{"result":{\#(header),"ID":"\#(lease)"}}"#
        }
        leases[lease]?.end = Instant.now.advanced(bySeconds: Double(known.seconds))
        return #"{"result":{\#(header),"ID":"\#(lease)","TTL":"\#(known.seconds)"}}"#
    }

    private mutating func revoke(_ lease: Int64) -> (Int, String) {
        guard leases.removeValue(forKey: lease) != nil else {
            return (404, etcdError(5, "etcdserver: requested lease not found"))
        }
        dropKeysOfEndedLeases()
        return (200, "{\(header)}")
    }

    // MARK: Keys

    private func text(_ value: JSONTree?) -> String? {
        value?.text.flatMap { Data(base64Encoded: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func keys(_ body: JSONTree) -> [String] {
        let first = text(body["key"]) ?? ""
        guard let end = text(body["range_end"]) else {
            return entries[first] == nil ? [] : [first]
        }
        return entries.keys.filter { $0 >= first && $0 < end }.sorted()
    }

    private func range(_ body: JSONTree) -> String {
        let keys = keys(body)
        let limit = Int(body["limit"]?.text ?? "") ?? 0
        let shown = limit > 0 ? Array(keys.prefix(limit)) : keys
        let list = shown.compactMap { entries[$0].map(json) }.joined(separator: ",")
        let more = shown.count < keys.count ? ",\"more\":true" : ""
        return shown.isEmpty
            ? "{\(header)}" : #"{\#(header),"kvs":[\#(list)]\#(more),"count":"\#(keys.count)"}"#
    }

    /// Members that are zero or empty are missing.
    private func json(_ entry: KeyValue) -> String {
        let key = Data(entry.key.utf8).base64EncodedString()
        let value = Data(entry.value).base64EncodedString()
        return #"{"key":"\#(key)","mod_revision":"\#(entry.revision)","version":"1""#
            + (value.isEmpty ? "" : #","value":"\#(value)""#)
            + (entry.lease == 0 ? "" : #","lease":"\#(entry.lease)""#) + "}"
    }

    private mutating func commit(_ body: JSONTree) -> (Int, String) {
        let holds = (body["compare"]?.elements ?? []).allSatisfy { comparison in
            let entry = entries[text(comparison["key"]) ?? ""]
            return comparison["result"]?.text == "EQUAL" && comparison["target"]?.text == "MOD"
                && Int64(comparison["mod_revision"]?.text ?? "0") == entry?.revision ?? 0
        }
        let operations = body[holds ? "success" : "failure"]?.elements ?? []
        let puts = operations.compactMap { $0["requestPut"] }
        if isFull, !puts.isEmpty {
            return (429, etcdError(8, "etcdserver: mvcc: database space exceeded"))
        }
        let leases = puts.compactMap { Int64($0["lease"]?.text ?? "") }
        guard leases.allSatisfy({ self.leases[$0] != nil }) else {
            return (404, etcdError(5, "etcdserver: requested lease not found"))
        }
        if operations.contains(where: { $0["requestRange"] == nil }) { revision += 1 }
        let responses = operations.map { apply($0) }.joined(separator: ",")
        let flag = holds ? ",\"succeeded\":true" : ""
        return (200, "{\(header)\(flag),\"responses\":[\(responses)]}")
    }

    private mutating func apply(_ operation: JSONTree) -> String {
        if let put = operation["requestPut"] {
            let key = text(put["key"]) ?? ""
            let value = put["value"]?.text.flatMap { Data(base64Encoded: $0) } ?? Data()
            entries[key] = KeyValue(
                key, Array(value), revision: revision, lease: Int64(put["lease"]?.text ?? "") ?? 0)
            return #"{"response_put":{\#(header)}}"#
        }
        if let deletion = operation["requestDeleteRange"] {
            let keys = keys(deletion)
            for key in keys { entries[key] = nil }
            return #"{"response_delete_range":{\#(header),"deleted":"\#(keys.count)"}}"#
        }
        return #"{"response_range":\#(range(operation["requestRange"] ?? .null))}"#
    }
}

import BeemedDomain
import Foundation
import RelayHTTP
import RelayTrunk
import Synchronization

/// etcd by its JSON gateway: HTTP/1.1, with keys and values in base64 (etcd 3.4, "gRPC gateway").
///
/// Calls block. Each thread has a gateway of its own, so that a slow batch delays no renewal. The
/// configured members are used, never those that members advertise: these may not serve a gateway.
final class EtcdGateway: KeyValueStore {
    private struct State: Sendable {
        /// By how many seconds the last answer's `Date` differed from this machine's clock.
        var clockSkew: Int64?
        /// The token of etcd's authentication.
        var token: String?
    }

    /// The member that answered last. Gateways share it: one that is down is found out once.
    final class Choice: Sendable {
        private let index = Atomic(0)

        func present(of count: Int) -> Int { index.load(ordering: .relaxed) % count }

        /// Chooses the next one, unless another gateway has.
        func leave(_ member: Int, of count: Int) {
            _ = index.compareExchange(
                expected: member, desired: (member + 1) % count, ordering: .relaxed)
        }
    }

    private let location: StoreLocation
    private let password: String?
    private let transport = SystemTransport(connectSeconds: 1, sendsOnce: false)
    private let state = Mutex(State())
    private let choice: Choice
    /// The maximum duration of a call, in seconds.
    private let seconds: Double
    /// How often a call without an answer is made.
    private let tries: Int

    /// The shortest time between two calls of which the first had no answer, in seconds.
    private static let pause = 0.05
    /// The maximum length of an answer, in bytes: a page of batches in base64.
    private static let longest = 1 << 29

    /// - Parameters:
    ///   - seconds: the maximum duration of one try of a call.
    ///   - tries: how often a call is made, each time at the next member, until one answers. More
    ///     than once only where a call may take effect twice.
    init(
        _ location: StoreLocation, password: String?, seconds: Double, tries: Int = 1,
        choice: Choice = Choice()
    ) {
        (self.location, self.password, self.choice) = (location, password, choice)
        (self.seconds, self.tries) = (seconds, tries)
    }

    // MARK: Calls

    func get(_ range: KeyRange, limit: Int) throws(StoreFault) -> [KeyValue] {
        try call("kv/range", EtcdJSON.range(range, limit: limit)) { answer in
            // An answer of another service must not count as an empty store.
            answer["header"] == nil ? nil : EtcdJSON.entries(in: answer)
        }
    }

    func commit(_ transaction: Transaction) throws(StoreFault) -> Transaction.Result {
        try call("kv/txn", EtcdJSON.transaction(transaction)) { answer in
            EtcdJSON.outcome(of: transaction, in: answer)
        }
    }

    func grant(seconds: Int) throws(StoreFault) -> (lease: Int64, seconds: Int) {
        try call("lease/grant", JSONMembers(["TTL": "\(seconds)"])) { answer in
            guard let lease = EtcdJSON.number(answer["ID"]),
                let granted = EtcdJSON.number(answer["TTL"])
            else { return nil }
            return (lease, Int(granted))
        }
    }

    func keepAlive(_ lease: Int64) throws(StoreFault) -> Int {
        try call("lease/keepalive", JSONMembers(["ID": "\(lease)"])) { answer in
            // A lease that has ended has no TTL.
            answer["result"].map { Int(EtcdJSON.number($0["TTL"]) ?? 0) }
        }
    }

    func revoke(_ lease: Int64) throws(StoreFault) {
        _ = try call("lease/revoke", JSONMembers(["ID": "\(lease)"])) { $0 }
    }

    /// Calls one of the members' maintenance functions: for `doctor`.
    func maintenance(
        _ function: String, _ members: [String: any Encodable] = [:]
    ) throws(StoreFault) -> JSONTree {
        try call("maintenance/\(function)", JSONMembers(members)) { $0 }
    }

    /// By how many seconds the clock of the member that answered last is ahead; nil when unknown.
    var clockSkew: Int64? { state.withLock { $0.clockSkew } }

    // MARK: HTTP

    /// Calls the present member, and the next ones while there is no answer. After a refusal, too,
    /// the next call is for the next one: one whose gateway is off must not stand for all.
    ///
    /// - Parameter read: nil for an answer that cannot be etcd's.
    private func call<Value>(
        _ path: String, _ body: JSONMembers, _ read: (JSONTree) -> Value?
    ) throws(StoreFault) -> Value {
        var triesLeft = tries
        while true {
            let begin = ContinuousClock.now
            let member = choice.present(of: location.members.count)
            do throws(StoreFault) {
                if let value = read(try callOnce(path, body, member)) { return value }
                throw .unanswered("\(location.members[member]): its answer cannot be read")
            } catch {
                triesLeft -= 1
                if error != .noSpace { choice.leave(member, of: location.members.count) }
                guard case .unanswered = error else { throw error }
                let seconds = (ContinuousClock.now - begin) / .seconds(1)
                if seconds < EtcdGateway.pause { SystemThread.sleep(seconds: EtcdGateway.pause) }
                if triesLeft == 0 { throw error }
            }
        }
    }

    /// Calls a member with the token that the user has from it, and once more with a new one.
    private func callOnce(
        _ path: String, _ body: JSONMembers, _ member: Int
    ) throws(StoreFault) -> JSONTree {
        guard let user = location.user else { return try send(path, body, to: member, nil) }
        if let token = state.withLock({ $0.token }) {
            do throws(StoreFault) { return try send(path, body, to: member, token) } catch {
                let faults = ["invalid auth token", "user name is empty", "revision in auth"]
                guard case .refused(let why) = error, faults.contains(where: { why.contains($0) })
                else {
                    throw error
                }
            }
        }
        let credentials = JSONMembers(["name": user, "password": password ?? ""])
        let token = try send("auth/authenticate", credentials, to: member, nil)["token"]?.text
        state.withLock { $0.token = token }
        return try send(path, body, to: member, token)
    }

    private func send(
        _ path: String, _ body: JSONMembers, to member: Int, _ token: String?
    ) throws(StoreFault) -> JSONTree {
        let base = location.members[member]
        var request = OutgoingRequest("POST", "\(base)/v3/\(path)")
        request.body = body.bytes
        request.set("Content-Type", "application/json")
        if let token { request.set("Authorization", token) }
        let result = transport.perform(
            request, atMost: EtcdGateway.longest, within: seconds, during: nil)
        switch result {
        case .failure(let failure): throw .unanswered("no answer: \(base): \(failure.words)")
        case .success(let answer):
            if let date = answer.date {
                let skew = date.seconds - Instant.wallNanoseconds / 1_000_000_000
                state.withLock { $0.clockSkew = skew }
            }
            let tree = JSONTree(answer.body)
            // A stream, as that of renewals, has its error in an answer of 200.
            guard answer.status == 200, tree?["error"] == nil else {
                throw EtcdJSON.fault(answer.status, tree, from: base)
            }
            guard let tree else { throw .unanswered("\(base): its answer is not JSON") }
            return tree
        }
    }
}

/// The JSON of etcd's gateway: numbers of 64 bits are texts, keys and values are base64, members
/// that are zero or false are missing (Protocol Buffers, "JSON mapping").
enum EtcdJSON {
    // MARK: Requests

    static func range(_ range: KeyRange, limit: Int? = nil) -> JSONMembers {
        var members: [String: any Encodable] = ["key": Data(range.first.utf8)]
        members["range_end"] = range.end.map { Data($0.utf8) }
        if let limit, limit < .max { members["limit"] = "\(limit)" }
        return JSONMembers(members)
    }

    static func transaction(_ transaction: Transaction) -> JSONMembers {
        JSONMembers([
            "compare": transaction.revisions.map { key, revision in
                JSONMembers([
                    "key": Data(key.utf8), "target": "MOD", "result": "EQUAL",
                    "mod_revision": "\(revision)",
                ])
            },
            "success": transaction.changes.map(change),
            "failure": transaction.reads.map { key in
                JSONMembers(["requestRange": range(KeyRange(key))])
            },
        ])
    }

    private static func change(_ change: Transaction.Change) -> JSONMembers {
        switch change {
        case .put(let key, let value, let lease):
            var put: [String: any Encodable] = ["key": Data(key.utf8), "value": Data(value)]
            if lease != 0 { put["lease"] = "\(lease)" }
            return JSONMembers(["requestPut": JSONMembers(put)])
        case .delete(let keys): return JSONMembers(["requestDeleteRange": range(keys)])
        }
    }

    // MARK: Answers

    static func number(_ value: JSONTree?) -> Int64? {
        value?.text.flatMap { Int64($0) } ?? value?.number.flatMap(Int64.init(exactly:))
    }

    /// Nil when one of them cannot be read: without it the others would look complete.
    static func entries(in answer: JSONTree) -> [KeyValue]? {
        var entries: [KeyValue] = []
        for entry in answer["kvs"]?.elements ?? [] {
            guard let key = bytes(entry["key"]),
                let value = entry["value"] == nil ? [] : bytes(entry["value"])
            else { return nil }
            entries.append(
                KeyValue(
                    String(decoding: key, as: UTF8.self), value,
                    revision: number(entry["mod_revision"]) ?? 0,
                    lease: number(entry["lease"]) ?? 0))
        }
        return entries
    }

    /// Nil for anything but the answer to that transaction.
    static func outcome(
        of transaction: Transaction, in answer: JSONTree
    ) -> Transaction.Result? {
        guard let revision = number(answer["header"]?["revision"]) else { return nil }
        if answer["succeeded"] == .flag(true) { return .done(revision) }
        let found = (answer["responses"]?.elements ?? []).compactMap { response in
            response["response_range"].flatMap { entries(in: $0) }
        }
        return found.count == transaction.reads.count ? .differs(found.map(\.first)) : nil
    }

    private static func bytes(_ value: JSONTree?) -> [UInt8]? {
        value?.text.flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }

    // MARK: Errors

    /// The meaning of an answer that is not 200: the codes are those of gRPC. Other answers than
    /// known refusals leave open whether the call took effect.
    static func fault(_ status: Int, _ tree: JSONTree?, from member: String) -> StoreFault {
        let inner = tree?["error"]
        guard let tree, let code = number(tree["code"]) ?? number(inner?["grpc_code"]) else {
            if status == 404 || status == 405 {
                return .refused(
                    "\(member) serves no gateway (status \(status)): set enable-grpc-gateway")
            }
            return .unanswered("\(member): status \(status)")
        }
        let words =
            inner?.text ?? tree["message"]?.text ?? inner?["message"]?.text ?? "code \(code)"
        switch code {
        case 8 where words.contains("space exceeded"): return .noSpace
        case 8 where words.contains("larger than max"): return .refused("\(member): \(words)")
        case 3, 7, 9, 12, 16: return .refused("\(member): \(words)")
        case 5 where words.contains("lease not found"): return .refused("\(member): \(words)")
        default: return .unanswered("\(member): \(words)")
        }
    }
}

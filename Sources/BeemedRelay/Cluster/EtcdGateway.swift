import BeemedDomain
import RelayHTTP
import RelayTrunk
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        self.location = location
        self.password = password
        self.seconds = seconds
        self.tries = tries
        self.choice = choice
    }

    // MARK: Calls

    func get(_ range: KeyRange, limit: Int) throws(KeyValueFault) -> [KeyValue] {
        let answer = try call("kv/range", EtcdJSON.range(range, limit: limit))
        // An answer of another service must not count as an empty store.
        guard answer["header"] != nil, let entries = EtcdJSON.entries(in: answer) else {
            throw unreadable()
        }
        return entries
    }

    func commit(_ transaction: Transaction) throws(KeyValueFault) -> Transaction.Result {
        let answer = try call("kv/txn", EtcdJSON.transaction(transaction))
        guard let result = EtcdJSON.result(of: answer) else { throw unreadable() }
        return result
    }

    func grant(seconds: Int) throws(KeyValueFault) -> (lease: Int64, seconds: Int) {
        let answer = try call("lease/grant", "{\"TTL\":\"\(seconds)\"}")
        guard let lease = EtcdJSON.number(answer["ID"]),
            let granted = EtcdJSON.number(answer["TTL"])
        else { throw unreadable() }
        return (lease, Int(granted))
    }

    func keepAlive(_ lease: Int64) throws(KeyValueFault) -> Int {
        let answer = try call("lease/keepalive", "{\"ID\":\"\(lease)\"}")
        guard let result = answer["result"] else { throw unreadable() }
        // A lease that has ended has no TTL.
        return Int(EtcdJSON.number(result["TTL"]) ?? 0)
    }

    func revoke(_ lease: Int64) throws(KeyValueFault) {
        _ = try call("lease/revoke", "{\"ID\":\"\(lease)\"}")
    }

    /// The present member is something else than etcd; the next call is for the next one.
    private func unreadable() -> KeyValueFault {
        let member = choice.present(of: location.members.count)
        choice.leave(member, of: location.members.count)
        return .unanswered("\(location.members[member]): its answer cannot be read")
    }

    /// Calls one of the members' maintenance functions: for `doctor`.
    func maintenance(_ function: String, _ body: String = "{}") throws(KeyValueFault) -> JSONTree {
        try call("maintenance/\(function)", body)
    }

    /// By how many seconds the clock of the member that answered last is ahead; nil when unknown.
    var clockSkew: Int64? { state.withLock { $0.clockSkew } }

    // MARK: HTTP

    /// Calls the present member, and the next ones while there is no answer.
    private func call(_ path: String, _ body: String) throws(KeyValueFault) -> JSONTree {
        for _ in 1..<tries {
            do throws(KeyValueFault) { return try callMember(path, body) } catch {
                guard case .unanswered = error else { throw error }
            }
        }
        return try callMember(path, body)
    }

    /// Calls the present member. If it has no answer, or refuses, the next call is for the next
    /// one: one whose gateway is off must not stand for all.
    private func callMember(_ path: String, _ body: String) throws(KeyValueFault) -> JSONTree {
        let begin = ContinuousClock.now
        let member = choice.present(of: location.members.count)
        do throws(KeyValueFault) {
            return try callOnce(path, body, member)
        } catch {
            switch error {
            case .unanswered:
                choice.leave(member, of: location.members.count)
                let seconds = (ContinuousClock.now - begin) / .seconds(1)
                if seconds < EtcdGateway.pause { SystemThread.sleep(seconds: EtcdGateway.pause) }
            case .refused(let why) where EtcdJSON.isTokenFault(why) && location.user != nil:
                state.withLock { $0.token = nil }
                return try callOnce(path, body, member)
            case .refused: choice.leave(member, of: location.members.count)
            case .noSpace: break
            }
            throw error
        }
    }

    private func callOnce(
        _ path: String, _ body: String, _ member: Int
    ) throws(KeyValueFault) -> JSONTree {
        var token = state.withLock { $0.token }
        if token == nil, let user = location.user {
            let answer = try send(
                "auth/authenticate", EtcdJSON.credentials(user, password ?? ""), to: member, nil)
            token = answer["token"]?.text
            let fresh = token
            state.withLock { $0.token = fresh }
        }
        return try send(path, body, to: member, token)
    }

    private func send(
        _ path: String, _ body: String, to member: Int, _ token: String?
    ) throws(KeyValueFault) -> JSONTree {
        let base = location.members[member]
        var request = OutgoingRequest("POST", "\(base)/v3/\(path)")
        request.body = Array(body.utf8)
        request.set("Content-Type", "application/json")
        if let token { request.set("Authorization", token) }
        let result = transport.perform(
            request, atMost: EtcdGateway.longest, within: seconds, under: .alone)
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

    static func range(_ range: KeyRange, limit: Int) -> String {
        let limit = limit == .max ? "" : ",\"limit\":\"\(limit)\""
        return "{\(members(of: range))\(limit)}"
    }

    static func transaction(_ transaction: Transaction) -> String {
        let comparisons = transaction.comparisons.map(text).joined(separator: ",")
        let success = transaction.success.map(text).joined(separator: ",")
        let failure = transaction.failure.map(text).joined(separator: ",")
        return "{\"compare\":[\(comparisons)],\"success\":[\(success)],\"failure\":[\(failure)]}"
    }

    static func credentials(_ user: String, _ password: String) -> String {
        let object = JSONMembers(["name": user, "password": password])
        return String(decoding: object.data, as: UTF8.self)
    }

    private static func members(of range: KeyRange) -> String {
        let end = range.end.map { ",\"range_end\":\"\(encode($0.utf8))\"" } ?? ""
        return "\"key\":\"\(encode(range.first.utf8))\"\(end)"
    }

    private static func text(_ comparison: Transaction.Comparison) -> String {
        switch comparison {
        case .createRevision(let key, let revision):
            "{\"key\":\"\(encode(key.utf8))\",\"target\":\"CREATE\",\"result\":\"EQUAL\","
                + "\"create_revision\":\"\(revision)\"}"
        case .modRevision(let key, let revision):
            "{\"key\":\"\(encode(key.utf8))\",\"target\":\"MOD\",\"result\":\"EQUAL\","
                + "\"mod_revision\":\"\(revision)\"}"
        }
    }

    private static func text(_ operation: Transaction.Operation) -> String {
        switch operation {
        case .put(let key, let value, let lease):
            let lease = lease == 0 ? "" : ",\"lease\":\"\(lease)\""
            return "{\"requestPut\":{\"key\":\"\(encode(key.utf8))\","
                + "\"value\":\"\(encode(value))\"\(lease)}}"
        case .get(let range): return "{\"requestRange\":{\(members(of: range))}}"
        case .delete(let range): return "{\"requestDeleteRange\":{\(members(of: range))}}"
        }
    }

    private static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
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
                    createRevision: number(entry["create_revision"]) ?? 0,
                    modRevision: number(entry["mod_revision"]) ?? 0,
                    lease: number(entry["lease"]) ?? 0))
        }
        return entries
    }

    /// Nil for anything but the answer to a transaction.
    static func result(of answer: JSONTree) -> Transaction.Result? {
        guard answer["header"] != nil else { return nil }
        var found: [[KeyValue]] = []
        for response in answer["responses"]?.elements ?? [] {
            guard let range = response["response_range"] else { continue }
            guard let entries = entries(in: range) else { return nil }
            found.append(entries)
        }
        return Transaction.Result(isSuccess: answer["succeeded"] == .flag(true), found: found)
    }

    private static func bytes(_ value: JSONTree?) -> [UInt8]? {
        value?.text.flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }

    // MARK: Errors

    /// The meaning of an answer that is not 200: the codes are those of gRPC. Other answers than
    /// known refusals leave open whether the call took effect.
    static func fault(_ status: Int, _ tree: JSONTree?, from member: String) -> KeyValueFault {
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

    /// Whether a refusal means that a new token may help.
    static func isTokenFault(_ words: String) -> Bool {
        words.contains("invalid auth token") || words.contains("user name is empty")
            || words.contains("revision in auth")
    }
}

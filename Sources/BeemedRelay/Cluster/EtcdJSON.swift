import BeemedDomain
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

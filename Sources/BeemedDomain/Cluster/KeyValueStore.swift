/// A key and its value, as the store has them.
package struct KeyValue: Sendable, Equatable {
    package var key: String
    package var value: [UInt8]
    /// The store's revision in which the key was created; it identifies this life of the key.
    package var createRevision: Int64
    /// The store's revision in which the value was last written.
    package var modRevision: Int64
    /// The lease with which the key ends; 0 for none.
    package var lease: Int64

    /// Creates an entry.
    package init(
        _ key: String, _ value: [UInt8], createRevision: Int64, modRevision: Int64, lease: Int64 = 0
    ) {
        self.key = key
        self.value = value
        self.createRevision = createRevision
        self.modRevision = modRevision
        self.lease = lease
    }
}

/// A single key, or all keys from a first one up to another.
package struct KeyRange: Sendable, Equatable {
    package var first: String
    /// The first key behind the range; nil for a single key.
    package var end: String?

    /// A single key.
    package init(_ key: String) { first = key }

    /// All keys from one up to, and without, another.
    package init(from first: String, to end: String) {
        self.first = first
        self.end = end
    }

    /// All keys that begin with a text, which must end with "/".
    package init(below prefix: String) {
        precondition(prefix.hasSuffix("/"))
        // "0" follows "/" in ASCII.
        self.init(from: prefix, to: "\(prefix.dropLast())0")
    }
}

/// A transaction: if all comparisons hold, the first operations are done, else the others.
package struct Transaction: Sendable, Equatable {
    /// A condition of a transaction.
    package enum Comparison: Sendable, Equatable {
        /// The key was created in this revision; 0 if it must not exist.
        case createRevision(of: String, is: Int64)
        /// The value was written in this revision; 0 if the key must not exist.
        case modRevision(of: String, is: Int64)
    }

    /// An operation of a transaction.
    package enum Operation: Sendable, Equatable {
        case put(String, [UInt8], lease: Int64 = 0)
        case get(KeyRange)
        case delete(KeyRange)
    }

    package var comparisons: [Comparison]
    package var success: [Operation]
    package var failure: [Operation]

    /// Creates a transaction.
    package init(
        if comparisons: [Comparison], then success: [Operation], else failure: [Operation] = []
    ) {
        self.comparisons = comparisons
        self.success = success
        self.failure = failure
    }

    /// The result of a transaction.
    package struct Result: Sendable, Equatable {
        /// Whether all comparisons held.
        package var isSuccess: Bool
        /// The entries that each `get` of the executed operations found.
        package var found: [[KeyValue]]

        /// Creates a result.
        package init(isSuccess: Bool, found: [[KeyValue]]) {
            self.isSuccess = isSuccess
            self.found = found
        }
    }
}

/// Why a call of the store has no result.
package enum KeyValueFault: Error, Equatable, Sendable {
    /// There was no answer, or one that leaves open whether the call took effect, now or later.
    case unanswered(String)
    /// The store's quota is used up. Usually the call had no effect; but etcd looks at its quota
    /// before and after it applies a transaction, so the last one may be kept and refused.
    case noSpace
    /// The store refuses the call, which had no effect: no permission, or a request that is too
    /// large.
    case refused(String)
}

extension KeyValueFault {
    /// The reason, and what to do about it.
    package var words: String {
        switch self {
        case .unanswered(let why): "etcd does not answer: \(why)"
        case .noSpace:
            "the quota of etcd is used up, so no relay can begin to lead: compact and defragment "
                + "etcd, then run 'etcdctl alarm disarm'"
        case .refused(let why): why
        }
    }
}

/// The calls of etcd that the cluster needs (etcd API reference 3.4, "KV" and "Lease"). They block.
///
/// Reads are linearizable. A call without an answer may take effect later.
package protocol KeyValueStore: Sendable {
    /// The entries of a range in the order of their keys.
    ///
    /// - Parameter limit: the maximum number of entries.
    /// - Throws: `KeyValueFault`.
    func get(_ range: KeyRange, limit: Int) throws(KeyValueFault) -> [KeyValue]
    /// Executes a transaction.
    ///
    /// - Throws: `KeyValueFault`.
    func commit(_ transaction: Transaction) throws(KeyValueFault) -> Transaction.Result
    /// Creates a lease.
    ///
    /// - Returns: its id, and the seconds that it lasts: the store may choose more.
    func grant(seconds: Int) throws(KeyValueFault) -> (lease: Int64, seconds: Int)
    /// Extends a lease.
    ///
    /// - Returns: the seconds that the lease lasts from now on; 0 when it has ended.
    func keepAlive(_ lease: Int64) throws(KeyValueFault) -> Int
    /// Ends a lease, and its keys with it.
    func revoke(_ lease: Int64) throws(KeyValueFault)
}

extension KeyValueStore {
    /// The entry of a key; nil when there is none.
    package func get(_ key: String) throws(KeyValueFault) -> KeyValue? {
        try get(KeyRange(key), limit: 1).first
    }

    /// Commits a transaction; returns its result or the fault.
    func result(of transaction: Transaction) -> Result<Transaction.Result, KeyValueFault> {
        Result { () throws(KeyValueFault) in try commit(transaction) }
    }

    /// The values of some keys at one moment; nil without an answer. Works without free space.
    package func get(_ keys: [String]) -> [[KeyValue]]? {
        try? commit(Transaction(if: [], then: keys.map { .get(KeyRange($0)) })).found
    }
}

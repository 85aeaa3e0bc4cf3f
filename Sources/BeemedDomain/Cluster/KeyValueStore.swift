/// A key and its value, as the store has them.
package struct KeyValue: Sendable, Equatable {
    package var key: String
    package var value: [UInt8]
    /// The store's revision in which the value was last written.
    package var revision: Int64
    /// The lease with which the key ends; 0 for none.
    package var lease: Int64

    /// Creates an entry.
    package init(_ key: String, _ value: [UInt8], revision: Int64, lease: Int64 = 0) {
        (self.key, self.value) = (key, value)
        (self.revision, self.lease) = (revision, lease)
    }
}

/// A single key, or all keys from a first one up to another.
package struct KeyRange: Sendable, Equatable {
    package var first: String
    /// The first key behind the range; nil for a single key.
    package var end: String?

    /// A single key; with an end, all keys from it up to, and without, that.
    package init(_ first: String, to end: String? = nil) { (self.first, self.end) = (first, end) }

    /// All keys that begin with a text, which must end with "/".
    package init(below prefix: String) {
        precondition(prefix.hasSuffix("/"))
        // "0" follows "/" in ASCII.
        self.init(prefix, to: "\(prefix.dropLast())0")
    }
}

/// A transaction: if each of some keys was last written in a certain revision, changes are made.
package struct Transaction: Sendable, Equatable {
    /// A change of a transaction.
    package enum Change: Sendable, Equatable {
        case put(String, [UInt8], lease: Int64 = 0)
        case delete(KeyRange)
    }

    /// The result of a transaction.
    package enum Result: Sendable, Equatable {
        /// The changes were made, in this revision.
        case done(Int64)
        /// Nothing was changed. The present entries of the keys that are read then.
        case differs([KeyValue?])
    }

    /// The revision of each key that is compared; 0 for a key that must not exist.
    package var revisions: [String: Int64]
    package var changes: [Change]
    /// The keys that are read if a revision differs.
    package var reads: [String]

    /// Creates a transaction.
    package init(
        if revisions: [String: Int64], then changes: [Change], elseRead reads: [String] = []
    ) {
        (self.revisions, self.changes, self.reads) = (revisions, changes, reads)
    }
}

/// Why a call of the store has no result, or the journal in it cannot be used.
package enum StoreFault: Error, Equatable, Sendable {
    /// There was no answer, or one that leaves open whether the call took effect, now or later.
    case unanswered(String)
    /// The store's quota is used up. Usually the call had no effect; but etcd looks at its quota
    /// before and after it applies a transaction, so the last one may be kept and refused.
    case noSpace
    /// The store refuses the call, which had no effect: no permission, or a request that is too
    /// large.
    case refused(String)
    /// This relay no longer leads.
    case deposed
    /// Another version of the program wrote the journal; this version must not change it.
    case otherVersion
    /// There is no journal.
    case missing
    /// The journal cannot be used, for this reason.
    case unusable(String)

    /// The reason, and what to do about it.
    package var words: String {
        switch self {
        case .unanswered(let why): "etcd does not answer: \(why)"
        case .noSpace:
            "the quota of etcd is used up, so no relay can begin to lead: compact and defragment "
                + "etcd, then run 'etcdctl alarm disarm'"
        case .refused(let why), .unusable(let why): why
        case .deposed: "another relay leads"
        case .otherVersion: "another version of the program wrote the journal"
        case .missing: "there is no journal of that name"
        }
    }
}

/// The calls of etcd that the cluster needs (etcd API reference 3.4, "KV" and "Lease"). They block.
///
/// Reads are linearizable. A call without an answer may take effect later.
package protocol KeyValueStore: Sendable {
    /// The entries of a range in the order of their keys, at most so many.
    func get(_ range: KeyRange, limit: Int) throws(StoreFault) -> [KeyValue]
    /// Executes a transaction.
    func commit(_ transaction: Transaction) throws(StoreFault) -> Transaction.Result
    /// Creates a lease. Returns its id, and the seconds that it lasts: the store may choose more.
    func grant(seconds: Int) throws(StoreFault) -> (lease: Int64, seconds: Int)
    /// Extends a lease. Returns the seconds that it lasts from now on; 0 when it has ended.
    func keepAlive(_ lease: Int64) throws(StoreFault) -> Int
    /// Ends a lease, and its keys with it.
    func revoke(_ lease: Int64) throws(StoreFault)
}

extension KeyValueStore {
    /// The entry of a key; nil when there is none.
    package func get(_ key: String) throws(StoreFault) -> KeyValue? {
        try get(KeyRange(key), limit: 1).first
    }

    /// The present entries of some keys; nil without an answer. Works without free space.
    func entries(_ keys: [String]) -> Transaction.Result? {
        (try? keys.map { try get($0) }).map(Transaction.Result.differs)
    }
}

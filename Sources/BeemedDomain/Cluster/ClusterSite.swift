/// The store of a cluster, for as long as this relay may write it. Every write compares the
/// leader's key.
///
/// A time limit alone would not protect the store: a relay that was frozen believes in its lease.
package struct ClusterSite: Sendable {
    package let store: any KeyValueStore
    package let keys: StoreKeys
    package let term: LeaseTerm

    /// Why a write is not known to be kept.
    package enum WriteFault: Error, Sendable {
        /// Another relay leads, or may.
        case deposed
        /// The key has changed, although this relay leads.
        case conflict
        /// The store refuses the write. A try before that had no answer may still arrive.
        case refused(StoreFault, mayArrive: Bool)
    }

    /// Creates a site.
    package init(_ store: any KeyValueStore, _ keys: StoreKeys, _ term: LeaseTerm) {
        (self.store, self.keys, self.term) = (store, keys, term)
    }

    /// Reads a range, again and again while this relay leads and has no answer.
    package func get(_ range: KeyRange) throws(StoreFault) -> [KeyValue] {
        var cause = StoreFault.unanswered("this relay no longer leads")
        while term.isValid {
            do throws(StoreFault) { return try store.get(range, limit: .max) } catch {
                cause = error
                guard case .unanswered = error else { break }
            }
        }
        throw cause
    }

    /// Changes a key, again and again while this relay leads and has no answer.
    ///
    /// - Parameters:
    ///   - value: the new one; nil if the key is removed.
    ///   - revision: in which the key was last written; 0 if it does not exist.
    /// - Returns: the revision in which the key is written now; 0 if it is removed.
    package func write(
        _ value: [UInt8]?, to key: String, of revision: Int64, _ changes: [Transaction.Change]
    ) throws(WriteFault) -> Int64 {
        let transaction = Transaction(
            if: [keys.leader: term.epoch, key: revision], then: changes,
            elseRead: [key, keys.leader])
        var mayArrive = false
        while term.isValid {
            var refusal: StoreFault?
            let outcome: Transaction.Result?
            do throws(StoreFault) { outcome = try store.commit(transaction) } catch {
                if case .unanswered = error { mayArrive = true } else { refusal = error }
                // A write may be kept although it is refused, see `StoreFault`.
                outcome = refusal.flatMap { _ in store.entries(transaction.reads) }
            }
            switch outcome {
            case nil: continue
            case .done(let revision): return value == nil ? 0 : revision
            case .differs(let found):
                if let kept = try kept(value, of: revision, in: found) { return kept }
                if let refusal { throw .refused(refusal, mayArrive: mayArrive) }
            }
        }
        throw .deposed
    }

    /// Finds out by the entries of the key and of the leader's whether an earlier try has arrived:
    /// the revision in which the value was written; nil if the key is unchanged.
    private func kept(
        _ value: [UInt8]?, of revision: Int64, in found: [KeyValue?]
    ) throws(WriteFault) -> Int64? {
        let (entry, leader) = (found[0], found[1])
        let present = entry?.revision ?? 0
        if present != revision, entry?.value == value { return present }
        guard leader?.revision == term.epoch else { throw .deposed }
        guard present == revision else { throw .conflict }
        return nil
    }
}

extension DiskError {
    /// This relay no longer leads its cluster. Whether the last records are kept is unknown.
    static let deposed = DiskError("cluster.lead", code: DiskError.stale)

    /// Whether this is a deposition and no fault of the disk.
    package var isDeposed: Bool { self == .deposed }
}

/// Where a relay's journal is in a cluster, and for how long this relay may write it.
package struct ClusterSite: Sendable {
    let store: any KeyValueStore
    let keys: StoreKeys
    let term: LeaseTerm
    /// Has the history of settled events, which stays on the leader's machine.
    let local: any Disk

    /// Creates a site.
    package init(
        _ store: any KeyValueStore, _ keys: StoreKeys, _ term: LeaseTerm, local: any Disk
    ) {
        (self.store, self.keys, self.term, self.local) = (store, keys, term, local)
    }

    /// True only while this relay leads.
    var fence: Transaction.Comparison { .createRevision(of: keys.leader, is: term.epoch) }

    /// Another relay leads, or may.
    func depose() -> DiskError {
        term.finish()
        return .deposed
    }
}

extension DiskError {
    /// This relay no longer leads its cluster. Whether the last records are kept is unknown.
    static let deposed = DiskError("cluster.lead", code: DiskError.stale)

    /// Whether it is that and no fault of the disk.
    package var isDeposed: Bool { self == .deposed }
}

/// The journal on a key-value store: each batch is one key, which a transaction creates if this
/// relay still leads.
///
/// A time limit alone would not protect the journal: a relay that was frozen believes in its lease.
/// The comparison of the leader's key does.
struct KeyedLog: Sendable {
    let site: ClusterSite
    let limits: Journal.Limits
    let store: String
    private(set) var next: SequenceNumber
    /// The last known wall clock time, for files of the history.
    var time: UnixTime
    var base: BaseRecord
    /// When `base` was written.
    var revision: Int64
    /// The batches since the snapshot.
    var tail: StoreImage.Tail
    /// The size of the tail at which a compaction is considered.
    var checkFrom: StoreImage.Tail
    var lines: Int
    /// The number of the last snapshot that was begun. A number is used once in a term: a part of
    /// an abandoned snapshot may arrive late, and must not become a part of another one.
    private var lastNumber: Int
    var compaction: KeyedCompaction?

    /// The number of batches after which a compaction is considered: a start reads them all.
    static let mostBatches = 8_192
    /// The largest batch, in bytes. etcd accepts requests of 1.5 MiB, and its gateway carries the
    /// bytes in base64.
    static let batchBytes = 3 << 18

    init(
        _ site: ClusterSite, _ image: StoreImage, _ found: Recovered, time: UnixTime,
        _ limits: Journal.Limits
    ) {
        self.site = site
        self.limits = limits
        self.time = time
        store = found.store ?? image.store ?? ""
        next = found.next
        base = image.base
        lastNumber = max(image.base.number, KeyedLog.lastArchive(on: site.local))
        revision = image.revision
        tail = image.batches
        lines = found.kept.count + found.past.reduce(0) { $0 + $1.count }
        checkFrom = StoreImage.Tail()
        checkFrom = growth
    }

    /// The greatest number of a file of the history here, which no snapshot of this term shares:
    /// its files could not be told from those.
    private static func lastArchive(on local: any Disk) -> Int {
        let names = (try? local.list(.history, "history.list")) ?? []
        return names.compactMap { ArchiveFileName($0)?.segment }.max() ?? 0
    }

    /// What may be added before a compaction is considered.
    var growth: StoreImage.Tail {
        StoreImage.Tail(count: KeyedLog.mostBatches, bytes: limits.segmentBytes)
    }
}

extension KeyedLog: JournalStorage {
    /// What was read from the store is durable there.
    var isConfirmed: Bool { true }

    /// A batch waits for the network.
    var canWriteInPlace: Bool { false }

    /// The store itself says when it is full.
    func checkFreeSpace(for live: LiveSize, isProof: Bool) {}

    /// Creates the key of a batch. Without an answer the same bytes are sent again: if an earlier
    /// try has arrived, the key holds them.
    mutating func append(
        _ lines: borrowing Span<UInt8>, count: Int
    ) throws(CommitFailure) {
        let lines = Array(copying: lines)
        let key = site.keys.batch(next)
        let transaction = Transaction(
            if: [site.fence, .createRevision(of: key, is: 0)], then: [.put(key, lines)],
            else: [.get(KeyRange(site.keys.leader)), .get(KeyRange(key))])
        try commit(transaction, key, lines)
        next = SequenceNumber(next.value + UInt64(count))
        tail.count += 1
        tail.bytes += lines.count
        self.lines += count
    }

    /// Commits the transaction that creates a batch's key, again and again while this relay leads
    /// and has no answer.
    private func commit(
        _ transaction: Transaction, _ key: String, _ lines: [UInt8]
    ) throws(CommitFailure) {
        // A try without an answer may still arrive while this relay leads.
        var isOpen = false
        while site.term.isValid {
            switch site.store.result(of: transaction) {
            case .success(let result):
                if result.isSuccess { return }
                if try isKept(lines, in: result.found) { return }
            case .failure(.unanswered): isOpen = true
            case .failure(let fault):
                guard let found = site.store.look(at: [site.keys.leader, key]) else { continue }
                if try isKept(lines, in: found) { return }
                if isOpen { throw .unknown(site.depose()) }
                let isFull = fault == .noSpace
                throw .full(
                    isFull
                        ? DiskError("commit.put", code: DiskError.noSpace)
                        : DiskError("commit.refused", code: DiskError.notPermitted))
            }
        }
        throw .unknown(site.depose())
    }

    /// Whether a batch is in the store.
    ///
    /// - Parameter found: the leader's key, and the batch's.
    /// - Throws: `CommitFailure` when another relay leads.
    private func isKept(
        _ lines: [UInt8], in found: [[KeyValue]]
    ) throws(CommitFailure) -> Bool {
        let batch = found.last?.first
        if batch?.value == lines { return true }
        guard found.first?.first?.createRevision == site.term.epoch else {
            throw .unknown(site.depose())
        }
        // Two batches of one number while this relay leads: nothing is certain any more.
        guard batch == nil else {
            throw .unknown(DiskError("commit.key", code: DiskError.inputOutput))
        }
        return false
    }

    /// The lease is given back by the election, which other relays wait for.
    mutating func close() { compaction = nil }

    var wantsRotation: Bool {
        compaction == nil
            && (tail.bytes >= checkFrom.bytes || tail.count >= checkFrom.count)
    }

    /// Begins a compaction if most lines are dead, if many forgotten events are still among them,
    /// or if there are very many batches.
    mutating func rotate(live: LiveSize, time: UnixTime) {
        guard wantsRotation else { return }
        self.time = time
        if lines > 4 * live.events || live.hasManyUnarchived || tail.count >= checkFrom.count {
            lastNumber += 1
            compaction = KeyedCompaction(number: lastNumber, next: next)
        } else {
            postponeCompaction()
        }
    }

    /// The next compaction is considered when the tail has grown again.
    mutating func postponeCompaction() {
        compaction?.discard(on: site.local)
        compaction = nil
        checkFrom.bytes = tail.bytes + growth.bytes
        checkFrom.count = tail.count + growth.count
    }

    /// The snapshot counts: batches before it are no longer read.
    mutating func adopt(_ record: BaseRecord, revision: Int64, dropping dropped: StoreImage.Tail) {
        base = record
        self.revision = revision
        tail.count -= dropped.count
        tail.bytes -= dropped.bytes
        checkFrom = growth
    }
}

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

    /// Whether this is a deposition and no fault of the disk.
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
    /// The revision in which the beginning of the journal was written.
    var revision: Int64
    /// The batches before those of `open`, in parts as large as segments.
    var ring = Ring()
    /// The batches that are added to.
    var open: Ring.Part
    /// Whether retiring has failed since the last batch.
    var isPostponed = false

    /// The largest batch, in bytes. etcd accepts requests of 1.5 MiB, and its gateway carries the
    /// bytes in base64.
    static let batchBytes = 3 << 18

    init(
        _ site: ClusterSite, _ contents: StoreContents, _ found: Recovered, _ limits: Journal.Limits
    ) {
        self.site = site
        self.limits = limits
        store = contents.begin.store
        next = found.next
        revision = contents.revision
        ring.parts = contents.parts
        open = ring.parts.popLast() ?? Ring.Part(number: 0, first: found.next, bytes: 0)
    }
}

extension KeyedLog: JournalStorage {
    /// Records that were read from the store are durable there.
    var isConfirmed: Bool { true }

    var remoteLines: RemoteLines? {
        { [site] () throws(DiskError) in
            guard let contents = try? StoreContents.load(site.store, site.keys) else {
                throw DiskError("history.store", code: DiskError.inputOutput)
            }
            return contents.lines
        }
    }

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
        if open.bytes >= limits.segmentBytes {
            ring.parts.append(open)
            open = Ring.Part(number: 0, first: next, bytes: 0)
        }
        next = SequenceNumber(next.value + UInt64(count))
        open.bytes += lines.count
        isPostponed = false
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
                guard let found = site.store.get([site.keys.leader, key]) else { continue }
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
    mutating func close() {}

    mutating func carrying(for live: LiveSize) -> CarryRequest? {
        ring.hear(live)
        return ring.carrying(open, live, limits, isShort: false)
    }

    /// Parts are no files: they begin with a batch, and need no rotation.
    var upkeep: Upkeep? {
        !isPostponed && ring.retirable(before: open.first) > 0 ? .retirement : nil
    }
}

/// Retires the oldest batches: their lines go to the history, which stays on the leader's machine,
/// and one transaction deletes their keys.
extension KeyedLog {
    /// Retires the oldest part. A failure only delays that, unless another relay leads.
    mutating func maintain(live: LiveSize, time: UnixTime) throws(CommitFailure) {
        guard upkeep != nil, let part = ring.parts.first else { return }
        guard site.term.isValid else { throw .unknown(site.depose()) }
        let end = ring.parts.dropFirst().first?.first ?? open.first
        isPostponed = true
        guard keep(part, before: end, at: time) else { return }
        let begin = site.keys.begin
        let value = BeginRecord(store: store, first: end).value
        let look = Transaction.Operation.get(KeyRange(begin))
        // This compares the revision: a late try must not bring back an earlier one.
        let transaction = Transaction(
            if: [site.fence, .modRevision(of: begin, is: revision)],
            then: [
                .put(begin, value), .delete(site.keys.batches(from: SequenceNumber(0), to: end)),
                look,
            ],
            else: [look, .get(KeyRange(site.keys.leader))])
        let entry: KeyValue
        switch site.store.result(of: transaction) {
        case .success(let result): entry = try evaluate(result, value)
        case .failure:
            // The write may be kept although it is refused, see `KeyValueFault`.
            guard let kept = site.store.get([begin])?.first?.first, kept.value == value else {
                return
            }
            entry = kept
        }
        revision = entry.modRevision
        ring.parts.removeFirst()
        isPostponed = false
    }

    /// The entry of `begin`, which must have that value.
    private func evaluate(
        _ result: Transaction.Result, _ value: [UInt8]
    ) throws(CommitFailure) -> KeyValue {
        let impossible = CommitFailure.unknown(
            DiskError("retire.begin", code: DiskError.inputOutput))
        guard let entry = result.found.first?.first else { throw impossible }
        guard result.isSuccess || entry.value == value else {
            let leader = result.found.last?.first?.createRevision
            throw leader == site.term.epoch ? impossible : .unknown(site.depose())
        }
        return entry
    }

    /// Writes the lines of a part to the history, unless an earlier try has.
    ///
    /// - Returns: whether they are there.
    private func keep(_ part: Ring.Part, before end: SequenceNumber, at time: UnixTime) -> Bool {
        let history = History(site.local)
        guard let files = try? history.files() else { return false }
        if let last = files.last, let opening = history.opening(of: last), opening.store == store,
            opening.firstNumber >= part.first
        {
            return true
        }
        var lines: [UInt8] = []
        do throws(KeyValueFault) {
            try site.store.forEachBatch(site.keys.batches(from: part.first, to: end)) {
                lines += $1
            }
        } catch { return false }
        let number = (files.last ?? 0) + 1
        let opening = Opening(
            store: store, segment: number, firstNumber: part.first, oldest: number, at: time)
        let isWritten = site.local.writeHistory(number) { (draft) throws(DiskError) in
            try draft.add { $0.writeOpen(opening) }
            try draft.add { $0.write(raw: lines) }
        }
        guard isWritten else { return false }
        try? history.removeExpired(atMost: 1, after: limits.historySeconds, at: time)
        return true
    }
}

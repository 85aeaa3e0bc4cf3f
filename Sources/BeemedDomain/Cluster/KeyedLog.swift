/// The journal on a key-value store: each batch is one key, which a transaction creates if this
/// relay still leads.
struct KeyedLog: Sendable {
    let site: ClusterSite
    /// Has the history of settled events, which stays on the leader's machine.
    let local: any Disk
    let limits: Journal.Limits
    let store: String
    private(set) var next: SequenceNumber
    /// The revision in which the beginning of the journal was written.
    private var revision: Int64
    /// The batches before those of `open`, in parts as large as segments.
    private var ring = Ring()
    /// The batches that are added to.
    private var open: Ring.Part
    /// Whether retiring has failed since the last batch.
    private var isPostponed = false

    /// The largest batch, in bytes. etcd accepts requests of 1.5 MiB, and its gateway carries the
    /// bytes in base64.
    static let batchBytes = 3 << 18

    init(
        _ site: ClusterSite, _ local: any Disk, _ contents: StoreContents, next: SequenceNumber,
        _ limits: Journal.Limits
    ) {
        (self.site, self.local, self.limits, self.next) = (site, local, limits, next)
        store = contents.begin.store
        revision = contents.revision
        open = Ring.Part(number: 0, first: contents.batches.first?.first ?? next)
        for batch in contents.batches { add(batch.bytes, from: batch.first) }
    }

    /// Counts a batch.
    private mutating func add(_ bytes: Int, from first: SequenceNumber) {
        if open.bytes >= limits.segmentBytes {
            ring.parts.append(open)
            open = Ring.Part(number: 0, first: first)
        }
        open.bytes += bytes
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

    /// Creates the key of a batch.
    mutating func append(
        _ lines: borrowing Span<UInt8>, count: Int
    ) throws(CommitFailure) {
        let lines = Array(copying: lines)
        let key = site.keys.batch(next)
        do throws(ClusterSite.WriteFault) {
            _ = try site.write(lines, to: key, of: 0, [.put(key, lines)])
        } catch { throw failure(of: error) }
        add(lines.count, from: next)
        next = SequenceNumber(next.value + UInt64(count))
        isPostponed = false
    }

    private func failure(of fault: ClusterSite.WriteFault) -> CommitFailure {
        switch fault {
        case .deposed, .refused(_, mayArrive: true):
            site.term.finish()
            return .unknown(.deposed)
        // Two values of one key while this relay leads: nothing is certain any more.
        case .conflict: return .unknown(DiskError("cluster.key", code: DiskError.inputOutput))
        case .refused(.noSpace, _):
            return .full(DiskError("commit.put", code: DiskError.noSpace))
        case .refused: return .full(DiskError("commit.refused", code: DiskError.notPermitted))
        }
    }

    /// The store loses no key of a transaction that it has confirmed.
    func writeMark() {}

    /// The lease is given back by the election, which other relays wait for.
    mutating func close() {}

    mutating func carrying(for live: LiveSize) -> CarryRequest? {
        ring.update(live)
        return ring.carrying(open, live, limits, isShort: false)
    }

    /// Parts are no files: they begin with a batch, and need no rotation.
    var isMaintenanceDue: Bool { !isPostponed && ring.retirable(before: open.first) > 0 }

    /// Retires the oldest part: its lines go to the history, which stays on the leader's machine, and
    /// one transaction deletes their keys. A refusal only delays that. The revision of the beginning
    /// is compared: a late try must not bring back an earlier one.
    mutating func maintain(live: LiveSize, time: UnixTime) throws(CommitFailure) -> Bool {
        guard isMaintenanceDue, let part = ring.parts.first else { return false }
        guard site.term.isValid else { throw failure(of: .deposed) }
        let end = ring.parts.dropFirst().first?.first ?? open.first
        isPostponed = true
        guard keep(part, before: end, at: time) else { return false }
        let begin = site.keys.begin
        let value = StorePosition(store: store, next: end).value
        let old = site.keys.batches(from: SequenceNumber(0), to: end)
        do throws(ClusterSite.WriteFault) {
            revision = try site.write(
                value, to: begin, of: revision, [.put(begin, value), .delete(old)])
        } catch {
            if case .refused = error { return false }
            throw failure(of: error)
        }
        ring.parts.removeFirst()
        isPostponed = false
        return false
    }

    /// Writes the lines of a part to the history, unless an earlier try has; false if that fails.
    private func keep(_ part: Ring.Part, before end: SequenceNumber, at time: UnixTime) -> Bool {
        let history = History(local)
        guard let files = try? history.files() else { return false }
        if let last = files.last, let opening = history.opening(of: last), opening.store == store,
            opening.firstNumber >= part.first
        {
            return true
        }
        var lines: [UInt8] = []
        do throws(StoreFault) {
            try site.store.forEachBatch(site.keys.batches(from: part.first, to: end)) {
                lines += $1
            }
        } catch { return false }
        let number = (files.last ?? 0) + 1
        let opening = Opening(
            store: store, segment: number, firstNumber: part.first, oldest: number, at: time)
        let isWritten = local.writeHistory(number) { (draft) throws(DiskError) in
            try draft.add { $0.writeOpen(opening) }
            try draft.add { $0.write(lines.span) }
        }
        guard isWritten else { return false }
        try? history.removeExpired(atMost: 1, after: limits.historySeconds, at: time)
        return true
    }
}

/// Proof that records are durable. Only `Journal` can create one, so an acceptance cannot be sent
/// before it is true.
package struct Receipt: Sendable {
    /// Every record up to this one is durable. Zero when none is confirmed.
    package let through: SequenceNumber

    fileprivate init(through: SequenceNumber) {
        self.through = through
    }
}

/// Why a journal cannot be opened.
package enum JournalOpenError: Error, Equatable, Sendable {
    /// The disk fails.
    case disk(DiskError)
    /// A symbolic link has the name of a segment. The file that it leads to may be the journal's.
    case link(StoredFile)
    /// Another version of the program wrote the segment; this version must not change it.
    case otherVersion(segment: Int, version: Int)

    /// The error of a segment that cannot be read.
    init(_ error: DiskError, of segment: Int) {
        self = error.isLink ? .link(.segment(segment)) : .disk(error)
    }

    /// The reason, and what to do about it.
    package var words: String {
        switch self {
        case .disk(let error): "it cannot be read: \(error)"
        case .link(let file):
            "\(file) is a symbolic link: put the file itself in its place, or move the link away "
                + "if it is none of the journal's"
        case .otherVersion(let segment, let version):
            "\(SegmentName.live(segment)) has format \(version), which a "
                + (version < Opening.version ? "version before 1.0" : "later version")
                + " of the program wrote"
        }
    }
}

/// Why records are not durable.
package enum CommitFailure: Error, Equatable, Sendable {
    /// Nothing has changed on the disk, mostly because there is no free space.
    case full(DiskError)
    /// The contents of the disk are unknown. No more records are accepted: a failed sync is final,
    /// and only a new process that copies what was written last restores certainty.
    case unknown(DiskError)

    /// The failed system call.
    package var cause: DiskError {
        switch self {
        case .full(let error), .unknown(let error): error
        }
    }

    /// Whether the journal can go on without what could not be written: nothing has changed, and
    /// there is only no free space, or the failed call may succeed a moment later.
    var isHarmless: Bool {
        guard case .full(let error) = self else { return false }
        return error.isFull || error.isReadOnly || error.isPassing
    }
}

/// How much a journal must hold, as counted by the caller.
package struct LiveSize: Sendable, Equatable {
    /// The bytes of the lines of events that are still known; an estimate is enough.
    package var bytes: Int
    /// The bytes of those among them that may not be forgotten, since they wait or are refused.
    package var unsettledBytes = 0
    /// Every known event is stated in this record or in a later one.
    package var stated = SequenceNumber(0)
}

/// Append-only log of records, written in batches with one sync each. Used by one thread at a time.
///
/// Numbers, encodes and confirms; below it a `JournalStorage` makes the lines durable.
package struct Journal: Sendable {
    var storage: any JournalStorage
    /// The error that made the contents unknown. A later successful sync proves nothing, so every
    /// call fails from then on.
    private var failure: DiskError?
    /// The bytes that may be stated again before more is written: however wrong the size is that
    /// the caller tells, a ring is not carried round and round.
    private var carryCredit: Int

    /// Recovers the contents of a folder. The last segment is copied into a new file: bytes that an
    /// earlier process failed to sync may exist in memory only, and a sync would not report it.
    ///
    /// A full or read-only disk does not prevent the start. Then no record is confirmed durable,
    /// the report names the obstacle, and every commit tries again. The report also names the
    /// obstacle when all was written but there is too little free space to accept more.
    ///
    /// - Parameters:
    ///   - store: the name for a new store, if there is none yet.
    ///   - time: the wall clock, for the names of quarantined bytes.
    ///   - isUsed: whether a relay has used this folder, so that a journal must exist.
    ///   - known: the store's name from a source other than the segments, if known: segments with
    ///     another name are set aside.
    package static func open(
        _ disk: any Disk, store: String, time: UnixTime, limits: Limits = Limits(),
        isUsed: Bool = false, known: String? = nil
    ) throws(JournalOpenError) -> (Journal, Recovered, Receipt) {
        let found = try Recovery.replay(
            disk, isUsed: isUsed, store: known)
        let (storage, recovered) = try SegmentLog.open(
            disk, found, store: store, time: time, limits)
        let journal = Journal(storage)
        return (journal, recovered, journal.receipt)
    }

    init(_ storage: any JournalStorage) {
        self.storage = storage
        carryCredit = Journal.maxCredit(storage.limits)
    }

    /// The store's name.
    package var store: String { storage.store }

    /// Makes records durable, which follow the last batch in order and without a gap: as many of the
    /// first ones as fit into one batch, or none. The receipt says how many.
    ///
    /// - Parameter live: what the journal must hold.
    package mutating func commit(
        _ records: ArraySlice<Record>, live: LiveSize
    ) throws(CommitFailure) -> Receipt {
        try guarded { (journal) throws(CommitFailure) in
            var lines = JSONWriter(
                capacity: min(records.count * 320, journal.storage.limits.batchBytes))
            let batch = journal.encode(records, to: &lines)
            let size = lines.count
            if batch.needsSpace {
                try journal.storage.checkFreeSpace(for: live, isProof: batch.isProof)
            }
            try lines.withSpan { (lines) throws(CommitFailure) in
                try journal.storage.append(lines, count: batch.count)
            }
            journal.credit(size, carried: batch.carriedBytes)
            return journal.receipt
        }
    }

    /// Writes a batch in as many steps as needed.
    ///
    /// - Parameter report: called after every step. `rejected` and `failed` are the last.
    mutating func write(_ batch: RecordQueue.Batch, report: (CommitOutcome) -> Void) {
        var rest = batch.records[...]
        while !rest.isEmpty {
            do throws(CommitFailure) {
                let receipt = try commit(rest, live: batch.live)
                rest = rest.drop { $0.number <= receipt.through }
                report(.committed(receipt))
            } catch {
                switch error {
                case .full(let cause): report(.rejected(receipt, cause))
                case .unknown(let cause): report(.failed(cause))
                }
                return
            }
        }
    }

    /// The receipt for all durable records.
    package var receipt: Receipt {
        Receipt(through: SequenceNumber(storage.isConfirmed ? storage.next.value - 1 : 0))
    }

    private mutating func guarded<Value>(
        _ body: (inout Journal) throws(CommitFailure) -> Value
    ) throws(CommitFailure) -> Value {
        if let failure { throw .unknown(failure) }
        do throws(CommitFailure) {
            return try body(&self)
        } catch {
            if case .unknown(let cause) = error { failure = cause }
            throw error
        }
    }

    private func encode(
        _ records: ArraySlice<Record>, to lines: inout JSONWriter
    ) -> (count: Int, needsSpace: Bool, isProof: Bool, carriedBytes: Int) {
        let limit = storage.limits.batchBytes
        let next = storage.next.value
        var (count, carried) = (0, 0)
        var (needsSpace, isProof) = (false, false)
        // A span: to read an element of an array retains and releases its parts.
        let records = records.span
        for index in records.indices {
            precondition(
                records[index].number.value == next + UInt64(count), "a gap in the records")
            let before = lines.count
            lines.write(records[index])
            if count > 0, lines.count > limit {
                lines.cut(to: before)
                break
            }
            count += 1
            switch records[index].fact {
            case .put, .revise: needsSpace = true
            case .mark: (needsSpace, isProof) = (true, true)
            case .carried: carried += lines.count - before
            case .done, .refused, .undo, .undone, .leftOut, .retry, .cleared, .timed, .evaluated,
                .user:
                break
            }
        }
        precondition(count > 0, "nothing to commit")
        return (count, needsSpace, isProof, carried)
    }

    /// Four bytes may be carried for each other one: where half of the ring is dead, one is needed.
    private mutating func credit(_ bytes: Int, carried: Int) {
        let credit = carryCredit + 4 * (bytes - carried) - carried
        carryCredit = min(credit, Journal.maxCredit(storage.limits))
    }

    private static func maxCredit(_ limits: Limits) -> Int {
        limits.ringBytes + 4 * limits.segmentBytes
    }

    /// Records a clean shutdown. The journal must not be used afterwards.
    package mutating func close() throws(CommitFailure) {
        try guarded { (journal) throws(CommitFailure) in try journal.storage.close() }
    }

    // MARK: Between batches

    /// The events that the caller should state again; nil without any.
    mutating func carrying(_ live: LiveSize) -> CarryRequest? {
        let carrying = storage.carrying(for: live)
        return carryCredit > 0 || carrying?.forgetsSettled == true ? carrying : nil
    }

    /// Whether there is work for `maintain`.
    var isMaintenanceDue: Bool { failure == nil && storage.isMaintenanceDue }

    /// Writes how far the lines are durable, for a later start. Nobody waits for that.
    mutating func writeMark() { storage.writeMark() }

    /// Writes the mark, starts a new segment when this one is full, or else retires the oldest lines.
    ///
    /// - Returns: whether to call it again, when what waits is written.
    @discardableResult
    mutating func maintain(live: LiveSize, time: UnixTime) throws(CommitFailure) -> Bool {
        writeMark()
        guard isMaintenanceDue else { return false }
        return try guarded { (journal) throws(CommitFailure) in
            try journal.storage.maintain(live: live, time: time)
        }
    }
}

extension Journal {
    /// Limits of a journal.
    package struct Limits: Sendable {
        /// The size in bytes at which a segment is followed by a new one.
        var segmentBytes = 4 << 20
        /// The oldest segment is retired when the segments hold more than twice what is known, and
        /// this many bytes.
        var ringBytes = 16 << 20
        /// The bytes that stay free for the rest of the system; below that no press is accepted.
        package var freeBytes = 16 << 20
        /// A reserve that is removed when a start has no free space to copy the last segment, in
        /// bytes; 0 for none. A segment may be longer than `segmentBytes` by a batch.
        var reserveBytes = 5 << 20
        /// The maximum number of bytes of lines written at once, except for a longer record. With
        /// the preallocated space not above `Recovery.tornBytes`, which distinguishes a torn tail
        /// from damage.
        var batchBytes = 1 << 20
        /// The space preallocated behind a segment's lines, in bytes; 0 for none. This doubles the
        /// bytes that a busy relay writes. With a quarter of it syncs take a quarter longer on
        /// average, since a sync of new preallocated space takes as long as five others.
        var preallocatedBytes = 1 << 19
        /// The records of a process after which space is preallocated. A relay that has few presses
        /// need not, and its files hold nothing but lines.
        var recordsBeforePreallocation = 2_000
        /// How long the history keeps events, in seconds.
        var historySeconds: Int64 = 400 * 86_400

        /// Creates the default limits.
        package init() {}

        /// The size in bytes at which a segment is followed by a new one where space is short: then
        /// a disk that has room for one segment only has something to retire.
        var shortSegmentBytes: Int { segmentBytes / 16 }

        /// Below this free space, in bytes, the oldest of what is past makes room.
        var scarceBytes: Int { freeBytes + 2 * segmentBytes }
    }
}

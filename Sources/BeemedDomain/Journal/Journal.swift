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
    /// A later version of the program wrote it; this version must not change it.
    case laterVersion(segment: Int, version: Int)
}

/// Why records are not durable.
package enum CommitFailure: Error, Equatable, Sendable {
    /// There is no room. Nothing of the batch is on the disk.
    case full(DiskError)
    /// The contents of the disk are unknown. No more records are accepted: a failed sync is final,
    /// and only a new process that rewrites everything restores certainty.
    case unknown(DiskError)
}

/// How much a journal must hold, as counted by the caller.
package struct LiveSize: Sendable, Equatable {
    /// Events that are still known.
    package var events: Int
    /// The bytes of their lines; an estimate is enough.
    package var bytes: Int

    /// Creates a size.
    package init(events: Int, bytes: Int) {
        self.events = events
        self.bytes = bytes
    }
}

/// Append-only log of records, written in batches with one sync each. Used by one thread at a time.
package struct Journal: Sendable {
    /// The file that is appended to.
    struct Segment: Sendable {
        let number: Int
        let name: StoredFile
        let file: FileNumber
        /// Bytes after the last successful batch.
        var size: Int
        /// The size from which growth is counted.
        var baseSize: Int
        var records = 0
    }

    /// The files beside the open one.
    struct EarlierSegments: Sendable {
        /// The segments from the last snapshot on, in order.
        var sealed: [Int] = []
        /// Their size in bytes.
        var bytes = 0
        /// Segments superseded by the last rewrite. They stay until the next one: a copy of the
        /// folder made meanwhile contains the old segments or the new one.
        var superseded: [Int] = []
        /// The number of lines from which a compaction is tried again after one has failed.
        var compactFrom = 0
    }

    let disk: any Disk
    let limits: Limits
    /// The store's name, written in every segment.
    package let store: String
    /// The last known wall clock time, for the names of quarantined bytes.
    var time: UnixTime
    /// Nil while nothing can be written: the disk was full or read-only at the last attempt.
    var segment: Segment?
    var next: SequenceNumber
    var linesOnDisk = 0
    private var lines = LineWriter()
    /// The number of batches that may come before free space is checked again.
    var roomyBatches = 0
    var earlier = EarlierSegments()
    /// The compaction that is under way, or waits to hear which events are known.
    var compaction: Compaction?
    /// Whether delivered events were dropped to gain room.
    var isShortened = false
    var vain: VainSearch?
    var marks: MarkWriter
    /// The error that made the contents unknown. A later successful sync proves nothing, so every
    /// call fails from then on.
    private var failure: DiskError?

    /// Recovers the contents and rewrites them into a new file at every start: bytes that an
    /// earlier process failed to sync may exist in memory only, and a sync would not report it.
    ///
    /// A full or read-only disk does not prevent the start. Then no record is confirmed durable,
    /// the report names the obstacle, and every commit tries again. It also names the obstacle when
    /// all was written but there is too little room to accept more.
    ///
    /// - Parameters:
    ///   - store: the name of the store if there is none yet.
    ///   - time: the wall clock, for the names of quarantined bytes.
    ///   - isUsed: whether a relay has used this folder, so that a journal must exist.
    ///   - known: the store's name from a source other than the segments, if known: segments with
    ///     another name are set aside.
    /// - Returns: the journal, its contents, and the receipt for them.
    package static func open(
        _ disk: any Disk, store: String, time: UnixTime, limits: Limits = Limits(),
        isUsed: Bool = false, known: String? = nil
    ) throws(JournalOpenError) -> (Journal, Recovered, Receipt) {
        var found = try Recovery.read(
            disk, window: limits.windowBytes, remembered: limits.remembered,
            isUsed: isUsed, store: known)
        var journal = Journal(disk, found, store: store, time, limits)
        do throws(RewriteFailure) {
            try journal.begin(found)
        } catch {
            guard error.isHarmless else { throw .disk(error.cause) }
            found.recoveryReport.obstacle = error.cause
            found.recoveryReport.quarantinedBytes = disk.quarantinedBytes
            try makeDurable(found.segments, on: disk)
            return (journal, found, Receipt(through: SequenceNumber(0)))
        }
        found.recoveryReport.quarantinedBytes = disk.quarantinedBytes
        do throws(CommitFailure) {
            let live = LiveSize(events: found.entries.count, bytes: found.kept.bytes)
            try journal.checkRoom(for: live)
        } catch { found.recoveryReport.obstacle = error.cause }
        journal.roomyBatches = 0
        return (journal, found, Receipt(through: SequenceNumber(found.next.value - 1)))
    }

    /// Syncs contents that cannot be rewritten, because they are delivered all the same: a killed
    /// process may have left them in memory only. If lost in a power cut, another event would get
    /// the number, and the datapoint would belong to no event.
    private static func makeDurable(
        _ segments: [Int], on disk: any Disk
    ) throws(JournalOpenError) {
        do throws(DiskError) {
            for segment in segments {
                try disk.sync(StoredFile(.journal, SegmentName.live(segment)), "obstacle.sync")
            }
            try disk.syncFolder(.journal, "obstacle.folder")
        } catch {
            // If no sync is possible at all, starting is still better than not starting.
            if !error.isFull, !error.isReadOnly { throw .disk(error) }
        }
    }

    private init(
        _ disk: any Disk, _ found: Recovered, store: String, _ time: UnixTime, _ limits: Limits
    ) {
        precondition(limits.batchBytes <= Recovery.batchBytes)
        self.disk = disk
        self.limits = limits
        self.store = found.store ?? store
        self.time = time
        next = found.next
        marks = MarkWriter(disk)
    }

    /// Makes records durable: as many of the first ones as fit into one batch, or none.
    ///
    /// - Parameters:
    ///   - records: in order, without a gap after the last batch.
    ///   - live: what the journal must hold, for the room needed to rewrite it.
    /// - Returns: the receipt, which says how many.
    /// - Throws: `CommitFailure`.
    package mutating func commit(
        _ records: some Collection<Record>, live: LiveSize
    ) throws(CommitFailure) -> Receipt {
        try guarded { (journal) throws(CommitFailure) in
            try journal.commitNext(records, live)
        }
    }

    /// The receipt for all durable records.
    package var receipt: Receipt {
        Receipt(through: SequenceNumber(segment == nil ? 0 : next.value - 1))
    }

    mutating func guarded<Value>(
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

    private mutating func commitNext(
        _ records: some Collection<Record>, _ live: LiveSize
    ) throws(CommitFailure) -> Receipt {
        lines.removeAll()
        let batch = encode(records)
        if batch.needsRoom { try checkRoom(for: live) }
        if segment == nil { try resume() }
        try append()
        let count = batch.count
        next = SequenceNumber(next.value + UInt64(count))
        segment?.records += count
        linesOnDisk += count
        marks.write(Mark(store: store, next: next))
        return receipt
    }

    private mutating func encode(
        _ records: some Collection<Record>
    ) -> (count: Int, needsRoom: Bool) {
        var count = 0
        var needsRoom = false
        for record in records {
            precondition(record.number.value == next.value + UInt64(count), "a gap in the records")
            let before = lines.bytes.count
            lines.write(record)
            if count > 0, lines.bytes.count > limits.batchBytes {
                lines.cut(to: before)
                break
            }
            count += 1
            switch record.fact {
            case .put, .revise: needsRoom = true
            case .mark: (needsRoom, roomyBatches) = (true, 0)
            case .done, .refused, .undo, .undone, .leftOut, .retry, .cleared, .timed, .judged,
                .user, .tried, .reminded:
                break
            }
        }
        precondition(count > 0, "nothing to commit")
        return (count, needsRoom)
    }

    /// Records a clean shutdown. The journal must not be used afterwards.
    package mutating func close() throws(CommitFailure) {
        guard let segment else { return }
        abandonCompaction()
        defer {
            disk.close(segment.file)
            marks.close()
        }
        try guarded { (journal) throws(CommitFailure) in
            journal.lines.removeAll()
            journal.lines.writeEnd("close", next: journal.next, count: segment.records)
            try journal.append()
        }
    }

    // MARK: Writing

    private mutating func append() throws(CommitFailure) {
        guard let segment else { preconditionFailure("there is no file to append to") }
        var written = 0
        while written < lines.bytes.count { written = try appendSome(from: written, to: segment) }
        do throws(DiskError) {
            try disk.sync(segment.file, "commit.sync")
        } catch { throw .unknown(error) }
        self.segment?.size += written
    }

    /// Appends as much as the disk accepts at once.
    ///
    /// - Returns: how many bytes of the lines are written now.
    private mutating func appendSome(
        from start: Int, to segment: Segment
    ) throws(CommitFailure) -> Int {
        let count: Int
        do throws(DiskError) {
            count = try disk.writeSome(
                lines.bytes, from: start, to: segment.file, "commit.append")
        } catch {
            try takeBack(segment, error)
            throw .full(error)
        }
        let end = start + count
        do throws(DiskError) {
            // Compares the file size before the receipt, and before bytes are written behind a gap,
            // which a start would treat as damage. This detects a kernel that reports more than it
            // wrote, and a journal file that was replaced by another one.
            let size = try disk.size(of: segment.file, named: segment.name, "commit.size")
            guard size == segment.size + end else {
                throw DiskError("commit.size", code: DiskError.inputOutput)
            }
        } catch { throw .unknown(error) }
        return end
    }

    /// After a failed write, truncates the file to its former size. Synced, because a press that
    /// was reported as not accepted must not reappear after a power cut.
    private mutating func takeBack(_ segment: Segment, _ error: DiskError) throws(CommitFailure) {
        guard error.isFull else { throw .unknown(error) }
        roomyBatches = 0
        do throws(DiskError) {
            try disk.truncate(segment.file, to: segment.size, "commit.truncate")
            try disk.sync(segment.file, "commit.truncate.sync")
        } catch { throw .unknown(error) }
    }
}

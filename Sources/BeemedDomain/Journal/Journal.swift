/// Proof that records are on the disk. Only `Journal` can make one, so a 200 that says "kept"
/// cannot be written before it is true.
package struct Receipt: Sendable {
    /// Every record up to this one is durable. Zero when nothing is vouched for.
    package let through: SequenceNumber

    fileprivate init(through: SequenceNumber) {
        self.through = through
    }
}

/// Why a journal cannot be opened.
package enum JournalOpenError: Error, Equatable, Sendable {
    /// The disk fails.
    case disk(DiskError)
    /// A later version of the program wrote it; this one must not touch it.
    case laterVersion(segment: Int, version: Int)
}

/// Why records were not kept.
package enum CommitFailure: Error, Equatable, Sendable {
    /// There is no room. Nothing of the batch is on the disk.
    case full(DiskError)
    /// What is on the disk is unknown. Nothing may be accepted any more: a failed sync is final,
    /// and only a new process that rewrites everything can be sure again.
    case unknown(DiskError)
}

/// How much a journal must hold, as its user knows it.
package struct LiveSize: Sendable, Equatable {
    /// Events that are still known.
    package var events: Int
    /// What their lines take, in bytes; a good guess is enough.
    package var bytes: Int

    /// So many events in so many bytes.
    package init(events: Int, bytes: Int) {
        self.events = events
        self.bytes = bytes
    }
}

/// The file that remembers, as `CUSTODY` has it: appended to in batches, each made durable by one
/// sync. It belongs to one thread.
package struct Journal: Sendable {
    /// The file that is appended to.
    struct Segment: Sendable {
        let number: Int
        let name: StoredFile
        let file: FileNumber
        /// After the last successful batch, in bytes.
        var size: Int
        /// The size from which on growth is counted.
        var baseSize: Int
        var records = 0
    }

    let disk: any Disk
    let limits: Limits
    /// The store's name, as it stands in every segment.
    package let store: String
    /// The wall clock when it was last said, for the names of quarantined bytes.
    var time: UnixTime
    /// Nil while nothing can be written: the disk was full or read-only when that was last tried.
    var segment: Segment?
    var next: SequenceNumber
    var linesOnDisk = 0
    private var lines = LineWriter()
    /// So many batches may come before the room on the disk is looked at again.
    var roomyBatches = 0
    /// What the segments before the open one take, in bytes, from the last snapshot on.
    var olderBytes = 0
    /// Segments that the last rewrite has superseded. They stay until the next one: a copy of the
    /// folder that is being made meanwhile finds the old ones or the new one, and never neither.
    var leftover: [Int] = []
    /// Whether delivered events were dropped here for want of room.
    var isShortened = false
    var vain: VainSearch?
    var marks: MarkWriter
    /// What has made the contents unknown. A later sync that succeeds proves nothing, so from then
    /// on everything fails.
    private var failure: DiskError?

    /// Recovers what is there and rewrites it into a fresh file, every time: what an earlier
    /// process could not sync may be in memory only, and no sync of ours would tell.
    ///
    /// A disk that is full or read-only is no reason not to start. Then nothing is vouched for, the
    /// findings name the obstacle, and every commit tries again. They also do when all was written
    /// and there is too little room to accept more.
    ///
    /// - Parameters:
    ///   - store: the name of the store if there is none yet.
    ///   - time: the wall clock, for the names of quarantined bytes.
    ///   - isUsed: whether a relay has been at work here, so that there must be something.
    ///   - known: the store's name as it is known without the segments, if it is: segments that
    ///     bear another one are set aside.
    /// - Returns: the journal, what it holds, and the receipt for that.
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

    /// What cannot be rewritten is delivered all the same, so it is made as durable as it can be: a
    /// killed process may have left it in memory only, and after a power cut it would be gone, its
    /// number given to another event, and the datapoint at Beeminder of no event at all.
    private static func makeDurable(
        _ segments: [Int], on disk: any Disk
    ) throws(JournalOpenError) {
        do throws(DiskError) {
            for segment in segments {
                try disk.sync(StoredFile(.journal, SegmentName.live(segment)), "obstacle.sync")
            }
            try disk.syncFolder(.journal, "obstacle.folder")
        } catch {
            // Where nothing can be made durable at all, to start is still better than not to.
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

    /// Makes records durable: as many of the first ones as one batch takes, or none.
    ///
    /// - Parameters:
    ///   - records: in order, without a gap after the last batch.
    ///   - live: what the journal must hold, for the room that is needed to rewrite it.
    /// - Returns: the receipt, which says how far it went.
    /// - Throws: `CommitFailure`.
    package mutating func commit(
        _ records: some Collection<Record>, live: LiveSize
    ) throws(CommitFailure) -> Receipt {
        try guarded { (journal) throws(CommitFailure) in
            try journal.commitNext(records, live)
        }
    }

    /// What is durable now.
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
            case .put: needsRoom = true
            case .mark: (needsRoom, roomyBatches) = (true, 0)
            case .done, .refused, .undo, .undone, .leftOut, .retry, .cleared, .timed, .judged,
                .user, .tried:
                break
            }
        }
        precondition(count > 0, "nothing to commit")
        return (count, needsRoom)
    }

    /// Says that the shutdown was clean. The journal is not to be used afterwards.
    package mutating func close() throws(CommitFailure) {
        guard let segment else { return }
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

    /// Appends as much as the disk takes at once.
    ///
    /// - Returns: how much of the lines is written now.
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
            // A kernel that says "written" and wrote less is caught here: before the promise, and
            // before anything is written behind the gap, which a start would take for damage. So
            // is a person who has put another file in the place of this one.
            let size = try disk.size(of: segment.file, named: segment.name, "commit.size")
            guard size == segment.size + end else {
                throw DiskError("commit.size", code: DiskError.inputOutput)
            }
        } catch { throw .unknown(error) }
        return end
    }

    /// After a write that failed, cuts the file back to what it was. Synced, because whoever is
    /// told that nothing was taken must not see it come back with the next power cut.
    private mutating func takeBack(_ segment: Segment, _ error: DiskError) throws(CommitFailure) {
        guard error.isFull else { throw .unknown(error) }
        roomyBatches = 0
        do throws(DiskError) {
            try disk.truncate(segment.file, to: segment.size, "commit.truncate")
            try disk.sync(segment.file, "commit.truncate.sync")
        } catch { throw .unknown(error) }
    }
}

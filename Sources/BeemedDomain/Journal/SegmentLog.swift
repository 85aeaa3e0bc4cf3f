/// The journal in a folder: lines are appended to the newest of some files, the segments, which a
/// compaction and every start rewrite.
struct SegmentLog: Sendable {
    /// The files beside the open one.
    struct EarlierSegments: Sendable {
        /// The segments from the last snapshot on, in order.
        var sealed: [Int] = []
        /// Their size in bytes.
        var bytes = 0
        /// Segments superseded by the last rewrite. They stay until the next one: a copy of the
        /// folder made meanwhile contains the old segments or the new one.
        var superseded: [Int] = []
        /// The first record behind the last compaction that has ended.
        var compactedBefore = SequenceNumber(0)
        /// The number of lines from which a compaction is tried again after one has failed.
        var compactFrom = 0
    }

    let disk: any Disk
    let limits: Journal.Limits
    /// The store's name, written in every segment.
    let store: String
    /// The last known wall clock time, for the names of quarantined bytes.
    var time: UnixTime
    /// Nil while nothing can be written: the disk was full or read-only at the last attempt.
    var segment: Segment?
    /// The number after the last durable record.
    private(set) var next: SequenceNumber
    var linesOnDisk = 0
    /// The records that this process has written.
    private(set) var recordsWritten = 0
    /// How many of them must be written before there may be preallocated space.
    var preallocatesFrom: Int
    /// The number of batches that may come before free space is checked again.
    var uncheckedBatches = 0
    var earlier = EarlierSegments()
    /// What is still to be done after the last rotation, without keeping presses from the disk.
    var upkeep: Upkeep?
    /// Whether delivered events were dropped to gain free space.
    var isShortened = false
    var failedSearch: FailedSearch?
    var marks: HighWaterMarkWriter

    /// Rewrites what was found into a new segment.
    ///
    /// - Returns: the log, and what was found with the obstacle if there is one.
    static func open(
        _ disk: any Disk, _ recovered: Recovered, store: String, time: UnixTime,
        _ limits: Journal.Limits
    ) throws(JournalOpenError) -> (SegmentLog, Recovered) {
        var found = recovered
        var log = SegmentLog(disk, found, store: store, time, limits)
        do throws(RewriteFailure) {
            try log.begin(found)
        } catch {
            guard error.isHarmless else { throw .disk(error.cause) }
            found.recoveryReport.obstacle = error.cause
            found.recoveryReport.quarantinedBytes = disk.quarantinedBytes
            try makeDurable(found.segments, on: disk)
            return (log, found)
        }
        found.forgotten = []  // The history has them.
        found.recoveryReport.quarantinedBytes = disk.quarantinedBytes
        do throws(CommitFailure) {
            let live = LiveSize(events: found.entries.count, bytes: found.kept.bytes)
            try log.checkFreeSpace(for: live)
        } catch { found.recoveryReport.obstacle = error.cause }
        log.uncheckedBatches = 0
        return (log, found)
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
        _ disk: any Disk, _ found: Recovered, store: String, _ time: UnixTime,
        _ limits: Journal.Limits
    ) {
        precondition(limits.batchBytes + limits.preallocatedBytes <= Recovery.tornBytes)
        self.disk = disk
        self.limits = limits
        preallocatesFrom = limits.recordsBeforePreallocation
        self.store = found.store ?? store
        self.time = time
        next = found.next
        marks = HighWaterMarkWriter(disk)
    }
}

extension SegmentLog: JournalStorage {
    /// Without a segment what is known may not be on the disk.
    var isConfirmed: Bool { segment != nil }

    var canWriteInPlace: Bool { true }

    var hasPreallocation: Bool { segment.map { $0.length > $0.size } ?? false }

    mutating func checkFreeSpace(for live: LiveSize, isProof: Bool) throws(CommitFailure) {
        if isProof { uncheckedBatches = 0 }
        try checkFreeSpace(for: live)
    }

    mutating func append(_ lines: borrowing Span<UInt8>, count: Int) throws(CommitFailure) {
        if segment == nil { try resume() }
        try append(lines)
        next = SequenceNumber(next.value + UInt64(count))
        segment?.records += count
        recordsWritten += count
        linesOnDisk += count
    }

    mutating func writeHighWaterMark() {
        marks.write(HighWaterMark(store: store, next: next))
    }

    /// Writes the line of a clean shutdown.
    mutating func close() throws(CommitFailure) {
        guard let segment else { return }
        defer {
            disk.close(segment)
            marks.close(at: HighWaterMark(store: store, next: next))
        }
        do throws(RewriteFailure) { try endUpkeep() } catch { throw .unknown(error.cause) }
        var end = LineWriter()
        end.writeEnd("close", next: next, count: segment.records)
        try end.withSpan { (lines) throws(CommitFailure) in try append(lines, isLast: true) }
    }
}

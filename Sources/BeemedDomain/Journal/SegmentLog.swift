/// The journal in a folder: lines are appended to the newest of some files, the segments. They form
/// a ring: what is still known of the oldest one is stated again in the newest, and then the oldest
/// leaves for the history, as it is.
struct SegmentLog: Sendable {
    let disk: any Disk
    let limits: Journal.Limits
    /// The store's name, written in every segment.
    let store: String
    /// The last known wall clock time.
    var time: UnixTime
    /// Nil while nothing can be written: the disk was full or read-only at the last attempt.
    var segment: Segment?
    /// The number after the last durable record.
    private(set) var next: SequenceNumber
    /// The records that this process has written.
    private(set) var recordsWritten = 0
    /// How many of them must be written before there may be preallocated space.
    var preallocatesFrom: Int
    /// The number of batches that may come before free space is checked again.
    var uncheckedBatches = 0
    /// The segments before the open one that a start reads.
    var ring = Ring()
    /// Segments that no start needs. They stay until the next retirement: a copy of the folder made
    /// meanwhile has them here or in the history.
    var retired: [Int] = []
    /// How many of them, the last ones, have just left the ring and have no name in the history yet.
    var unnamed = 0
    /// Whether retired segments must make room, so that settled events are forgotten for it.
    var isShort = false
    var marks: HighWaterMark

    /// Goes on behind what was found, which is returned with the obstacle if there is one.
    static func open(
        _ disk: any Disk, _ recovered: Recovered, store: String, time: UnixTime,
        _ limits: Journal.Limits
    ) throws(JournalOpenError) -> (SegmentLog, Recovered) {
        precondition(limits.batchBytes + limits.preallocatedBytes <= Recovery.tornBytes)
        var found = recovered.restated
        var log = SegmentLog(
            disk: disk, limits: limits, store: found.store ?? store, time: time, next: found.next,
            preallocatesFrom: limits.recordsBeforePreallocation, marks: HighWaterMark(disk))
        do throws(CommitFailure) {
            try log.begin(found)
            try log.checkFreeSpace(for: LiveSize(bytes: found.bytes), isProof: true)
        } catch {
            guard log.segment != nil || error.isHarmless else { throw .disk(error.cause) }
            found.recoveryReport.obstacle = error.cause
        }
        log.uncheckedBatches = 0
        if log.segment == nil { try makeDurable(recovered.segments, on: disk) }
        found.recoveryReport.quarantinedBytes = disk.bytes(in: .quarantine, "quarantine.count")
        return (log, found)
    }

    /// Syncs contents that cannot be copied, because they are delivered all the same: a killed
    /// process may have left them in memory only. If lost in a power cut, another event would get
    /// the number, and the datapoint would belong to no event.
    private static func makeDurable(
        _ segments: [Ring.Part], on disk: any Disk
    ) throws(JournalOpenError) {
        do throws(DiskError) {
            for segment in segments { try disk.sync(.segment(segment.number), "obstacle.sync") }
            try disk.syncFolder(.journal, "obstacle.folder")
        } catch {
            // If no sync is possible at all, starting is still better than not starting.
            if !error.isFull, !error.isReadOnly { throw .disk(error) }
        }
    }
}

extension SegmentLog: JournalStorage {
    /// Without a segment what is known may not be on the disk.
    var isConfirmed: Bool { segment != nil }

    var remoteLines: RemoteLines? { nil }

    var canWriteInPlace: Bool { true }

    mutating func append(_ lines: borrowing Span<UInt8>, count: Int) throws(CommitFailure) {
        if segment == nil { try resume() }
        try append(lines)
        next = SequenceNumber(next.value + UInt64(count))
        recordsWritten += count
    }

    mutating func writeMark() { marks.write(StorePosition(store: store, next: next)) }

    /// Writes the line of a clean shutdown.
    mutating func close() throws(CommitFailure) {
        guard let segment else { return }
        defer {
            disk.close(segment.file)
            marks.close(at: StorePosition(store: store, next: next))
        }
        var end = JSONWriter()
        end.writeClose(next: next)
        try end.withSpan { (lines) throws(CommitFailure) in try append(lines, isLast: true) }
    }
}

/// The parts of a journal that a start reads, the oldest first. When nothing known is stated in the
/// oldest part any more, it can be retired.
struct Ring: Sendable {
    /// A part behind which another one was begun.
    struct Part: Sendable, Equatable {
        let number: Int
        /// The number of its first record.
        var first: SequenceNumber
        var bytes = 0
    }

    /// The parts before the open one.
    var parts: [Part] = []
    /// Every event that the caller knows is stated in this record or in a later one.
    private(set) var stated = SequenceNumber(0)

    /// The caller has told what the journal must hold.
    mutating func update(_ live: LiveSize) { stated = max(stated, live.stated) }

    /// The number of parts in which nothing known is stated.
    ///
    /// - Parameter first: the number of the open part's first record.
    func retirable(before first: SequenceNumber) -> Int {
        if first <= stated { return parts.count }
        return max(0, parts.partitioningIndex { $0.first > stated } - 1)
    }

    /// The events to be stated again, so that the oldest part can be retired: all its known events,
    /// when the parts hold more than twice what is known and some megabytes, or space is short.
    ///
    /// - Parameter open: the part that is appended to.
    func carrying(
        _ open: Part, _ live: LiveSize, _ limits: Journal.Limits, isShort: Bool
    ) -> CarryRequest? {
        let needed = parts[retirable(before: open.first)...]
        guard !needed.isEmpty else { return nil }
        let held = needed.reduce(open.bytes) { $0 + $1.bytes }
        guard isShort || held > 2 * live.bytes + limits.ringBytes else { return nil }
        let end = needed.dropFirst().first?.first ?? open.first
        return CarryRequest(before: end, forgetsSettled: isShort)
    }
}

/// Proof that records are on the disk. Only `Journal` can make one, so a 200 that says "kept"
/// cannot be written before it is true.
package struct Receipt: Sendable {
    /// Every record up to this one is durable.
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

/// The file that remembers, as `CUSTODY` has it: appended to in batches, each made durable by one
/// sync. It belongs to one thread.
package struct Journal: Sendable {
    /// Bounds of a journal.
    package struct Limits: Sendable {
        /// A segment that has grown by so many bytes since its snapshot is followed by a new one.
        package var segmentBytes = 4 << 20
        /// So many bytes stay free for the rest of the system; below that nothing is accepted.
        package var freeBytes = 16 << 20

        /// The defaults.
        package init() {}
    }

    private let disk: any Disk
    private let limits: Limits
    private let store: String
    private var segment: Int
    private var file: FileNumber
    /// The file's size after the last successful batch.
    private var size: Int
    private var baseSize: Int
    private var next: SequenceNumber
    private var linesOnDisk: Int
    private var recordsInSegment = 0
    private var lines = LineWriter()

    /// Recovers what is there and rewrites it into a fresh file, every time: what an earlier
    /// process could not sync may be in memory only, and no sync of ours would tell.
    ///
    /// - Parameters:
    ///   - store: the name of the store if there is none yet.
    ///   - time: the wall clock, for the names of quarantined bytes.
    /// - Returns: the journal, what it holds, and the receipt for that.
    package static func open(
        _ disk: any Disk, store: String, time: UnixTime, limits: Limits = Limits()
    ) throws(JournalOpenError) -> (Journal, Recovered, Receipt) {
        do throws(DiskError) {
            try removeTemporaries(disk)
        } catch { throw .disk(error) }
        let found = try Recovery.read(disk)
        do throws(DiskError) {
            try quarantine(found, disk, time)
            let journal = try Journal(disk, rewriting: found, store: store, limits)
            return (journal, found, Receipt(through: SequenceNumber(found.next.value - 1)))
        } catch { throw .disk(error) }
    }

    /// Makes records durable, all or none of them.
    ///
    /// - Parameter records: in order, without a gap after the last batch.
    /// - Throws: `CommitFailure`.
    package mutating func commit(_ records: [Record]) throws(CommitFailure) -> Receipt {
        precondition(!records.isEmpty && records[0].number == next, "a gap in the records")
        lines.removeAll()
        for record in records { lines.write(record) }
        try append("commit")
        next = SequenceNumber(next.value + UInt64(records.count))
        recordsInSegment += records.count
        linesOnDisk += records.count
        return Receipt(through: records[records.count - 1].number)
    }

    /// Starts a new segment when this one is full; compacts instead when most of it is dead.
    ///
    /// - Parameter liveEvents: how many events are still known.
    package mutating func rotateIfNeeded(
        liveEvents: Int, time: UnixTime
    ) throws(CommitFailure) {
        guard size - baseSize >= limits.segmentBytes else { return }
        do throws(JournalOpenError) {
            // An event has two lines at most: one that says it came, one that says it went.
            if linesOnDisk > 4 * liveEvents {
                let old = file
                self = try Journal.open(disk, store: store, time: time, limits: limits).0
                disk.close(old)
            } else {
                try rotate()
            }
        } catch {
            guard case .disk(let cause) = error else {
                preconditionFailure("this process wrote the journal")
            }
            // A full disk keeps the old segment going: it may grow as long as there is room.
            guard cause.isFull else { throw .unknown(cause) }
        }
    }

    /// Says that the shutdown was clean. The journal is not to be used afterwards.
    package mutating func close() throws(CommitFailure) {
        lines.removeAll()
        lines.writeEnd("close", next: next, count: recordsInSegment)
        defer { disk.close(file) }
        try append("close")
    }

    // MARK: Writing

    private mutating func append(_ name: StaticString) throws(CommitFailure) {
        do throws(DiskError) {
            let free = try disk.freeBytes("commit.free")
            guard free >= limits.freeBytes else {
                throw DiskError("commit.free", code: Journal.noSpace)
            }
        } catch { throw error.isFull ? .full(error) : .unknown(error) }
        do throws(DiskError) {
            try Journal.write(lines.bytes, to: file, disk, "commit.append")
        } catch {
            try takeBack(error)
            throw .full(error)
        }
        do throws(DiskError) {
            // A kernel that says "written" and wrote less is caught here, before the promise.
            guard try disk.size(of: file, "commit.size") == size + lines.bytes.count else {
                throw DiskError("commit.size", code: Journal.inputOutput)
            }
            try disk.sync(file, "commit.sync")
        } catch { throw .unknown(error) }
        size += lines.bytes.count
    }

    /// After a write that failed, cuts the file back to what it was.
    private func takeBack(_ error: DiskError) throws(CommitFailure) {
        guard error.isFull else { throw .unknown(error) }
        do throws(DiskError) {
            try disk.truncate(file, to: size, "commit.truncate")
        } catch { throw .unknown(error) }
    }

    private static func write(
        _ bytes: [UInt8], to file: FileNumber, _ disk: any Disk, _ operation: StaticString
    ) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            let count = try disk.append(bytes, from: written, to: file, operation)
            // Zero is no error to write(2), but for ever after it would be one to us.
            guard count > 0 else { throw DiskError(operation, code: noSpace) }
            written += count
        }
    }

    // MARK: Segments

    /// The new file is complete, with its name, before the old one is sealed: whatever fails on
    /// the way, there is one file to append to.
    private mutating func rotate() throws(JournalOpenError) {
        var header = LineWriter()
        header.writeOpen(
            Opening(store: store, segment: segment + 1, firstNumber: next, hasBase: false))
        var seal = LineWriter()
        seal.writeEnd("seal", next: next, count: recordsInSegment)
        do throws(DiskError) {
            let new = try Journal.publish(header.bytes, as: segment + 1, disk, "rotate")
            try Journal.write(seal.bytes, to: file, disk, "rotate.seal")
            try disk.sync(file, "rotate.seal.sync")
            disk.close(file)
            file = new
        } catch { throw .disk(error) }
        segment += 1
        size = header.bytes.count
        baseSize = size
        recordsInSegment = 0
    }

    private init(
        _ disk: any Disk, rewriting found: Recovered, store: String, _ limits: Limits
    ) throws(DiskError) {
        self.disk = disk
        self.limits = limits
        self.store = found.store ?? store
        segment = (found.segments.last ?? 0) + 1
        next = found.next
        linesOnDisk = found.keptLines.count
        var lines = LineWriter()
        lines.writeOpen(
            Opening(store: self.store, segment: segment, firstNumber: next, hasBase: true))
        for line in found.keptLines { lines.copy(line) }
        lines.writeBaseEnd(count: found.keptLines.count, next: next)
        size = lines.bytes.count
        baseSize = size
        file = try Journal.publish(lines.bytes, as: segment, disk, "rewrite")
        for old in found.segments {
            try disk.unlink(StoredFile(.journal, SegmentName.live(old)), "rewrite.unlink")
        }
        if !found.segments.isEmpty { try disk.syncFolder(.journal, "rewrite.unlink.sync") }
    }

    /// Writes a whole file under a temporary name, makes it durable, gives it its name, makes that
    /// durable, and reads it again to be sure.
    private static func publish(
        _ bytes: [UInt8], as segment: Int, _ disk: any Disk, _ operation: StaticString
    ) throws(DiskError) -> FileNumber {
        let temporary = StoredFile(.journal, SegmentName.temporary(segment))
        let file = try disk.create(temporary, "publish.create")
        do throws(DiskError) {
            try write(bytes, to: file, disk, "publish.append")
            guard try disk.size(of: file, "publish.size") == bytes.count else {
                throw DiskError("publish.size", code: inputOutput)
            }
            try disk.sync(file, "publish.sync")
            try disk.rename(temporary, to: SegmentName.live(segment), "publish.rename")
            try disk.syncFolder(.journal, "publish.folder")
            try verify(bytes, StoredFile(.journal, SegmentName.live(segment)), disk)
        } catch {
            disk.close(file)
            // If it has its name already there is nothing to remove; a start removes the rest.
            try? disk.unlink(temporary, "publish.unlink")
            throw error
        }
        return file
    }

    private static func verify(
        _ bytes: [UInt8], _ file: StoredFile, _ disk: any Disk
    ) throws(DiskError) {
        var offset = 0
        while offset < bytes.count {
            let part = try disk.read(file, from: offset, count: 1 << 20, "publish.verify")
            guard !part.isEmpty, offset + part.count <= bytes.count,
                part[...] == bytes[offset..<(offset + part.count)]
            else { throw DiskError("publish.verify", code: inputOutput) }
            offset += part.count
        }
    }

    /// Unlinked and not cut off: a name may be a hard link to something else.
    private static func removeTemporaries(_ disk: any Disk) throws(DiskError) {
        for name in try disk.list(.journal, "open.list") where SegmentName.isTemporary(name) {
            try disk.unlink(StoredFile(.journal, name), "open.unlink")
        }
    }

    /// Bytes that are no record are kept for a person, before the file they were in goes.
    private static func quarantine(
        _ found: Recovered, _ disk: any Disk, _ time: UnixTime
    ) throws(DiskError) {
        guard !found.quarantine.isEmpty else { return }
        let present = Set(try disk.list(.quarantine, "quarantine.list"))
        for (segment, offset, bytes) in found.quarantine {
            let name = "\(segment)-\(offset)-\(time.seconds).bin"
            guard !present.contains(name) else { continue }
            let file = try disk.create(StoredFile(.quarantine, name), "quarantine.create")
            defer { disk.close(file) }
            try write(Array(bytes), to: file, disk, "quarantine.append")
            try disk.sync(file, "quarantine.sync")
        }
        try disk.syncFolder(.quarantine, "quarantine.folder")
    }

    /// ENOSPC and EIO, by their numbers on every system this runs on.
    private static let noSpace: Int32 = 28
    private static let inputOutput: Int32 = 5
}

/// Appends the lines of batches to the open segment.
///
/// After some thousand records space is preallocated behind them: blank lines, which the next
/// batches overwrite. The size of the file does not change then, so that a sync need not wait for
/// the file system to record a new one, and takes a third less (ext4). For a reader blank lines are
/// nothing, and a line is valid by its checksum only, wherever a power cut has stopped the disk.
/// Lines that do not fit into that space cut it off first, as do a rotation and a clean shutdown:
/// only the newest segment ends with blank lines.
extension SegmentLog {
    /// Writes and syncs lines.
    ///
    /// - Parameter isLast: whether no others follow, so that they need no preallocated space.
    mutating func append(_ lines: borrowing Span<UInt8>, isLast: Bool = false) throws(CommitFailure)
    {
        guard let segment else { preconditionFailure("there is no file to append to") }
        if !isLast, let file = segment.preallocated(for: lines.count) {
            try overwrite(file, of: segment, with: lines)
        } else {
            try truncatePreallocation()
            try grow(
                by: lines, preallocatedBytes: isLast ? 0 : preallocatedBytes(behind: lines.count))
        }
        do throws(DiskError) {
            try disk.sync(segment.file, "commit.sync")
        } catch { throw .unknown(error) }
    }

    private mutating func overwrite(
        _ file: FileNumber, of segment: Segment, with lines: borrowing Span<UInt8>
    ) throws(CommitFailure) {
        do throws(DiskError) {
            try disk.overwrite(file, at: segment.size, with: lines, "commit.overwrite")
        } catch {
            try rollBack(segment, error)
            throw .full(error)
        }
        try checkSize(of: segment, segment.length)
        do throws(DiskError) {
            guard try holds(lines, behindLinesOf: segment) else {
                // No line may stay behind a gap, which a start would treat as damage.
                try disk.truncate(segment.file, to: segment.size, "commit.truncate")
                throw DiskError("commit.compare", code: DiskError.inputOutput)
            }
        } catch { throw .unknown(error) }
        self.segment?.add(lines, at: segment.size)
    }

    /// Whether the file ends with the lines of the last batch and these. While there is
    /// preallocated space, the file's size does not tell whether a kernel has written the bytes
    /// that it reports, and into which file, nor whether somebody has put back an older copy.
    private func holds(
        _ lines: borrowing Span<UInt8>, behindLinesOf segment: Segment
    ) throws(DiskError) -> Bool {
        let before = segment.end
        let found = try disk.read(
            segment.file, from: segment.size - before.count, count: before.count + lines.count,
            "commit.compare")
        return found.count == before.count + lines.count && before.span.equals(found.span, from: 0)
            && lines.equals(found.span, from: before.count)
    }

    /// Appends lines to the file, and preallocated space behind them if there is enough for both:
    /// quotas and limits on a file's size are not known before.
    private mutating func grow(
        by lines: borrowing Span<UInt8>, preallocatedBytes: Int
    ) throws(CommitFailure) {
        try write(lines, from: 0, "commit.append")
        if let segment { self.segment?.add(lines, at: segment.length - lines.count) }
        var left = preallocatedBytes
        do throws(CommitFailure) {
            while left > 0 {
                let blank = SegmentLog.blankLines
                try write(blank.span, from: max(0, blank.count - left), "preallocate.append")
                left -= blank.count
            }
        } catch .full {
            preallocatesFrom = recordsWritten + limits.recordsBeforePreallocation
        }
    }

    /// The content of preallocated space: written as often as needed, since an array for all of it
    /// would be filled and copied each time.
    private static let blankLines = [UInt8](repeating: SegmentReader.lineFeed, count: 64 << 10)

    private mutating func write(
        _ bytes: borrowing Span<UInt8>, from first: Int, _ operation: StaticString
    ) throws(CommitFailure) {
        guard let segment else { return }
        var written = first
        while written < bytes.count {
            do throws(DiskError) {
                written += try disk.writeSome(
                    bytes, from: written, to: segment.file, operation)
            } catch {
                try rollBack(segment, error)
                throw .full(error)
            }
            // Before bytes are written behind a gap, too, which a start would treat as damage.
            try checkSize(of: segment, segment.length + written - first)
        }
        self.segment?.length += written - first
    }

    /// Compares the size of the file with that name before the receipt. This detects a kernel that
    /// reports more than it wrote, and a journal file that was cut short or replaced by another.
    private func checkSize(of segment: Segment, _ expected: Int) throws(CommitFailure) {
        do throws(DiskError) {
            guard
                try disk.size(of: segment.file, named: segment.name, "commit.size") == expected
            else {
                throw DiskError("commit.size", code: DiskError.inputOutput)
            }
        } catch { throw .unknown(error) }
    }

    /// After a failed write, truncates the file to the end of its lines. Synced, because a press
    /// that was reported as not accepted must not reappear after a power cut.
    private mutating func rollBack(_ segment: Segment, _ error: DiskError) throws(CommitFailure) {
        guard error.isFull else { throw .unknown(error) }
        uncheckedBatches = 0
        do throws(DiskError) {
            try disk.truncate(segment.file, to: segment.size, "commit.truncate")
            try disk.sync(segment.file, "commit.truncate.sync")
        } catch { throw .unknown(error) }
        self.segment?.length = segment.size
    }

    // MARK: Preallocated space

    /// How much space to preallocate behind this many bytes of lines: none while presses are rare,
    /// while the disk is short of free space, and beyond the size at which the segment ends.
    private mutating func preallocatedBytes(behind count: Int) -> Int {
        guard let segment, recordsWritten >= preallocatesFrom, uncheckedBatches > 0 else {
            return 0
        }
        let rest = segment.baseSize + limits.segmentBytes - segment.length - count
        guard rest > 0 else { return 0 }
        if segment.preallocated == nil {
            guard let file = try? disk.reopen(segment.name, "preallocate.open") else { return 0 }
            self.segment?.preallocated = file
        }
        return min(limits.preallocatedBytes, rest)
    }

    /// Cuts off the preallocated space. If that fails, there are blank lines between the others.
    private mutating func truncatePreallocation() throws(CommitFailure) {
        guard let segment, segment.length > segment.size else { return }
        // A file that somebody has cut short would get back its size, and not its lines.
        try checkSize(of: segment, segment.length)
        do throws(DiskError) {
            guard try holds(Span(), behindLinesOf: segment) else {
                throw DiskError("commit.compare", code: DiskError.inputOutput)
            }
        } catch { throw .unknown(error) }
        guard (try? disk.truncate(segment.file, to: segment.size, "preallocate.truncate")) != nil
        else { return }
        self.segment?.length = segment.size
    }
}

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
        try write(lines)
        if isLast { truncatePreallocation() } else { try preallocate() }
        guard let segment else { return }
        do throws(DiskError) {
            try disk.sync(segment.file, "commit.sync")
        } catch { throw .unknown(error) }
    }

    /// Writes lines behind the others, over the preallocated space as far as there is some.
    private mutating func write(_ lines: borrowing Span<UInt8>) throws(CommitFailure) {
        guard let segment else { preconditionFailure("there is no file to write to") }
        // Half in that space they are in two parts, of which a power cut may keep the second alone.
        if segment.size + lines.count > segment.length { truncatePreallocation() }
        try write(lines, from: 0, at: segment.size, "commit.append")
        do throws(DiskError) {
            guard try holds(lines, behindLinesOf: segment) else {
                // No line may stay behind a gap, which a start would treat as damage.
                try disk.truncate(segment.file, to: segment.size, "commit.truncate")
                throw DiskError("commit.compare", code: DiskError.inputOutput)
            }
        } catch { throw .unknown(error) }
        self.segment?.add(lines)
    }

    /// Whether the file ends with the lines of the last batch and these. Its size does not tell
    /// whether somebody has cut it short or put back an older copy, nor, where there was
    /// preallocated space, whether a kernel has written the bytes that it reports.
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

    /// Writes bytes from `first` on at that position.
    private mutating func write(
        _ bytes: borrowing Span<UInt8>, from first: Int, at position: Int,
        _ operation: StaticString
    ) throws(CommitFailure) {
        guard let segment else { return }
        var (written, end) = (first, position)
        while written < bytes.count {
            do throws(DiskError) {
                written += try disk.write(
                    bytes, from: written, to: segment.file, at: end, operation)
            } catch {
                try rollBack(segment, error)
                throw .full(error)
            }
            end = position + written - first
            // Before bytes are written behind a gap, too, which a start would treat as damage.
            try checkSize(of: segment, max(segment.length, end))
        }
        self.segment?.length = max(segment.length, end)
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

    /// Writes blank lines behind the others, if there is enough free space for them: quotas and
    /// limits on a file's size are not known before.
    private mutating func preallocate() throws(CommitFailure) {
        guard let segment else { return }
        let end = segment.length + preallocatedBytes(in: segment)
        do throws(CommitFailure) {
            for position in stride(from: segment.length, to: end, by: SegmentLog.blankLines.count) {
                let blank = SegmentLog.blankLines
                try write(
                    blank.span, from: max(0, blank.count - (end - position)), at: position,
                    "preallocate.append")
            }
        } catch .full {
            preallocatesFrom = recordsWritten + limits.recordsBeforePreallocation
        }
    }

    /// The content of preallocated space: written as often as needed, since an array for all of it
    /// would be filled and copied each time.
    private static let blankLines = [UInt8](repeating: SegmentReader.lineFeed, count: 64 << 10)

    /// How much space to preallocate: none while there is some, while presses are rare, while the
    /// disk is short of free space, and beyond the size at which the segment ends.
    private func preallocatedBytes(in segment: Segment) -> Int {
        guard segment.length == segment.size, recordsWritten >= preallocatesFrom,
            uncheckedBatches > 0
        else { return 0 }
        let rest = segment.baseSize + limits.segmentBytes - segment.length
        return min(limits.preallocatedBytes, max(0, rest))
    }

    /// Cuts off the preallocated space, if that is possible.
    mutating func truncatePreallocation() {
        guard let segment, segment.length > segment.size,
            (try? disk.truncate(segment.file, to: segment.size, "preallocate.truncate")) != nil
        else { return }
        self.segment?.length = segment.size
    }
}

/// Appends the lines of batches to the open segment.
extension SegmentLog {
    /// Writes and syncs lines.
    mutating func append(_ lines: borrowing Span<UInt8>) throws(CommitFailure) {
        guard let segment else { preconditionFailure("there is no file to append to") }
        var written = 0
        while written < lines.count {
            do throws(DiskError) {
                written += try disk.writeSome(
                    lines, from: written, to: segment.file, "commit.append")
            } catch {
                try rollBack(segment, error)
                throw .full(error)
            }
            // Before bytes are written behind a gap, too, which a start would treat as damage.
            try checkSize(of: segment, segment.part.bytes + written)
        }
        do throws(DiskError) {
            try disk.sync(segment.file, "commit.sync")
        } catch { throw .unknown(error) }
        self.segment?.part.bytes += lines.count
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
            try disk.truncate(segment.file, to: segment.part.bytes, "commit.truncate")
            try disk.sync(segment.file, "commit.truncate.sync")
        } catch { throw .unknown(error) }
    }
}

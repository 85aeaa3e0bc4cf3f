/// Gives new segments their names, once they are complete, durable and compared.
extension SegmentLog {
    /// Writes a snapshot as the newest segment.
    func publishSnapshot(
        of kept: LineRanges, _ next: SequenceNumber, as number: Int
    ) throws(RewriteFailure) -> Segment {
        let draft: AtomicFileWriter
        do throws(DiskError) {
            try checkName(number)
            var writer = try SnapshotWriter(
                plan(of: number, kept, next, .publish), on: disk, window: limits.windowBytes)
            try writer.finish()
            draft = writer.draft
        } catch { throw .beforeName(error) }
        return try disk.publish(draft, as: number)
    }

    /// How a segment with a snapshot is written.
    func plan(
        of number: Int, _ kept: LineRanges, _ next: SequenceNumber,
        _ labels: AtomicFileWriter.FaultLabels
    ) -> SnapshotWriter.Plan {
        .segment(number, kept, next, labels, store: store)
    }

    private func checkName(_ number: Int) throws(DiskError) {
        guard SegmentName.number(SegmentName.live(number)) == number else {
            throw DiskError("publish.number", code: DiskError.tooGreat)
        }
    }

    /// Writes a segment without a snapshot and makes it the newest one.
    func publish(_ header: [UInt8], as number: Int) throws(RewriteFailure) -> Segment {
        let draft: AtomicFileWriter
        do throws(DiskError) {
            try checkName(number)
            draft = try AtomicFileWriter.write(
                header, to: StoredFile(.journal, SegmentName.temporary(number)), on: disk,
                .publish, by: limits.windowBytes)
        } catch { throw .beforeName(error) }
        return try disk.publish(draft, as: number)
    }
}

extension Disk {
    /// Gives a complete segment its name.
    func publish(
        _ draft: AtomicFileWriter, as number: Int
    ) throws(RewriteFailure) -> SegmentLog.Segment {
        let name = StoredFile(.journal, SegmentName.live(number))
        let temporary = StoredFile(.journal, SegmentName.temporary(number))
        do throws(DiskError) {
            try rename(temporary, to: name.name, draft.labels.rename)
            try syncFolder(.journal, draft.labels.folder)
            let named = try named(draft.file, name, "publish.name")
            guard try size(of: named, "publish.name") == draft.size else {
                throw DiskError("publish.name", code: DiskError.inputOutput)
            }
            return SegmentLog.Segment(number, named, size: draft.size)
        } catch {
            close(draft.file)
            throw .afterName(error)
        }
    }
}

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
        return try publish(draft, as: number)
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
        return try publish(draft, as: number)
    }

    /// Gives a complete segment its name, or removes it.
    private func publish(
        _ draft: AtomicFileWriter, as number: Int
    ) throws(RewriteFailure) -> Segment {
        do throws(RewriteFailure) {
            return try disk.publish(draft, as: number)
        } catch {
            if case .beforeName = error {
                draft.discard(StoredFile(.journal, SegmentName.temporary(number)))
            }
            throw error
        }
    }
}

extension Disk {
    /// Gives a complete segment its name.
    ///
    /// - Throws: `RewriteFailure`. Before it has its name it is still open, under its temporary
    ///   one.
    func publish(
        _ draft: AtomicFileWriter, as number: Int
    ) throws(RewriteFailure) -> SegmentLog.Segment {
        let name = StoredFile(.journal, SegmentName.live(number))
        let temporary = StoredFile(.journal, SegmentName.temporary(number))
        do throws(DiskError) {
            try rename(temporary, to: name.name, draft.labels.rename)
        } catch {
            // The folder may have no free space for a name. After any other error the name may be
            // there.
            if error.isFull || error.isReadOnly, isFree(name) { throw .beforeName(error) }
            close(draft.file)
            throw .afterName(error)
        }
        do throws(DiskError) {
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

    private func isFree(_ name: StoredFile) -> Bool {
        do throws(DiskError) {
            _ = try size(of: name, "publish.name")
            return false
        } catch { return error.isMissing }
    }
}

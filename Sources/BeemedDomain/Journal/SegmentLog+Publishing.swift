/// Gives new segments their names, once they are complete, durable and compared.
extension SegmentLog {
    /// Writes a segment under a temporary name, and gives it its own, in place of an earlier file.
    ///
    /// - Parameters:
    ///   - first: the number of its first record.
    ///   - body: writes its contents.
    func publish(
        as number: Int, _ first: SequenceNumber,
        _ body: (inout AtomicFileWriter) throws(DiskError) -> Void
    ) throws(RewriteFailure) -> Segment {
        let temporary = StoredFile(.journal, SegmentName.temporary(number))
        var draft: AtomicFileWriter
        do throws(DiskError) {
            guard SegmentName.number(SegmentName.live(number)) == number else {
                throw DiskError("publish.number", code: DiskError.tooGreat)
            }
            draft = try AtomicFileWriter(creating: temporary, on: disk, .publish)
            do throws(DiskError) {
                try body(&draft)
                try draft.finish(temporary, by: limits.windowBytes)
            } catch {
                draft.discard(temporary)
                throw error
            }
        } catch { throw .beforeName(error) }
        return try publish(draft, as: number, first)
    }

    /// Gives a complete segment its name, or removes it.
    private func publish(
        _ draft: AtomicFileWriter, as number: Int, _ first: SequenceNumber
    ) throws(RewriteFailure) -> Segment {
        let name = StoredFile(.journal, SegmentName.live(number))
        let temporary = StoredFile(.journal, SegmentName.temporary(number))
        do throws(DiskError) {
            try disk.rename(temporary, to: name.name, draft.labels.rename)
        } catch {
            // The folder may have no free space for a name. After any other error the name may be
            // there.
            if error.isFull || error.isReadOnly, isThere(temporary) {
                draft.discard(temporary)
                throw .beforeName(error)
            }
            disk.close(draft.file)
            throw .afterName(error)
        }
        do throws(DiskError) {
            try disk.syncFolder(.journal, draft.labels.folder)
            let named = try disk.named(draft.file, name, "publish.name")
            guard try disk.size(of: named, "publish.name") == draft.size else {
                throw DiskError("publish.name", code: DiskError.inputOutput)
            }
            return Segment(number, first, named, size: draft.size)
        } catch {
            disk.close(draft.file)
            throw .afterName(error)
        }
    }

    private func isThere(_ name: StoredFile) -> Bool {
        (try? disk.size(of: name, "publish.name")) != nil
    }
}

/// A file that is written under a temporary name, with its length and checksum, so that it can be
/// read back and compared before it gets its own name.
struct AtomicFileWriter: ~Copyable {
    let file: FileNumber
    private let disk: any Disk
    /// The lines that are not in the file yet.
    private var lines = JSONWriter()
    fileprivate let temporary: StoredFile
    private(set) var size = 0
    /// The last bytes that are in the file.
    private(set) var end: [UInt8] = []
    fileprivate private(set) var check = CRC32C()

    fileprivate init(_ file: FileNumber, _ temporary: StoredFile, on disk: any Disk) {
        (self.file, self.temporary, self.disk) = (file, temporary, disk)
    }

    mutating func add(_ write: (inout JSONWriter) -> Void) throws(DiskError) {
        write(&lines)
        if lines.count >= SegmentReader.window { try flush() }
    }

    private mutating func flush() throws(DiskError) {
        let bytes = lines.bytes
        try disk.writeAll(bytes, to: file, at: size, "publish.append")
        size += bytes.count
        let most = SegmentLog.Segment.endBytes
        end = Array((end + bytes.suffix(most)).suffix(most))
        check.add(bytes.span)
        lines.cut(to: 0)
    }

    /// Makes the whole file durable, reads it back under its temporary name and compares it. The
    /// file stays open: opening it later may fail for want of a descriptor.
    fileprivate mutating func finish() throws(DiskError) {
        try flush()
        guard try disk.size(of: file, named: temporary, "publish.size") == size else {
            throw DiskError("publish.size", code: DiskError.inputOutput)
        }
        try disk.sync(file, "publish.sync")
        var (count, found) = (0, CRC32C())
        while true {
            let part = try disk.read(
                temporary, from: count, count: SegmentReader.window, "publish.verify")
            if part.isEmpty { break }
            found.add(part.span)
            count += part.count
        }
        guard count == size, found.value == check.value else {
            throw DiskError("publish.verify", code: DiskError.inputOutput)
        }
    }

    /// Closes and removes the file.
    fileprivate func discard() {
        disk.close(file)
        try? disk.unlink(temporary, "publish.unlink")
    }
}

extension Disk {
    /// Writes a segment, or bytes of one, under a temporary name, and gives it its own, in place of
    /// an earlier file; it stays open. After `CommitFailure.full` nothing has changed; after
    /// `unknown` the file may have its name, and which segment a start would find is not known.
    ///
    /// - Parameters:
    ///   - name: gives another name than the segment's, by the checksum of the contents.
    ///   - body: writes its contents.
    func publish(
        _ number: Int, in folder: StoredFile.Folder = .journal,
        named name: ((UInt32) -> String)? = nil,
        _ body: (inout AtomicFileWriter) throws(DiskError) -> Void
    ) throws(CommitFailure) -> AtomicFileWriter {
        let draft: AtomicFileWriter
        do throws(DiskError) {
            draft = try complete(number, in: folder, body)
        } catch { throw .full(error) }
        let name = name?(draft.check.value) ?? SegmentName.live(number)
        try give(StoredFile(folder, name), to: draft)
        return draft
    }

    private func complete(
        _ number: Int, in folder: StoredFile.Folder,
        _ body: (inout AtomicFileWriter) throws(DiskError) -> Void
    ) throws(DiskError) -> AtomicFileWriter {
        guard SegmentName.number(SegmentName.live(number)) == number else {
            throw DiskError("publish.number", code: DiskError.tooGreat)
        }
        let temporary = StoredFile(folder, SegmentName.temporary(number))
        // A process that was killed may have left it.
        if folder != .journal { try? unlink(temporary, "publish.unlink") }
        let file = try create(temporary, "publish.create")
        var draft = AtomicFileWriter(file, temporary, on: self)
        do throws(DiskError) {
            try body(&draft)
            try draft.finish()
        } catch {
            draft.discard()
            throw error
        }
        return draft
    }

    /// Gives a complete file its name, or removes it.
    private func give(
        _ name: StoredFile, to draft: borrowing AtomicFileWriter
    ) throws(CommitFailure) {
        do throws(DiskError) {
            try move(draft.temporary, to: name, "publish.rename")
        } catch {
            // The folder may have no free space for a name. After any other error the name may be
            // there.
            let isThere = (try? size(of: draft.temporary, "publish.name")) != nil
            if isThere, error.isFull || error.isReadOnly {
                draft.discard()
                throw .full(error)
            }
            close(draft.file)
            throw .unknown(error)
        }
        do throws(DiskError) {
            try syncFolder(name.folder, "publish.folder")
            guard try size(of: draft.file, named: name, "publish.name") == draft.size else {
                throw DiskError("publish.name", code: DiskError.inputOutput)
            }
        } catch {
            close(draft.file)
            throw .unknown(error)
        }
    }

    /// Writes a segment of the history. Returns whether it is there.
    func writeHistory(
        _ number: Int, _ body: (inout AtomicFileWriter) throws(DiskError) -> Void
    ) -> Bool {
        guard let made = try? publish(number, in: .history, body) else { return false }
        close(made.file)
        return true
    }
}

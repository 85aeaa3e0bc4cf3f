/// A file that is written under a temporary name, with its length and checksum, so that it can be
/// read back and compared.
struct AtomicFileWriter: Sendable {
    /// The call site names of the system calls, so that a test can fail each of them.
    struct FaultLabels: Sendable {
        let create: StaticString
        let append: StaticString
        let size: StaticString
        let sync: StaticString
        let unlink: StaticString
        let verify: StaticString
        let rename: StaticString
        let folder: StaticString

        /// Labels for a segment of the journal.
        static let publish = FaultLabels(
            create: "publish.create", append: "publish.append", size: "publish.size",
            sync: "publish.sync", unlink: "publish.unlink", verify: "publish.verify",
            rename: "publish.rename", folder: "publish.folder")
        /// Labels for a file of the history.
        static let history = FaultLabels(
            create: "history.create", append: "history.append", size: "history.size",
            sync: "history.sync", unlink: "history.unlink", verify: "history.verify",
            rename: "history.rename", folder: "history.folder")
    }

    let file: FileNumber
    private let disk: any Disk
    let labels: FaultLabels
    private(set) var size = 0
    private var check = CRC32C()

    /// Creates the file.
    init(
        creating temporary: StoredFile, on disk: any Disk, _ labels: FaultLabels
    ) throws(DiskError) {
        file = try disk.create(temporary, labels.create)
        self.disk = disk
        self.labels = labels
    }

    mutating func write(_ bytes: [UInt8]) throws(DiskError) {
        try disk.writeAll(bytes, to: file, labels.append)
        size += bytes.count
        check.add(bytes.span)
    }

    /// Compares the size and makes the whole file durable.
    func finish() throws(DiskError) {
        guard try disk.size(of: file, labels.size) == size else {
            throw DiskError(labels.size, code: DiskError.inputOutput)
        }
        try disk.sync(file, labels.sync)
    }

    /// Makes the whole file durable, reads it back under its temporary name and compares it. The
    /// file stays open: opening it later may fail for want of a descriptor.
    func finish(_ temporary: StoredFile, by window: Int) throws(DiskError) {
        try finish()
        var (count, found) = (0, CRC32C())
        while true {
            let part = try disk.read(temporary, from: count, count: window, labels.verify)
            if part.isEmpty { break }
            found.add(part.span)
            count += part.count
        }
        guard count == size, found.value == check.value else {
            throw DiskError(labels.verify, code: DiskError.inputOutput)
        }
    }

    /// Closes and removes the file.
    func discard(_ temporary: StoredFile) {
        disk.close(file)
        try? disk.unlink(temporary, labels.unlink)
    }
}

extension Disk {
    /// Writes a file of the history, reads it back and gives the file its name.
    ///
    /// - Parameter body: writes its contents.
    func writeHistory(
        _ number: Int, by window: Int, _ body: (inout AtomicFileWriter) throws(DiskError) -> Void
    ) throws(DiskError) {
        let temporary = StoredFile(.history, SegmentName.temporary(number))
        try? unlink(temporary, "history.unlink")
        var draft = try AtomicFileWriter(creating: temporary, on: self, .history)
        do throws(DiskError) {
            try body(&draft)
            try draft.finish(temporary, by: window)
            try rename(temporary, to: SegmentName.live(number), draft.labels.rename)
            try syncFolder(.history, draft.labels.folder)
        } catch {
            draft.discard(temporary)
            throw error
        }
        close(draft.file)
    }

    /// Reads a range of a segment in parts.
    func read(
        _ place: Recovered.SegmentRange, by window: Int, _ take: ([UInt8]) throws(DiskError) -> Void
    ) throws(DiskError) {
        let file = StoredFile(.journal, SegmentName.live(place.segment))
        var offset = place.range.lowerBound
        while offset < place.range.upperBound {
            let part = try read(
                file, from: offset, count: min(window, place.range.upperBound - offset),
                "rewrite.read")
            guard !part.isEmpty else {
                throw DiskError("rewrite.read", code: DiskError.inputOutput)
            }
            try take(part)
            offset += part.count
        }
    }
}

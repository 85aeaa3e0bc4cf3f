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
        /// Labels for the snapshot of a compaction.
        static let compact = FaultLabels(
            create: "compact.create", append: "compact.append", size: "compact.size",
            sync: "compact.sync", unlink: "compact.unlink", verify: "compact.verify",
            rename: "compact.rename", folder: "compact.folder")
        /// Labels for a file of the history.
        static let history = FaultLabels(
            create: "history.create", append: "history.append", size: "history.size",
            sync: "history.sync", unlink: "history.unlink", verify: "history.verify",
            rename: "history.rename", folder: "history.folder")
    }

    /// How far a file has been read back.
    struct Verification: Sendable {
        fileprivate var size = 0
        fileprivate var check = CRC32C()
    }

    let file: FileNumber
    private let disk: any Disk
    let labels: FaultLabels
    private(set) var size = 0
    private var check = CRC32C()

    /// Writes a whole file, makes it durable and reads it back. It stays open, without its final
    /// name: opening it later may fail for want of a descriptor.
    ///
    /// - Throws: `DiskError`; then the file is removed.
    static func write(
        _ bytes: [UInt8], to temporary: StoredFile, on disk: any Disk, _ labels: FaultLabels,
        by window: Int
    ) throws(DiskError) -> AtomicFileWriter {
        var writer = try AtomicFileWriter(creating: temporary, on: disk, labels)
        do throws(DiskError) {
            try writer.write(bytes)
            try writer.end()
            var verification = Verification()
            while try !writer.verify(temporary, atMost: window, &verification) {}
            return writer
        } catch {
            writer.discard(temporary)
            throw error
        }
    }

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

    /// Makes what is written durable.
    func sync() throws(DiskError) {
        try disk.sync(file, labels.sync)
    }

    /// Compares the size and makes all of it durable.
    func end() throws(DiskError) {
        guard try disk.size(of: file, labels.size) == size else {
            throw DiskError(labels.size, code: DiskError.inputOutput)
        }
        try sync()
    }

    /// Closes and removes the file.
    func discard(_ temporary: StoredFile) {
        disk.close(file)
        try? disk.unlink(temporary, labels.unlink)
    }

    /// Reads the next part of the file back under its name, and compares the whole at the end.
    ///
    /// - Returns: whether that was the end.
    func verify(
        _ file: StoredFile, atMost window: Int, _ verification: inout Verification
    ) throws(DiskError) -> Bool {
        let part = try disk.read(
            file, from: verification.size, count: window, labels.verify)
        guard part.isEmpty else {
            verification.check.add(part.span)
            verification.size += part.count
            return false
        }
        guard verification.size == size, verification.check.value == check.value else {
            throw DiskError(labels.verify, code: DiskError.inputOutput)
        }
        return true
    }
}

extension Disk {
    /// Reads a range of a segment in parts.
    func read(
        _ place: Recovered.Place, by window: Int, _ take: ([UInt8]) throws(DiskError) -> Void
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

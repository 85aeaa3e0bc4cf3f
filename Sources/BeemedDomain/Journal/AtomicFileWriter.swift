/// A file that is written under a temporary name, with its length and checksum, so that it can be
/// read back and compared.
struct AtomicFileWriter {
    /// The call site names of the system calls, so that a test can fail each of them.
    struct FaultLabels: Sendable {
        let create: StaticString
        let append: StaticString
        let size: StaticString
        let sync: StaticString
        let unlink: StaticString
        let verify: StaticString

        /// Labels for a segment of the journal.
        static let publish = FaultLabels(
            create: "publish.create", append: "publish.append", size: "publish.size",
            sync: "publish.sync", unlink: "publish.unlink", verify: "publish.verify")
        /// Labels for a file of the history.
        static let history = FaultLabels(
            create: "history.create", append: "history.append", size: "history.size",
            sync: "history.sync", unlink: "history.unlink", verify: "history.verify")
    }

    let file: FileNumber
    private let disk: any Disk
    private let labels: FaultLabels
    private(set) var size = 0
    private var check = CRC32C()

    /// Writes a whole file and makes it durable. It stays open, without its final name.
    ///
    /// - Throws: `DiskError`; then the file is removed.
    static func write(
        _ temporary: StoredFile, on disk: any Disk, _ labels: FaultLabels,
        _ body: (inout AtomicFileWriter) throws(DiskError) -> Void
    ) throws(DiskError) -> AtomicFileWriter {
        let file = try disk.create(temporary, labels.create)
        var writer = AtomicFileWriter(file: file, disk: disk, labels: labels)
        do throws(DiskError) {
            try body(&writer)
            guard try disk.size(of: file, labels.size) == writer.size else {
                throw DiskError(labels.size, code: DiskError.inputOutput)
            }
            try disk.sync(file, labels.sync)
            return writer
        } catch {
            disk.close(file)
            try? disk.unlink(temporary, labels.unlink)
            throw error
        }
    }

    private init(file: FileNumber, disk: any Disk, labels: FaultLabels) {
        self.file = file
        self.disk = disk
        self.labels = labels
    }

    mutating func write(_ bytes: [UInt8]) throws(DiskError) {
        try disk.writeAll(bytes, to: file, labels.append)
        size += bytes.count
        check.add(bytes.span)
    }

    /// Writes a snapshot: a first line, unchanged copies of lines, and their count.
    mutating func writeSnapshot(
        of kept: LineRanges, _ next: SequenceNumber, by window: Int,
        _ open: (inout LineWriter) -> Void
    ) throws(DiskError) {
        var lines = LineWriter()
        open(&lines)
        for place in kept.places {
            try disk.read(place, by: window) { (part) throws(DiskError) in
                lines.append(part)
                if lines.bytes.count >= window {
                    try write(lines.bytes)
                    lines.removeAll()
                }
            }
            if place.lacksLineFeed { lines.append([0x0A]) }
        }
        lines.writeBaseEnd(count: kept.count, next: next)
        try write(lines.bytes)
    }

    /// Reads the file back under its name and compares it.
    func verify(_ file: StoredFile, by window: Int) throws(DiskError) {
        var check = CRC32C()
        var size = 0
        while true {
            let part = try disk.read(file, from: size, count: window, labels.verify)
            if part.isEmpty { break }
            check.add(part.span)
            size += part.count
        }
        guard size == self.size, check.value == self.check.value else {
            throw DiskError(labels.verify, code: DiskError.inputOutput)
        }
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

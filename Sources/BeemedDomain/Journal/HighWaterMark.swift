/// A position in the journal of a store: before a record of that number.
struct StorePosition: Equatable, Sendable {
    /// The store's name.
    let store: String
    /// The number of the record behind it.
    let next: SequenceNumber

    init(store: String, next: SequenceNumber) {
        (self.store, self.next) = (store, next)
    }

    /// Reads the members; nil when they are not there.
    init?(json: ArraySlice<UInt8>) {
        guard let members = try? Members(json), let store = try? members.text("store"),
            let next = try? members.number("q")
        else { return nil }
        self.init(store: store, next: next)
    }

    /// Reads the mark of a journal; nil when there is none or it is unreadable.
    init?(markOn disk: any Disk) {
        let file = HighWaterMark.file
        guard let bytes = try? disk.read(file, from: 0, count: 4_096, "mark.read") else {
            return nil
        }
        var reader = SegmentReader(bytes)
        guard case .line(let json, _)? = try? reader.next() else { return nil }
        self.init(json: json)
    }

    private func write(to json: inout JSONWriter) {
        json.add("q", next)
        json.add("store", store)
    }

    /// The value of the key with which a cluster's journal begins.
    var value: [UInt8] { JSONWriter.object(write) }

    /// The line of the mark. Numbers only grow, so a later line is never shorter than the earlier
    /// one.
    var mark: [UInt8] {
        var lines = JSONWriter()
        lines.line("through", write)
        return lines.bytes
    }
}

/// Writes the mark of the open journal: the position up to which it was durable, in a file of its
/// own, one line in `journal/mark`.
///
/// A truncated segment looks like one left incomplete by a crash. The mark distinguishes them: it
/// is written after the sync of each batch, so every record below it was durable. The mark is not
/// synced: after a power cut it may be too low, but never too high.
struct HighWaterMark: Sendable {
    static let file = StoredFile(.journal, "mark")

    private let disk: any Disk
    private var file: FileNumber?
    /// The content of the file, if certain.
    private var written: SequenceNumber?

    init(_ disk: any Disk) {
        self.disk = disk
    }

    /// Creates a new mark file in place of the old one, if none is open. The mark is an additional
    /// check: if the file cannot be created, the journal works without it.
    mutating func open(at mark: StorePosition) {
        if file == nil {
            try? disk.unlink(HighWaterMark.file, "mark.unlink")
            file = try? disk.create(HighWaterMark.file, "mark.create")
        }
        write(mark)
    }

    /// Writes the mark, if it is not written yet.
    mutating func write(_ mark: StorePosition) {
        guard let file, written != mark.next else { return }
        let isWritten = (try? disk.writeAll(mark.mark, to: file, at: 0, "mark.write")) != nil
        written = isWritten ? mark.next : nil
    }

    /// Writes the mark, if it is not written yet, and closes its file.
    mutating func close(at mark: StorePosition) {
        write(mark)
        if let file { disk.close(file) }
        file = nil
    }
}

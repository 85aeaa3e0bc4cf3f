/// Writes a snapshot into a new file: a first line, unchanged copies of lines, and their count.
/// Then the file is synced and read back. All of it happens a slice at a time, so that a press can
/// be written between two slices.
struct SnapshotWriter: Sendable {
    /// What is written, and how.
    struct Plan: Sendable {
        /// The name until the file is complete.
        var temporary: StoredFile
        var labels: AtomicFileWriter.FaultLabels
        /// The lines to copy.
        var kept: LineRanges
        /// The first line.
        var head: [UInt8]
        /// What follows the count.
        var tail: [UInt8] = []
        /// The number after the last record.
        var next: SequenceNumber
    }

    private enum Phase: Sendable {
        case copying(Cursor)
        case verifying(AtomicFileWriter.Verification)
        case complete
    }

    /// A position in the lines to be copied.
    private struct Cursor: Sendable {
        var place = 0
        /// The next byte of that range; nil at its beginning.
        var offset: Int?
    }

    private(set) var draft: AtomicFileWriter
    private let disk: any Disk
    private let plan: Plan
    private var window: ReadWindow
    private var phase = Phase.copying(Cursor())

    /// Creates the file and writes its first line.
    ///
    /// - Throws: `DiskError`; then there is no file.
    init(_ plan: Plan, on disk: any Disk, window: Int) throws(DiskError) {
        self.plan = plan
        self.disk = disk
        self.window = ReadWindow(disk, size: window)
        draft = try AtomicFileWriter(creating: plan.temporary, on: disk, plan.labels)
        try orDiscard { (writer) throws(DiskError) in try writer.draft.write(plan.head) }
    }

    /// Writes, syncs or reads back one slice.
    ///
    /// - Parameter isSynced: whether to sync each slice, so that no sync takes long.
    /// - Returns: whether the file is complete, durable, and what was written. It is still open,
    ///   and has its temporary name.
    /// - Throws: `DiskError`; then the file is removed.
    mutating func step(of bytes: Int, isSynced: Bool) throws(DiskError) -> Bool {
        try orDiscard { (writer) throws(DiskError) in
            try writer.advance(bytes, isSynced)
        }
    }

    /// Writes everything.
    mutating func finish() throws(DiskError) {
        while try !step(of: window.size, isSynced: false) {}
    }

    /// Closes and removes the file.
    func discard() {
        draft.discard(plan.temporary)
    }

    private mutating func orDiscard<Value>(
        _ body: (inout SnapshotWriter) throws(DiskError) -> Value
    ) throws(DiskError) -> Value {
        do throws(DiskError) { return try body(&self) } catch {
            discard()
            throw error
        }
    }

    private mutating func advance(_ bytes: Int, _ isSynced: Bool) throws(DiskError) -> Bool {
        switch phase {
        case .copying(let cursor):
            var cursor = cursor
            try copy(bytes, from: &cursor)
            if cursor.place < plan.kept.places.count {
                if isSynced { try draft.sync() }
                phase = .copying(cursor)
                return false
            }
            var end = LineWriter()
            end.writeBaseEnd(count: plan.kept.count, next: plan.next)
            try draft.write(end.bytes + plan.tail)
            try draft.end()
            phase = .verifying(AtomicFileWriter.Verification())
        case .verifying(let verification):
            var verification = verification
            let isDone = try draft.verify(plan.temporary, atMost: bytes, &verification)
            phase = isDone ? .complete : .verifying(verification)
        case .complete: break
        }
        if case .complete = phase { return true }
        return false
    }

    /// Copies the lines of some of the next ranges.
    private mutating func copy(_ bytes: Int, from cursor: inout Cursor) throws(DiskError) {
        var lines = LineWriter(capacity: bytes + 1)
        while lines.count < bytes, cursor.place < plan.kept.places.count {
            let place = plan.kept.places[cursor.place]
            let start = cursor.offset ?? place.range.lowerBound
            let end = min(place.range.upperBound, start + bytes - lines.count)
            let part = try window.read(place.segment, start..<end, before: place.range.upperBound)
            lines.append(part)
            cursor.offset = start + part.count
            if cursor.offset == place.range.upperBound {
                if place.lacksLineFeed { lines.append([0x0A]) }
                cursor = Cursor(place: cursor.place + 1)
            }
        }
        if lines.count > 0 { try draft.write(lines.bytes) }
    }
}

/// Reads ranges of segments, which are mostly near each other, through one buffer.
private struct ReadWindow: Sendable {
    private let disk: any Disk
    let size: Int
    private var segment: Int?
    private var start = 0
    private var bytes: [UInt8] = []

    init(_ disk: any Disk, size: Int) {
        self.disk = disk
        self.size = size
    }

    /// - Parameter limit: the end of the bytes known to be there.
    /// - Returns: at least one byte of the range, from its beginning on.
    mutating func read(
        _ segment: Int, _ range: Range<Int>, before limit: Int
    ) throws(DiskError) -> ArraySlice<UInt8> {
        if segment != self.segment || range.lowerBound < start
            || range.lowerBound >= start + bytes.count
        {
            bytes = try disk.read(
                StoredFile(.journal, SegmentName.live(segment)), from: range.lowerBound,
                count: size, "rewrite.read")
            (self.segment, start) = (segment, range.lowerBound)
            guard !bytes.isEmpty else {
                self.segment = nil
                throw DiskError("rewrite.read", code: DiskError.inputOutput)
            }
        }
        let first = range.lowerBound - start
        return bytes[first..<min(bytes.count, first + range.count)]
    }
}

extension SnapshotWriter.Plan {
    /// A segment that begins with a snapshot.
    static func segment(
        _ number: Int, _ kept: LineRanges, _ next: SequenceNumber,
        _ labels: AtomicFileWriter.FaultLabels, store: String
    ) -> SnapshotWriter.Plan {
        var head = LineWriter()
        head.writeOpen(
            Opening(store: store, segment: number, firstNumber: next, hasBase: true))
        return SnapshotWriter.Plan(
            temporary: StoredFile(.journal, SegmentName.temporary(number)), labels: labels,
            kept: kept, head: head.bytes, next: next)
    }

    /// A file of the history.
    static func archive(
        _ name: ArchiveFileName, _ lines: LineRanges, _ next: SequenceNumber, store: String,
        at time: UnixTime
    ) -> SnapshotWriter.Plan {
        var head = LineWriter()
        head.writePastOpen(store: store, segment: name.segment, next, at: time)
        var tail = LineWriter()
        tail.writeEnd("close", next: next, count: 0)
        return SnapshotWriter.Plan(
            temporary: StoredFile(.history, name.temporary), labels: .history, kept: lines,
            head: head.bytes, tail: tail.bytes, next: next)
    }
}

extension LineWriter {
    /// Writes the first line of a history file: like that of a segment, with the time of writing.
    fileprivate mutating func writePastOpen(
        store: String, segment: Int, _ next: SequenceNumber, at time: UnixTime
    ) {
        line("open") { line in
            line.add("v", Int64(Opening.version))
            line.add("store", store)
            line.add("seg", Int64(segment))
            line.add("q", Int64(next.value))
            line.add("base", true)
            line.add("at", time.seconds)
        }
    }
}

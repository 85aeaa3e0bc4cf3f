/// A rewrite of the sealed segments without the lines of forgotten events, while presses are
/// appended to the segment after them.
///
/// A rotation leaves a number free between the sealed segments and the new one. The snapshot is
/// written under a temporary name, a slice at a time, and gets that number when it is complete: a
/// start finds the old segments or the snapshot, and in both cases the segment that follows.
struct Compaction: Sendable {
    /// What is done next.
    enum Phase: Sendable {
        /// It waits to hear which events are known.
        case waiting
        case reading(CompactionReader)
        /// A file of the history is written, the one of that index.
        case archiving(SnapshotWriter, Int)
        case copying(SnapshotWriter)
        /// The snapshot is complete, and has its temporary name.
        case complete(AtomicFileWriter)
        /// The snapshot has its name. These segments were superseded before, and are removed.
        case removing([Int])
    }

    /// The number that is reserved for the snapshot.
    let segment: Int
    /// The segments that it replaces, in order.
    let sources: [Int]
    /// The number after their last record.
    let next: SequenceNumber
    var phase = Phase.waiting
    var contents = CompactionReader.Contents()

    /// The files of the history that it writes.
    var archives: [ArchiveFileName] {
        contents.past.indices.map { ArchiveFileName(segment: segment, part: $0) }
    }
}

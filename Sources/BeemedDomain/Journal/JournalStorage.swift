/// Work in files that no batch is written to. It returns whether it can be called again before the
/// journal must hear of it.
typealias JournalSlice = @Sendable () -> Bool

/// Makes the journal's lines durable, and keeps them small: the side below `Journal`, which numbers
/// records and makes their lines and receipts.
///
/// The journal holds one for its whole life, and calls it once for each batch.
protocol JournalStorage: Sendable {
    /// The limits of the journal.
    var limits: Journal.Limits { get }
    /// The store's name.
    var store: String { get }
    /// The number after the last record.
    var next: SequenceNumber { get }
    /// Whether every record before `next` is durable.
    var isConfirmed: Bool { get }
    /// Whether the loop may wait for a batch, if batches have proven quick.
    var canWriteInPlace: Bool { get }

    /// Checks that a new event may be accepted.
    ///
    /// - Parameters:
    ///   - live: what the journal must hold.
    ///   - isProof: whether to check even if there was plenty of free space a moment ago.
    /// - Throws: `CommitFailure.full` if there is too little free space.
    mutating func checkFreeSpace(for live: LiveSize, isProof: Bool) throws(CommitFailure)
    /// Makes lines durable, all or none of them. They are the records from `next` on.
    ///
    /// - Parameter count: the number of records.
    mutating func append(_ lines: borrowing Span<UInt8>, count: Int) throws(CommitFailure)
    /// Records how far `append` has come, in a place of its own, if that is not recorded yet.
    mutating func writeHighWaterMark()
    /// Whether there is space that was preallocated behind the lines.
    var hasPreallocation: Bool { get }
    /// Removes that space.
    mutating func releasePreallocation() throws(CommitFailure)
    /// Records a clean shutdown. Nothing follows.
    mutating func close() throws(CommitFailure)

    /// Whether `rotate` has something to do.
    var wantsRotation: Bool { get }
    /// Prepares for growth: begins a compaction if most lines are dead.
    mutating func rotate(live: LiveSize, time: UnixTime) throws(CommitFailure)
    /// Whether a compaction waits for `compact(keeping:)`.
    var wantsKnownEvents: Bool { get }
    /// The first record behind the last compaction that has ended: what was forgotten before it is
    /// in the history.
    var compactedBefore: SequenceNumber { get }
    /// Whether there is work for `compactSome`: sealing the last segment, or a compaction.
    var isCompacting: Bool { get }
    /// Begins the compaction that waits for this, with the events that stay.
    mutating func compact(keeping known: KnownEvents)
    /// The next slice of what needs no journal, so that batches can be written meanwhile; nil if
    /// there is none. `compactSome` must follow.
    var slice: JournalSlice? { get }
    /// Does a slice that needs the journal, about as long as a batch takes, and learns of the
    /// others.
    ///
    /// - Throws: `CommitFailure.unknown`; any other obstacle only ends the compaction.
    mutating func compactSome() throws(CommitFailure)
}

extension JournalStorage {
    mutating func writeHighWaterMark() {}
    var hasPreallocation: Bool { false }
    mutating func releasePreallocation() throws(CommitFailure) {}
}

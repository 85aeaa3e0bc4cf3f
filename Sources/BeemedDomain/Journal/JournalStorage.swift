/// Makes the journal's lines durable, and keeps them small: the side below `Journal`, which numbers
/// records and makes their lines and receipts.
///
/// The journal holds one for its whole life, and calls it once for each batch, so a call by way of
/// the protocol costs little. A generic parameter would stand in every type that has a journal.
protocol JournalStorage: Sendable {
    /// The limits of the journal.
    var limits: Journal.Limits { get }
    /// The store's name.
    var store: String { get }
    /// The number after the last record.
    var next: SequenceNumber { get }
    /// Whether every record before `next` is durable.
    var isConfirmed: Bool { get }
    /// Reads the lines that are in no file of the folder, on any thread; nil where there are none.
    var remoteLines: RemoteLines? { get }
    /// Whether the loop may wait for a batch, if batches have proven quick.
    var canWriteInPlace: Bool { get }

    /// Checks that a new event may be accepted.
    ///
    /// - Parameters:
    ///   - live: what the journal must hold.
    ///   - isProof: whether to check even if there was plenty of free space a moment ago.
    mutating func checkFreeSpace(for live: LiveSize, isProof: Bool) throws(CommitFailure)
    /// Makes lines durable, all or none of them: so many records from `next` on.
    mutating func append(_ lines: borrowing Span<UInt8>, count: Int) throws(CommitFailure)
    /// Writes how far the lines are durable, if that is not written yet.
    mutating func writeMark()
    /// Records a clean shutdown. Nothing follows.
    mutating func close() throws(CommitFailure)

    /// The events to state again, so that the oldest lines can be retired; or nil.
    mutating func carrying(for live: LiveSize) -> CarryRequest?
    /// Whether there is work for `maintain`, before more is appended.
    var isMaintenanceDue: Bool { get }
    /// Begins a new segment when the last one is full, or else retires the oldest lines: a press may
    /// wait for one, and not for both. An obstacle puts that off, unless what is on the disk is
    /// unknown then.
    ///
    /// - Returns: whether to call it again, when what waits is written.
    mutating func maintain(live: LiveSize, time: UnixTime) throws(CommitFailure) -> Bool
}

/// Reads lines of a cluster's journal, in order.
package typealias RemoteLines = @Sendable () throws(DiskError) -> [UInt8]

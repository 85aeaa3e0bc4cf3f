/// The outcome of records.
package enum CommitOutcome: Sendable {
    /// They are durable.
    case committed(Receipt)
    /// There is no free space. The records that the receipt covers are durable; no later ones of
    /// that epoch were kept. It has both because outcomes of earlier records may be reported later.
    case rejected(epoch: UInt64, Receipt, DiskError)
    /// A compaction can begin as soon as `JournalWriter.compact` says which events are known.
    case wantsKnownEvents
    /// A compaction has ended. What was forgotten before that record is in the history.
    case compacted(before: SequenceNumber)
    /// The contents of the disk are unknown. The process must end.
    case failed(DiskError)
    /// The journal is closed, with an error if it was not clean.
    case closed(DiskError?)
}

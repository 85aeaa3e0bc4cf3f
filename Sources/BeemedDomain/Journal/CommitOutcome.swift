/// The outcome of records.
package enum CommitOutcome: Sendable {
    /// They are durable.
    case committed(Receipt)
    /// There is no free space. The records that the receipt covers are durable; no later ones of
    /// that epoch were kept. It has both because outcomes of earlier records may be reported later.
    case rejected(epoch: UInt64, Receipt, DiskError)
    /// Events should be stated again.
    case wantsCarrying(CarryRequest)
    /// The contents of the disk are unknown. The process must end.
    case failed(DiskError)
    /// The journal is closed, with an error if it was not clean.
    case closed(DiskError?)
}

/// Which events should be stated again, so that the segment with their statements can be retired.
package struct CarryRequest: Sendable, Equatable {
    /// Those stated before this record.
    let before: SequenceNumber
    /// Whether settled ones are forgotten instead: there is no room for what is past.
    let forgetsSettled: Bool
}

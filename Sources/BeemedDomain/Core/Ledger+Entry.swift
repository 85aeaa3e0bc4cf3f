extension Ledger.Entry {
    /// The record that names its current goal.
    var goalNamedBy: SequenceNumber { recorded.movedBy ?? number }

    /// Whether Beeminder may have its datapoint: an attempt that was answered clearly, and did not
    /// store it, does not count.
    var mayHaveArrived: Bool { hasArrived || isDoubtful }

    /// Whether the user has undone the event, also if Beeminder may still have it, or if it is only
    /// left out of a merged datapoint.
    var isTakenBack: Bool {
        progress == .erasing || progress == .undone || recorded.isLeftOut
    }
}

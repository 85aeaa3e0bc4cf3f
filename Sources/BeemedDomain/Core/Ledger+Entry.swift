extension Ledger.Entry {
    /// The goal to which a request about it goes, by the name in the record: the one that it must
    /// leave first, if it was moved.
    var sentTo: GoalSlug { recorded.leaving ?? goal }

    /// The record that names its current goal.
    var goalNamedBy: SequenceNumber { recorded.movedBy ?? number }

    /// Whether the user has undone it, also if Beeminder may still have it, or it is only left out
    /// of a merged datapoint.
    var isTakenBack: Bool {
        progress == .erasing || progress == .settled(.undone) || recorded.isLeftOut
    }
}

/// Knowledge of presses besides their records. The guards and the merging of presets, and
/// today's totals, are decided by it.
struct CountingState: Sendable {
    /// The datapoints that more presses may join.
    var windows = MergeWindows()
    /// The presses of each merged datapoint.
    var groups = MergeGroups()
    /// When the revised values of days are sent.
    var revisions = RevisionPace()
    /// The presses that each device has logged and that are not sent.
    var discardQuota = DeviceQuota()

    /// Whether a press left a datapoint that Beeminder has not received without it.
    func hasUnsentRemoval(_ leader: Ledger.Entry) -> Bool {
        groups[leader.number].map { $0.lastRemoval > leader.recorded.shown } ?? false
    }

    /// Whether a datapoint has changes that are not sent, or a new value that is not durable.
    func hasChanges(_ entry: Ledger.Entry) -> Bool {
        hasUnsentRemoval(entry) || revisions[entry.number].requested != nil
    }
}

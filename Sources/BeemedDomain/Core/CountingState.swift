/// What is known of presses besides their records. The guards and the merging of presets, and
/// today's totals, are decided by it.
struct CountingState: Sendable {
    /// What Beeminder's lists have shown of presses.
    var listings: [SequenceNumber: Listing] = [:]
    /// Presses that no guard keeps from being sent, until that decision is durable.
    var decided: Set<SequenceNumber> = []
    /// The datapoints that more presses may join.
    var windows = MergeWindows()
    /// The presses of each merged datapoint.
    var groups = MergeGroups()
    /// When the revised values of days are sent.
    var revisions = RevisionPace()
    /// The presses that each device has logged and that are not sent.
    var unsent = DeviceQuota()
}

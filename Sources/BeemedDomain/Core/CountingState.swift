/// The presses that count for each goal and day. The guards and the merging of presets, and today's
/// totals, are decided by them.
struct CountingState: Sendable {
    /// The presses of late, by goal.
    var totals = DailyTotals()
    /// When each preset was used.
    var uses = PresetUses()
    /// The datapoints that more presses may join.
    var windows = MergeWindows()
    /// The presses of each merged datapoint.
    var groups = MergeGroups()
    /// When the revised values of days are sent.
    var revisions = RevisionPace()
    /// Presses for which it is still open whether their presets' guards apply.
    var provisional: Set<SequenceNumber> = []
    /// The presses that each device has logged and that are not sent.
    var unsent = DeviceQuota()

    /// An event counts no longer.
    ///
    /// - Parameter goal: its goal's current name.
    mutating func discount(_ number: SequenceNumber, of preset: PresetName?, from goal: GoalSlug) {
        totals.remove(number, from: goal)
        if let preset { uses.remove(number, of: preset) }
    }
}

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

/// When each preset was used by a delivered or waiting press, for its guards.
struct PresetUses: Sendable {
    private struct Use: Sendable {
        var number: SequenceNumber
        var at: UnixTime
        /// Whether counting the press is undecided.
        var isProvisional: Bool
    }

    private var uses: [PresetName: [Use]] = [:]

    /// The maximum number of remembered uses of one preset.
    private static let most = 1_000

    /// Adds a use, or replaces its earlier entry.
    mutating func add(
        _ number: SequenceNumber, of preset: PresetName, at: UnixTime, isProvisional: Bool = false
    ) {
        let use = Use(number: number, at: at, isProvisional: isProvisional)
        uses[preset, default: []].put(use) { $0.number }
        if let count = uses[preset]?.count, count >= 2 * PresetUses.most {
            uses[preset]?.removeFirst(count - PresetUses.most)
        }
    }

    mutating func remove(_ number: SequenceNumber, of preset: PresetName) {
        guard let index = uses[preset]?.position(of: number, by: { $0.number }) else { return }
        uses[preset]?.remove(at: index)
    }

    /// Whether a press at that time is too close to another one that counts, before or after it.
    ///
    /// - Parameters:
    ///   - interval: the preset's `minimumInterval` in seconds.
    ///   - counts: whether a press is of the same user and goal: the preset may have had others.
    func isTooSoon(
        _ preset: PresetName, _ interval: Int64, at: UnixTime, counts: (SequenceNumber) -> Bool
    ) -> Bool {
        (uses[preset] ?? []).contains {
            !$0.isProvisional && abs($0.at.seconds - at.seconds) < interval && counts($0.number)
        }
    }

    /// Whether the preset was used on that day.
    ///
    /// - Parameter counts: as above.
    func isUsed(
        _ preset: PresetName, on day: Range<UnixTime>, counts: (SequenceNumber) -> Bool
    ) -> Bool {
        (uses[preset] ?? []).contains {
            !$0.isProvisional && day.contains($0.at) && counts($0.number)
        }
    }
}

/// When each preset was used: what its guards go by.
struct PresetUses: Sendable {
    private struct Use: Sendable {
        var number: SequenceNumber
        var at: UnixTime
    }

    private var uses: [PresetName: [Use]] = [:]

    /// Uses of one preset that stay known.
    private static let most = 1_000

    mutating func add(_ number: SequenceNumber, of preset: PresetName, at: UnixTime) {
        uses[preset, default: []].append(Use(number: number, at: at))
        if let count = uses[preset]?.count, count >= 2 * PresetUses.most {
            uses[preset]?.removeFirst(count - PresetUses.most)
        }
    }

    mutating func remove(_ number: SequenceNumber, of preset: PresetName) {
        uses[preset]?.removeAll { $0.number == number }
    }

    /// Whether a press at that time is one too many.
    func guards(_ rule: PressRule, at: UnixTime, _ day: Range<UnixTime>) -> Bool {
        (uses[rule.preset] ?? []).contains { use in
            if rule.oncePerDay, day.contains(use.at) { return true }
            guard let interval = rule.minimumInterval else { return false }
            return abs(use.at.seconds - at.seconds) < interval
        }
    }
}

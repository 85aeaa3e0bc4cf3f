/// The presses of each merged datapoint, by leader: their sum, and the part of the sum that
/// Beeminder has.
///
/// Every change has the number of the record that caused it. A datapoint sent when all records up
/// to `n` were durable includes every change up to `n`; later changes must still be sent. Both
/// numbers are in the journal, so a restart loses nothing.
struct MergeGroups: Sendable {
    /// A merged datapoint and its presses.
    struct Group: Sendable {
        /// The presses other than the leader that were not undone, in order. Some may not be
        /// durable yet.
        fileprivate(set) var parts: [SequenceNumber] = []
        /// The number of durable parts; only these count.
        fileprivate(set) var counted = 0
        /// The sum of their values.
        fileprivate(set) var sum = CompensatedSum()
        /// The last record that added a press.
        fileprivate(set) var joined = SequenceNumber(0)
        /// The last record that removed a press.
        fileprivate(set) var lowered = SequenceNumber(0)
        /// Beeminder has every change up to this record.
        fileprivate(set) var shown = SequenceNumber(0)

        /// Whether Beeminder has not received every change.
        var isStale: Bool { max(joined, lowered) > shown }
        /// Whether a part is not durable yet.
        var isGrowing: Bool { counted < parts.count }
    }

    private var groups: [SequenceNumber: Group] = [:]

    subscript(_ leader: SequenceNumber) -> Group? { groups[leader] }

    /// The presses of a datapoint other than the leader, in order.
    func parts(of leader: SequenceNumber) -> [SequenceNumber] { groups[leader]?.parts ?? [] }

    /// Whether a datapoint has other presses than the leader, durable or not.
    func hasParts(_ leader: SequenceNumber) -> Bool { groups[leader]?.parts.isEmpty == false }

    /// Adds a press that is not durable yet.
    mutating func join(_ part: SequenceNumber, _ leader: SequenceNumber) {
        groups[leader, default: Group()].insert(part)
    }

    /// An added press is durable since that record, and counts.
    mutating func count(
        _ value: Double, in leader: SequenceNumber, since record: SequenceNumber
    ) {
        groups[leader]?.counted += 1
        groups[leader]?.sum.add(value)
        if let joined = groups[leader]?.joined { groups[leader]?.joined = max(joined, record) }
    }

    /// Removes a press that did not become durable.
    mutating func withdraw(_ part: SequenceNumber, from leader: SequenceNumber) {
        groups[leader]?.remove(part)
        if let group = groups[leader], group.parts.isEmpty, !group.isStale { remove(leader) }
    }

    /// A press that counted was undone by that record.
    mutating func undo(
        _ part: SequenceNumber, _ value: Double, _ leader: SequenceNumber,
        by record: SequenceNumber
    ) {
        guard leave(part, value, leader) else { return }
        lower(leader, by: record)
    }

    /// That record removed a press from the datapoint.
    mutating func lower(_ leader: SequenceNumber, by record: SequenceNumber) {
        guard let lowered = groups[leader]?.lowered else { return }
        groups[leader]?.lowered = max(lowered, record)
    }

    /// Beeminder refused to add a press to the datapoint, which never included it.
    ///
    /// - Parameter joined: the last record that added one of the others.
    mutating func refuse(
        _ part: SequenceNumber, _ value: Double, _ leader: SequenceNumber, joined: SequenceNumber
    ) {
        if leave(part, value, leader) { groups[leader]?.joined = joined }
    }

    private mutating func leave(
        _ part: SequenceNumber, _ value: Double, _ leader: SequenceNumber
    ) -> Bool {
        guard groups[leader]?.remove(part) == true else { return false }
        groups[leader]?.counted -= 1
        groups[leader]?.sum.subtract(value)
        return true
    }

    /// A press belonged to the datapoint in an earlier process, but no longer.
    mutating func restore(_ leader: SequenceNumber) {
        if groups[leader] == nil { groups[leader] = Group() }
    }

    /// Beeminder's datapoint includes every change up to that record.
    mutating func show(_ leader: SequenceNumber, through record: SequenceNumber) {
        guard let shown = groups[leader]?.shown else { return }
        groups[leader]?.shown = max(shown, record)
    }

    /// The datapoint is deleted or forgotten.
    mutating func remove(_ leader: SequenceNumber) {
        groups[leader] = nil
    }
}

extension MergeGroups.Group {
    fileprivate mutating func insert(_ part: SequenceNumber) {
        let index = index(of: part)
        if index == parts.count || parts[index] != part { parts.insert(part, at: index) }
    }

    /// - Returns: whether the press was there.
    @discardableResult
    fileprivate mutating func remove(_ part: SequenceNumber) -> Bool {
        let index = index(of: part)
        guard index < parts.count, parts[index] == part else { return false }
        parts.remove(at: index)
        return true
    }

    private func index(of part: SequenceNumber) -> Int {
        parts.partitioningIndex { $0 >= part }
    }
}

/// A running sum of values that are added and removed in any order.
///
/// It keeps the rounding error of each addition (Knuth, volume 2, section 4.2.2, "TwoSum"), so that
/// ten thousand presses of 0.1 and their undos give the same as one sum over the rest.
struct CompensatedSum: Sendable, Equatable {
    private var sum = 0.0
    private var error = 0.0

    mutating func add(_ value: Double) {
        let total = sum + value
        let rounded = total - sum
        error += (sum - (total - rounded)) + (value - rounded)
        sum = total
    }

    mutating func subtract(_ value: Double) {
        add(-value)
    }

    /// The sum in 15 significant digits, which a `Double` keeps for every decimal number: three
    /// presses of 0.1 are 0.3.
    var value: Double {
        let total = sum + error
        guard total != 0, total.isFinite else { return total }
        let digits = 15 - Int(total.magnitude.logarithm10.rounded(.up))
        guard (1...300).contains(digits) else { return total }
        let scale = CompensatedSum.power(of: digits)
        return (total * scale).isFinite ? (total * scale).rounded() / scale : total
    }

    private static func power(of digits: Int) -> Double {
        (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    }
}

extension Double {
    /// The decimal logarithm of a positive number, to about one unit: enough to count digits.
    fileprivate var logarithm10: Double {
        (Double(exponent) + (significand - 1)) * 0.301_029_995_663_981_2
    }
}

/// Datapoints to which presses may still be added. The first press of a preset with `mergeSeconds`
/// opens a window; the datapoint is sent when the window closes.
struct MergeWindows: Sendable {
    /// A datapoint that more presses may join.
    struct Window: Sendable {
        let leader: SequenceNumber
        let goal: GoalSlug
        /// When the first press happened.
        let at: UnixTime
        /// The goal's day: a datapoint belongs to one day.
        let day: Range<UnixTime>
        fileprivate(set) var closes: Monotonic
        fileprivate(set) var presses = 1
    }

    /// Presses with the same key are merged.
    private struct Key: Hashable, Sendable {
        var preset: PresetName
        var goal: GoalSlug

        init?(_ event: Event) {
            guard let preset = event.preset else { return nil }
            (self.preset, goal) = (preset, event.goal)
        }
    }

    private var windows: [Key: Window] = [:]
    private var keys: [SequenceNumber: Key] = [:]
    /// When the first window closes; nil when none is open.
    private(set) var nextClose: Monotonic?

    /// The maximum number of presses of one datapoint: limits the cost of an undo or restart.
    static let maxPresses = 5_000

    /// The datapoint to which this press can be added.
    func leader(for event: Event, seconds: Int64, at now: Monotonic) -> SequenceNumber? {
        guard let key = Key(event), let window = windows[key], now < window.closes,
            window.day.contains(event.at), window.presses < MergeWindows.maxPresses,
            abs(event.at.seconds - window.at.seconds) <= seconds
        else { return nil }
        return window.leader
    }

    /// Counts a press that was added to a datapoint.
    mutating func join(_ leader: SequenceNumber) {
        if let key = keys[leader] { windows[key]?.presses += 1 }
    }

    /// Opens a window: other presses may be added to this one until then.
    ///
    /// - Returns: the leader of the window that this one replaces.
    mutating func open(
        _ leader: SequenceNumber, _ event: Event, day: Range<UnixTime>, until closes: Monotonic
    ) -> SequenceNumber? {
        guard let key = Key(event) else { return nil }
        let window = Window(
            leader: leader, goal: event.goal, at: event.at, day: day, closes: closes)
        let before = windows.updateValue(window, forKey: key)?.leader
        if let before { keys[before] = nil }
        keys[leader] = key
        nextClose = Monotonic.soonest(nextClose, closes)
        return before
    }

    /// All open windows, by leader.
    var all: [Window] { windows.values.sorted { $0.leader < $1.leader } }

    /// The leaders of all open windows.
    var leaders: [SequenceNumber] { Array(keys.keys) }

    /// The first leader of an open window.
    var firstLeader: SequenceNumber? { keys.keys.min() }

    func isOpen(_ leader: SequenceNumber) -> Bool { keys[leader] != nil }

    /// Closes the window of that leader, if it is open.
    ///
    /// - Returns: whether it was open.
    @discardableResult
    mutating func close(_ leader: SequenceNumber) -> Bool {
        guard let key = keys.removeValue(forKey: leader) else { return false }
        windows[key] = nil
        nextClose = windows.values.map(\.closes).min()
        return true
    }

    /// Closes the windows whose time is over.
    ///
    /// - Returns: their leaders, in order.
    mutating func close(at now: Monotonic) -> [SequenceNumber] {
        guard let nextClose, nextClose <= now else { return [] }
        let leaders = windows.values.filter { $0.closes <= now }.map(\.leader).sorted()
        for leader in leaders { close(leader) }
        return leaders
    }

    /// Closes all windows.
    ///
    /// - Returns: their leaders, in order.
    mutating func closeAll() -> [SequenceNumber] {
        let leaders = keys.keys.sorted()
        self = MergeWindows()
        return leaders
    }

    /// Shortens windows to the latest time that their goals allow.
    mutating func hasten(_ latest: (GoalSlug) -> Monotonic?) {
        for (key, window) in windows {
            guard let latest = latest(key.goal), latest < window.closes else { continue }
            windows[key]?.closes = latest
            nextClose = Monotonic.soonest(nextClose, latest)
        }
    }
}

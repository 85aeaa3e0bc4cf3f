/// The presses of each merged datapoint, by leader.
///
/// A datapoint is sent only when every press that joined it is durable, so later only an undo
/// changes it. A removal has the number of the record that caused it. A datapoint sent when all
/// records up to `n` were durable is without every press removed up to `n` (`RecordedState.shown`);
/// later removals must still be sent. Both numbers are in the journal, so a restart loses nothing.
struct MergeGroups: Sendable {
    /// A merged datapoint and its presses.
    struct Group: Sendable {
        /// The presses other than the leader that were not undone, in order. Some may not be
        /// durable yet.
        fileprivate(set) var parts: [SequenceNumber] = []
        /// The last record that removed a press.
        fileprivate(set) var lastRemoval = SequenceNumber(0)
    }

    private var groups: [SequenceNumber: Group] = [:]

    subscript(_ leader: SequenceNumber) -> Group? { groups[leader] }

    /// The presses of a datapoint other than the leader, in order.
    func parts(of leader: SequenceNumber) -> [SequenceNumber] { groups[leader]?.parts ?? [] }

    /// Whether a datapoint has other presses than the leader, durable or not.
    func hasParts(_ leader: SequenceNumber) -> Bool { groups[leader]?.parts.isEmpty == false }

    /// Adds a press.
    mutating func join(_ part: SequenceNumber, _ leader: SequenceNumber) {
        groups[leader, default: Group()].parts.put(part) { $0 }
    }

    /// Removes a press that did not become durable.
    mutating func withdraw(_ part: SequenceNumber, from leader: SequenceNumber) {
        groups[leader]?.remove(part)
        if let group = groups[leader], group.parts.isEmpty, group.lastRemoval == SequenceNumber(0) {
            remove(leader)
        }
    }

    /// A press that counted was undone by that record.
    mutating func undo(
        _ part: SequenceNumber, _ leader: SequenceNumber, by record: SequenceNumber
    ) {
        if groups[leader]?.remove(part) == true { recordRemoval(leader, by: record) }
    }

    /// That record removed a press from the datapoint.
    mutating func recordRemoval(_ leader: SequenceNumber, by record: SequenceNumber) {
        let last = groups[leader]?.lastRemoval ?? record
        groups[leader, default: Group()].lastRemoval = max(last, record)
    }

    /// The datapoint is deleted or forgotten.
    mutating func remove(_ leader: SequenceNumber) {
        groups[leader] = nil
    }
}

extension MergeGroups.Group {
    /// - Returns: whether the press was there.
    @discardableResult
    fileprivate mutating func remove(_ part: SequenceNumber) -> Bool {
        guard let index = parts.position(of: part, by: { $0 }) else { return false }
        parts.remove(at: index)
        return true
    }
}

/// A sum of many values.
///
/// It keeps the rounding error of each addition (Knuth, volume 2, section 4.2.2, "TwoSum"), so that
/// ten thousand presses of 0.1 are 1,000.
struct CompensatedSum: Sendable, Equatable {
    private var sum = 0.0
    private var error = 0.0

    mutating func add(_ value: Double) {
        let total = sum + value
        let rounded = total - sum
        error += (sum - (total - rounded)) + (value - rounded)
        sum = total
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

    /// The maximum number of presses of one datapoint: limits the cost of an undo or restart.
    static let maxPresses = 5_000

    /// Whether no window is open.
    var isEmpty: Bool { windows.isEmpty }

    /// All open windows, by leader.
    var all: [Window] { windows.values.sorted { $0.leader < $1.leader } }

    /// When the first window closes; nil when none is open.
    var nextClose: Monotonic? { windows.values.lazy.map(\.closes).min() }

    /// The datapoint to which this press can be added.
    func leader(for event: Event, seconds: Int64, at now: Monotonic) -> SequenceNumber? {
        guard let key = Key(event), let window = windows[key], now < window.closes,
            window.day.contains(event.at), window.presses < MergeWindows.maxPresses,
            abs(event.at.seconds - window.at.seconds) <= seconds
        else { return nil }
        return window.leader
    }

    /// Counts a press that was added to the datapoint of its window.
    mutating func join(_ event: Event) {
        if let key = Key(event) { windows[key]?.presses += 1 }
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
        return windows.updateValue(window, forKey: key)?.leader
    }

    func isOpen(_ leader: SequenceNumber) -> Bool { key(of: leader) != nil }

    private func key(of leader: SequenceNumber) -> Key? {
        windows.first { $0.value.leader == leader }?.key
    }

    /// Closes the window of that leader, if it is open.
    ///
    /// - Returns: whether it was open.
    @discardableResult
    mutating func close(_ leader: SequenceNumber) -> Bool {
        key(of: leader).flatMap { windows.removeValue(forKey: $0) } != nil
    }

    /// Closes the windows whose time is over.
    ///
    /// - Returns: their leaders, in order.
    mutating func close(at now: Monotonic) -> [SequenceNumber] {
        let over = windows.values.filter { $0.closes <= now }.map(\.leader).sorted()
        for leader in over { close(leader) }
        return over
    }

    /// Shortens windows to the latest time that their goals allow.
    mutating func hasten(_ latest: (GoalSlug) -> Monotonic?) {
        for (key, window) in windows {
            guard let latest = latest(key.goal), latest < window.closes else { continue }
            windows[key]?.closes = latest
        }
    }
}

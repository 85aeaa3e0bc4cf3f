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

/// The datapoints that more presses may join: the first press of a preset with `mergeSeconds` leads a
/// datapoint, and opens a window in which others become its parts. The datapoint is sent when the
/// window closes.
///
/// A datapoint is sent only when every press that joined it is durable, so later only an undo
/// changes it. A removal has the number of the record that caused it. A datapoint sent when all
/// records up to `n` were durable is without every press removed up to `n` (`RecordedState.shown`);
/// later removals must still be sent. Both numbers are in the journal, so a restart loses nothing.
struct Merging: Sendable {
    /// A datapoint that more presses may join.
    private struct Window: Sendable {
        let leader: SequenceNumber
        /// When the first press happened.
        let at: UnixTime
        /// The goal's day: a datapoint belongs to one day.
        let day: Range<UnixTime>
        var closes: Monotonic
        var presses = 1
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
    private static let maxPresses = 5_000

    /// Whether no window is open.
    var isClosed: Bool { windows.isEmpty }

    /// The datapoints whose windows are open, in order.
    var open: [SequenceNumber] { windows.values.map(\.leader).sorted() }

    /// When the first window closes; nil when none is open.
    var nextClose: Monotonic? { windows.values.lazy.map(\.closes).min() }

    /// Whether more presses may join a datapoint.
    func isOpen(_ leader: SequenceNumber) -> Bool { key(of: leader) != nil }

    private func key(of leader: SequenceNumber) -> Key? {
        windows.first { $0.value.leader == leader }?.key
    }

    /// A press joins the datapoint of its window.
    ///
    /// - Parameter seconds: how far the press may be from the first one.
    /// - Returns: the datapoint's leader; nil when there is none that the press may join.
    mutating func join(
        _ event: Event, seconds: Int64, at now: Monotonic
    ) -> SequenceNumber? {
        guard let key = Key(event), let window = windows[key], now < window.closes,
            window.day.contains(event.at), window.presses < Merging.maxPresses,
            abs(event.at.seconds - window.at.seconds) <= seconds
        else { return nil }
        windows[key]?.presses += 1
        return window.leader
    }

    /// Opens a window: other presses may be added to this one until then.
    ///
    /// - Returns: the leader of the window that this one replaces.
    mutating func open(
        _ leader: SequenceNumber, _ event: Event, day: Range<UnixTime>, until closes: Monotonic
    ) -> SequenceNumber? {
        guard let key = Key(event) else { return nil }
        let window = Window(
            leader: leader, at: event.at, day: day, closes: closes)
        return windows.updateValue(window, forKey: key)?.leader
    }

    /// Closes the window of that leader, if it is open.
    @discardableResult
    mutating func close(_ leader: SequenceNumber) -> Bool {
        key(of: leader).flatMap { windows.removeValue(forKey: $0) } != nil
    }

    /// Closes the windows whose time is over.
    ///
    /// - Returns: their leaders, in order.
    mutating func close(at now: Monotonic) -> [SequenceNumber] {
        close { $1.closes <= now }
    }

    /// Goals may derail earlier than when their windows were opened, or have other days: then no
    /// press joins any more, as it may be of another day than the first one.
    ///
    /// - Parameters:
    ///   - latest: the latest time that a goal allows.
    ///   - day: the day of a goal around a moment.
    /// - Returns: the leaders of windows that are closed, in order.
    mutating func hasten(
        _ latest: (GoalSlug) -> Monotonic?, day: (GoalSlug, UnixTime) -> Range<UnixTime>
    ) -> [SequenceNumber] {
        for (key, window) in windows {
            guard let latest = latest(key.goal), latest < window.closes else { continue }
            windows[key]?.closes = latest
        }
        return close { day($0.goal, $1.at) != $1.day }
    }

    private mutating func close(_ isOver: (Key, Window) -> Bool) -> [SequenceNumber] {
        let over = windows.filter { isOver($0.key, $0.value) }
        for key in over.keys { windows[key] = nil }
        return over.values.map(\.leader).sorted()
    }
}

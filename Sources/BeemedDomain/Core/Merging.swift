/// The datapoints of several presses, by leader: the first press of a preset with `mergeSeconds`
/// leads a datapoint, and opens a window in which others become its parts. The datapoint is sent
/// when the window closes.
///
/// A datapoint is sent only when every press that joined it is durable, so later only an undo
/// changes it. A removal has the number of the record that caused it. A datapoint sent when all
/// records up to `n` were durable is without every press removed up to `n` (`RecordedState.shown`);
/// later removals must still be sent. Both numbers are in the journal, so a restart loses nothing.
struct Merging: Sendable {
    /// A merged datapoint and its presses.
    struct Group: Sendable {
        /// The presses other than the leader that were not undone, in order. Some may not be
        /// durable yet.
        fileprivate(set) var parts: [SequenceNumber] = []
        /// The last record that removed a press.
        fileprivate(set) var lastRemoval = SequenceNumber(0)

        /// - Returns: whether the press was there.
        @discardableResult
        fileprivate mutating func remove(_ part: SequenceNumber) -> Bool {
            guard let index = parts.position(of: part, by: { $0 }) else { return false }
            parts.remove(at: index)
            return true
        }
    }

    /// A datapoint that more presses may join.
    private struct Window: Sendable {
        let leader: SequenceNumber
        let goal: GoalSlug
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

    private var groups: [SequenceNumber: Group] = [:]
    private var windows: [Key: Window] = [:]

    /// The maximum number of presses of one datapoint: limits the cost of an undo or restart.
    private static let maxPresses = 5_000

    // MARK: Datapoints

    subscript(_ leader: SequenceNumber) -> Group? { groups[leader] }

    /// The presses of a datapoint other than the leader, in order.
    func parts(of leader: SequenceNumber) -> [SequenceNumber] { groups[leader]?.parts ?? [] }

    /// Whether a datapoint has other presses than the leader, durable or not.
    func hasParts(_ leader: SequenceNumber) -> Bool { groups[leader]?.parts.isEmpty == false }

    /// Whether a press left a datapoint that Beeminder has not received without it.
    func hasUnsentRemoval(_ leader: Ledger.Entry) -> Bool {
        groups[leader.number].map { $0.lastRemoval > leader.recorded.shown } ?? false
    }

    /// Whether no press counts in the datapoint any more: then it must be deleted. Its window was
    /// closed when its leader was undone, so no press can join.
    func isDeserted(_ leader: Ledger.Entry) -> Bool {
        leader.recorded.isLeftOut && !hasParts(leader.number)
    }

    /// Whether a datapoint has arrived, or may have, with a press that was removed.
    func needsResending(_ leader: Ledger.Entry) -> Bool {
        guard leader.progress != .undone, !leader.isRefused else { return false }
        return leader.mayBeThere && hasUnsentRemoval(leader)
    }

    /// Whether an event is to be sent or deleted. While a command for it is not durable, the event
    /// is in no queue.
    func isToBeSent(_ entry: Ledger.Entry) -> Bool {
        guard entry.command == nil else { return false }
        return entry.isOpen || needsResending(entry) || !entry.recorded.leaving.isEmpty
    }

    /// A press that was to join or lead a datapoint did not become durable.
    mutating func withdraw(_ press: Ledger.Entry) {
        guard let leader = press.leader else {
            close(press.number)
            remove(press.number)
            return
        }
        groups[leader]?.remove(press.number)
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
    ///
    /// - Returns: its presses other than the leader.
    @discardableResult
    mutating func remove(_ leader: SequenceNumber) -> [SequenceNumber] {
        groups.removeValue(forKey: leader)?.parts ?? []
    }

    /// Restores the datapoint of a press from the journal.
    mutating func restore(_ part: Ledger.Entry, of lead: Ledger.Entry) {
        if part.progress == .undone {
            recordRemoval(lead.number, by: part.recorded.last)
        } else {
            groups[lead.number, default: Group()].parts.put(part.number) { $0 }
        }
        if let record = lead.recorded.leftOut { recordRemoval(lead.number, by: record) }
    }

    // MARK: Windows

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

    /// Adds a press to the datapoint of its window.
    ///
    /// - Parameter seconds: how far the press may be from the first one.
    /// - Returns: the datapoint's leader; nil when there is none that the press may join.
    mutating func join(
        _ event: Event, _ number: SequenceNumber, seconds: Int64, at now: Monotonic
    ) -> SequenceNumber? {
        guard let key = Key(event), let window = windows[key], now < window.closes,
            window.day.contains(event.at), window.presses < Merging.maxPresses,
            abs(event.at.seconds - window.at.seconds) <= seconds
        else { return nil }
        windows[key]?.presses += 1
        groups[window.leader, default: Group()].parts.put(number) { $0 }
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
            leader: leader, goal: event.goal, at: event.at, day: day, closes: closes)
        return windows.updateValue(window, forKey: key)?.leader
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
        close { $0.closes <= now }
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
        return close { day($0.goal, $0.at) != $0.day }
    }

    private mutating func close(_ isOver: (Window) -> Bool) -> [SequenceNumber] {
        let over = windows.values.filter(isOver).map(\.leader).sorted()
        for leader in over { close(leader) }
        return over
    }
}

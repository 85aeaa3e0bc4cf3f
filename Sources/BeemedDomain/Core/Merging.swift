/// Presses of a tally clicker that become one datapoint: who leads it, who is a part of it, and
/// until when others may join.
struct Merging: Sendable {
    /// A datapoint that others may still join.
    private struct Window: Sendable {
        var leader: SequenceNumber
        var at: UnixTime
        var day: Range<UnixTime>
        var closes: Monotonic
    }

    /// Whose presses go together.
    private struct Key: Hashable, Sendable {
        var preset: PresetName
        var goal: GoalSlug
        var connection: ConnectionName?

        init?(_ event: Event) {
            guard let preset = event.preset else { return nil }
            (self.preset, goal, connection) = (preset, event.goal, event.connection)
        }
    }

    private var windows: [Key: Window] = [:]
    private var parts: [SequenceNumber: [SequenceNumber]] = [:]

    /// The datapoint that this press can become a part of.
    func leader(
        for event: Event, _ rule: PressRule, at now: Monotonic
    ) -> SequenceNumber? {
        guard let seconds = rule.mergeSeconds, let key = Key(event), let window = windows[key],
            now < window.closes, window.day.contains(event.at),
            abs(event.at.seconds - window.at.seconds) <= seconds
        else { return nil }
        return window.leader
    }

    /// Others may join this one for so many seconds.
    ///
    /// - Returns: the leader of the window that this one takes the place of.
    mutating func open(
        _ leader: SequenceNumber, _ event: Event, seconds: Int64, day: Range<UnixTime>,
        at now: Monotonic
    ) -> SequenceNumber? {
        guard let key = Key(event) else { return nil }
        let before = windows.updateValue(
            Window(
                leader: leader, at: event.at, day: day,
                closes: now.adding(seconds: Double(seconds))), forKey: key)
        return before?.leader
    }

    mutating func join(_ number: SequenceNumber, _ leader: SequenceNumber) {
        parts[leader, default: []].append(number)
    }

    mutating func leave(_ number: SequenceNumber, _ leader: SequenceNumber) {
        parts[leader]?.removeAll { $0 == number }
        if parts[leader]?.isEmpty == true { parts[leader] = nil }
    }

    /// The other presses of a leader's datapoint, in order.
    func parts(of leader: SequenceNumber) -> [SequenceNumber] { parts[leader] ?? [] }

    func isOpen(_ leader: SequenceNumber) -> Bool {
        windows.values.contains { $0.leader == leader }
    }

    /// The leaders of all open windows.
    var openLeaders: [SequenceNumber] { windows.values.map(\.leader) }

    /// Nobody can join any more that has not joined by now.
    ///
    /// - Returns: the leaders of the windows that have closed.
    mutating func close(at now: Monotonic) -> [SequenceNumber] {
        guard let next = nextClose, next <= now else { return [] }
        let closed = windows.filter { $0.value.closes <= now }
        for key in closed.keys { windows[key] = nil }
        return closed.values.map(\.leader).sorted()
    }

    /// Nobody can join this one any more: it is gone.
    mutating func dissolve(_ leader: SequenceNumber) {
        for (key, window) in windows where window.leader == leader { windows[key] = nil }
        parts[leader] = nil
    }

    var nextClose: Monotonic? { windows.values.map(\.closes).min() }
}

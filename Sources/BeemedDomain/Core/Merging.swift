/// Datapoints of several presses. The first press of a preset with `mergeSeconds` leads a datapoint,
/// and opens a window in which others become its parts (`PresetRules`). When the window closes, the
/// sum of those that count is sent under the leader's request id (`Reconciliation.amount`).
///
/// An undo takes one press out of the sum: a part is recorded as `undone`, a leader as `leftOut`, and
/// its datapoint goes on without it. Each removal has the number of its record. A datapoint that was
/// sent when all records up to `n` were durable is without every press removed up to `n`
/// (`RecordedState.shown`); later removals are sent once more with what is left, and the same request
/// id replaces the value (Beeminder API reference, "requestid"). When no press is left, the datapoint
/// is deleted. All of these numbers are in the journal, so a restart loses nothing.
struct Merging {
    let core: RelayCore

    // MARK: Windows

    /// Goals may derail earlier than when windows were opened, or have other days.
    func hastenWindows(_ now: Moment) {
        let closed = core.windows.hasten(
            { core.goals.latestClose(for: $0, now) }, day: core.days.day)
        for leader in closed { scheduleLeader(leader) }
    }

    /// Closes the window of an event's datapoint.
    func closeWindow(of entry: Ledger.Entry) {
        let leader = entry.leader ?? entry.number
        if core.windows.close(leader) { scheduleLeader(leader) }
    }

    func scheduleLeader(_ leader: SequenceNumber) {
        if let entry = core.ledger[leader], entry.isOpen { core.schedule(entry) }
    }

    // MARK: Removals and outcomes

    /// The record of a removal is durable: the datapoint is sent again or deleted, if Beeminder may
    /// have it, or else has come to nothing.
    func amend(_ number: SequenceNumber, _ effects: inout Effects) {
        guard let leader = core.ledger[number] else { return }
        let isDeserted = leader.isDeserted
        if isDeserted, leader.recorded.leaving.isEmpty,
            leader.isRefused || leader.isOpen, !leader.mayBeThere
        {
            return core.journal(.undone(of: number), &effects)
        }
        if isDeserted || leader.needsResending { core.schedule(leader) }
    }

    /// Beeminder has a datapoint: its parts are delivered with it.
    func markDelivered(_ number: SequenceNumber) {
        for part in core.ledger[number]?.parts ?? [] {
            guard let entry = core.ledger[part], entry.progress == .pending else { continue }
            core.ledger.follow(part, .merged(into: number), to: entry.recorded.goal)
        }
    }

    /// The parts of a datapoint get the outcome of their leader: they are refused visibly and sent
    /// again with it.
    func followLeader(_ leader: Ledger.Entry) {
        guard !leader.parts.isEmpty else { return }
        let settlement = leader.isRefused ? leader.recorded.settlement : nil
        for part in leader.parts {
            guard let entry = core.ledger[part] else { continue }
            guard entry.isRefused || entry.progress == .pending else { continue }
            entry.observations.listing = nil
            core.ledger.follow(part, settlement, to: leader.recorded.goal)
        }
    }
}

/// The datapoints that more presses may join. A datapoint is sent only when every press that joined it
/// is durable, so later only an undo changes it.
struct MergeWindows: Sendable {
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
            window.day.contains(event.at), window.presses < MergeWindows.maxPresses,
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

extension GoalBook {
    /// A window closes this many seconds before its goal derails, to leave time for several
    /// attempts.
    private static let mergeMarginSeconds: Int64 = 900

    /// When windows of this goal must be closed; nil when its deadline is unknown, or has passed
    /// and the next one is not known yet.
    func latestClose(for goal: GoalSlug, _ now: Moment) -> Monotonic? {
        guard let losedate = self[current(goal)]?.losedate, losedate > now.wall.seconds else {
            return nil
        }
        let seconds = losedate - now.wall.seconds - GoalBook.mergeMarginSeconds
        return now.monotonic.adding(seconds: Double(seconds))
    }
}

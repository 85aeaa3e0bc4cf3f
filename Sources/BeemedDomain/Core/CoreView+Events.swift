/// Events as people and devices see them.
extension CoreView {
    /// The event of that key.
    package func event(_ key: EventKey) -> EventView? {
        guard let entry = core.ledger[key], entry.progress != .uncommitted else { return nil }
        return shown(entry)
    }

    /// The newest event with this id of any device of this name, also of a removed device.
    package func newestEvent(of device: DeviceName, _ id: EventID) -> EventView? {
        core.ledger.newestFirst().first { entry in
            entry.event.key.device == device && entry.event.key.id == id
                && entry.progress != .uncommitted
        }.map(shown)
    }

    /// An event for display.
    func shown(_ entry: Ledger.Entry) -> EventView {
        let queue = reconciliation.presentQueue(of: entry)
        let waits =
            entry.isOpen && !entry.awaitsTime && !core.account.isOther
            && core.waits[entry.number] != .goal
        var leader: EventKey?
        if case .merged(let number) = entry.event.part { leader = core.ledger[number]?.event.key }
        return EventView(
            number: entry.number, event: entry.event, recorded: entry.recorded,
            goal: core.goals.goal(of: entry), state: state(of: entry), attempts: entry.attempts,
            lastAttempt: entry.lastAttempt,
            lastError: lateWords(of: entry)
                ?? (entry.leader.flatMap { core.ledger[$0] } ?? entry).lastError,
            nextAttempt: waits ? nextAttempt(of: entry.number, in: queue) : nil,
            isBeingErased: isBeingErased(entry),
            isLeftBehind: reconciliation.leftBehind(by: entry) != nil,
            merges: entry.parts.prefix(CoreView.maxShownParts)
                .compactMap { core.ledger[$0]?.event.key },
            mergedInto: leader)
    }

    /// Why an event waits that has no error: for its goal, or for a request that may be applied late.
    private func lateWords(of entry: Ledger.Entry) -> String? {
        if let words = reconciliation.leftBehind(by: entry) { return words }
        if core.waits[entry.number] == .goal {
            return "its goal is in no list of goals, and another one has its name now: send it "
                + "there by a retry, or take it back"
        }
        guard core.waits[entry.number]?.time != nil,
            entry.isOpen || entry.isRefused || !entry.recorded.leaving.isEmpty,
            entry.restEnd(after: core.waits.now) == nil
        else { return nil }
        let goal = reconciliation.formerGoals(of: entry).first
            .map { reconciliation.queue(of: $0.goal, namedBy: $0.by) }
        return "an earlier request may still be applied at "
            + "'\(goal ?? reconciliation.queue(of: entry))': it is asked again later"
    }

    /// When an event is sent next; nil when unknown. An event that waits for a request that may be
    /// applied late is in no queue.
    private func nextAttempt(of number: SequenceNumber, in queue: GoalSlug) -> Monotonic? {
        let end = core.waits[number]?.time
        return core.delivery.nextAttempt(for: queue, after: end ?? Monotonic(milliseconds: .min))
            ?? end
    }

    /// The maximum number of parts of a merged datapoint that are listed.
    private static let maxShownParts = 100

    /// Whether Beeminder may still have an event that the user has undone.
    private func isBeingErased(_ entry: Ledger.Entry) -> Bool {
        if entry.progress == .erasing { return true }
        let leader = entry.leader ?? entry.number
        guard state(of: entry) == .undone, let datapoint = core.ledger[leader],
            datapoint.isMerged, datapoint.progress != .undone
        else { return false }
        // At a goal that the datapoint has left, an earlier content of it may be, or come yet.
        if !datapoint.recorded.leaving.isEmpty { return true }
        // Also before anything was sent: the rest is sent some day, and may get no answer then.
        return (entry.recorded.leftOut ?? entry.recorded.last) > datapoint.recorded.shown
    }

    /// Events, the newest first.
    ///
    /// - Parameters:
    ///   - before: only those with a smaller number; nil begins with the newest.
    ///   - limit: the maximum number.
    /// - Returns: the events, and where the next page begins; nil at the end. A page may be short
    ///   or empty before the end, so that no request waits for a long search.
    package func events(
        _ filter: EventFilter, before: SequenceNumber?, limit: Int
    ) -> (events: [EventView], next: SequenceNumber?) {
        var found: [EventView] = []
        var steps = CoreView.maxSteps
        var last = before
        for entry in core.ledger.newestFirst(before: before) {
            if found.count == limit || steps <= 0 { return (found, last) }
            last = entry.number
            steps -= 1
            if let view = listed(entry, filter) {
                steps -= filter.text?.steps(for: view) ?? 0
                if filter.matches(view) { found.append(view) }
            }
        }
        return (found, nil)
    }

    /// An event, if the filter may take it.
    private func listed(_ entry: Ledger.Entry, _ filter: EventFilter) -> EventView? {
        guard entry.progress != .uncommitted else { return nil }
        // Most entries differ in what costs less than a view.
        if let identity = filter.identity, entry.event.key.identity != identity { return nil }
        if let goal = filter.goal, entry.event.goal != goal, core.goals.goal(of: entry) != goal {
            return nil
        }
        if let states = filter.states, !states.contains(state(of: entry)) { return nil }
        return shown(entry)
    }

    /// The maximum number of events searched for one page.
    private static let maxSteps = 20_000

    // MARK: States

    /// The event's state, as the API reports it.
    func state(of entry: Ledger.Entry) -> EventState {
        if let state = finalState(of: entry) { return state }
        if let number = entry.leader, let leader = core.ledger[number] {
            return stateOfPart(of: leader)
        }
        return openState(of: entry)
    }

    /// The state of a part of the leader's datapoint.
    private func stateOfPart(of leader: Ledger.Entry) -> EventState {
        finalState(of: leader) == nil && openState(of: leader) == .held ? .held : .merged
    }

    /// The state of an event that is not to be sent; nil for any other.
    private func finalState(of entry: Ledger.Entry) -> EventState? {
        switch entry.progress {
        case .uncommitted: .queued
        case .erasing, .undone: .undone
        case .delivered: entry.recorded.isLeftOut ? .undone : .delivered
        case .refused: entry.recorded.isLeftOut ? .undone : .refused
        case .guarded: .guarded
        case .merged: .merged
        case .pending: nil
        }
    }

    /// The state of an event that is to be sent.
    private func openState(of entry: Ledger.Entry) -> EventState {
        if entry.recorded.isLeftOut { return .undone }
        if core.delivery.isInFlight(entry.number) { return .sending }
        if entry.awaitsEvaluation { return .held }
        let isHeld =
            entry.awaitsTime || core.account.isOther || core.waits[entry.number] == .goal
            || core.delivery.isHeld(reconciliation.presentQueue(of: entry))
        return isHeld ? .held : .queued
    }

    // MARK: Ids

    /// How long after its receipt a press can be undone without its id, in seconds.
    static let undoSeconds: Int64 = 600
    /// The maximum number of events searched.
    private static let maxLooks = 20_000

    /// The last press of a device to a goal, or of a preset, that was received within `undoSeconds`
    /// and is not undone yet. Guarded and refused presses count: the button was pressed.
    ///
    /// While an undo is not durable, its press is still the last one, so that the same command
    /// twice at once undoes a single press.
    ///
    /// - Parameter preset: only presses that used this preset; nil for all to the goal.
    package func lastPress(
        of device: DeviceIdentity, to goal: GoalSlug, preset: PresetName?, at now: Moment
    ) -> EventKey? {
        let goal = core.goals.current(goal)
        for entry in core.ledger.newestFirst().prefix(CoreView.maxLooks) {
            guard milliseconds(since: entry.event, at: now) <= CoreView.undoSeconds * 1_000
            else { return nil }
            let isMeant =
                entry.event.key.identity == device
                && (preset.map { entry.event.preset == $0 } ?? (core.goals.goal(of: entry) == goal))
            if isMeant, !entry.isTakenBack { return entry.event.key }
        }
        return nil
    }

    /// How many milliseconds ago an event came: by the monotonic clock if there was no reboot
    /// since, as the clock may have been set in between.
    func milliseconds(since event: Event, at now: Moment) -> Int64 {
        let isThisBoot = event.arrival.boot == core.boot
        let passed = now.monotonic.milliseconds - event.arrival.monotonic.milliseconds
        let past = corrected(now).wall.seconds - event.arrival.wall.seconds
        return isThisBoot ? passed : past * 1_000
    }

    /// The events of other goals that have the same id of the same device, at the goals of the
    /// account: who names only the id may mean any of them.
    package func namesakes(of view: EventView) -> [EventView] {
        let key = view.event.key
        guard !key.id.hasGoal else { return [] }
        return core.goals.goals.compactMap { GoalSlug($0.slug) }
            .compactMap { event(EventKey(key.identity, key.id.within($0))) }
    }
}

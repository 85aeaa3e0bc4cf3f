/// Dry run: determines the reply to a press without recording anything.
extension RelayCore {
    /// The reply that a press would get.
    package enum Rehearsed: Sendable {
        case refused(Refusal)
        /// The press would be accepted, or is known already.
        case accepted(Event, state: EventState, isDuplicate: Bool)
    }

    /// The effects that earlier presses in the same request would have had.
    package struct Rehearsal: Sendable {
        fileprivate var events: [EventKey: Event] = [:]
        fileprivate var uses = PresetUses()
        /// The windows after those presses; nil while they changed none.
        fileprivate var windows: MergeWindows?

        /// How many windows they would have opened.
        fileprivate var opened: UInt64 = 0

        /// The state before the first press.
        package init() {}
    }

    /// Checks a press as `accept` does, but without the journal.
    ///
    /// - Parameter rehearsal: updated for the presses that follow.
    package func rehearse(
        _ press: Press, at reading: Moment, _ rehearsal: inout Rehearsal
    ) -> Rehearsed {
        let kept = clock
        defer { clock = kept }
        let now = clock.check(reading)
        var press = press
        if let repeated = repeated(&press, rehearsal) { return repeated }
        if delivery.remote != .notConnected, isUnknown(press.goal, at: now) {
            return .refused(unknownGoal(press.goal, suggests: press.wantsSuggestion))
        }
        switch consider(press, now, newID: { _ in EventID(random: 0, 0) }) {
        case .refused(let refusal): return .refused(refusal)
        case .sound(let event):
            if press.id != nil { rehearsal.events[event.key] = event }
            if let options = press.presetOptions,
                let by = guardian(of: event, options, rehearsal.uses)
            {
                let guarded = event.accepted(as: .guarded(by: by))
                return .accepted(guarded, state: .guarded, isDuplicate: false)
            }
            let state = rehearsedState(of: event, press.presetOptions, now, &rehearsal)
            return .accepted(event, state: state, isDuplicate: false)
        }
    }

    /// The answer to a press whose id is known, from the journal or from this rehearsal; else the
    /// press gets the id that it would have.
    private func repeated(_ press: inout Press, _ rehearsal: Rehearsal) -> Rehearsed? {
        guard let id = press.id else { return nil }
        switch find(id, of: press) {
        case .known(let known):
            return isRepeated(known, by: press)
                ? .accepted(known.event, state: state(of: known), isDuplicate: true)
                : .refused(.conflict(with: known.event))
        case .new(let new):
            let earlier = rehearsal.events[press.key(new)]
            press.id = earlier.map { $0.goal == press.goal } ?? true ? new : id.within(press.goal)
        }
        guard let known = press.id.flatMap({ rehearsal.events[press.key($0)] }) else { return nil }
        return known.isRepeated(by: press)
            ? .accepted(known, state: .queued, isDuplicate: true)
            : .refused(.conflict(with: known))
    }

    private func rehearsedState(
        of event: Event, _ options: PresetOptions?, _ now: Moment, _ rehearsal: inout Rehearsal
    ) -> EventState {
        if let options {
            rehearsal.uses.add(commits.next, of: options.preset, at: event.at)
        }
        if let options, isUndecided(options) { return .held }
        let isHeld = event.isTimeUnsure || delivery.isHeld(goals.current(event.goal))
        if let options, merges(event, options, now, &rehearsal) { return isHeld ? .held : .merged }
        return isHeld ? .held : .queued
    }

    /// Whether a press would join another datapoint; else it may open a window.
    private func merges(
        _ event: Event, _ options: PresetOptions, _ now: Moment, _ rehearsal: inout Rehearsal
    ) -> Bool {
        guard let seconds = options.mergeSeconds,
            let closes = windowEnd(for: event.goal, seconds, now)
        else { return false }
        var open = rehearsal.windows ?? counting.windows
        defer { rehearsal.windows = open }
        if open.leader(for: event, seconds: seconds, at: now.monotonic) != nil {
            open.join(event)
            return true
        }
        // A separate number that no event has yet.
        rehearsal.opened += 1
        let number = SequenceNumber(commits.next.value + rehearsal.opened)
        let day = day(of: event.goal, around: event.at)
        _ = open.open(number, event, day: day, until: closes)
        return false
    }

    /// The guard that would keep a press from being sent; nil when none would.
    private func guardian(
        of event: Event, _ options: PresetOptions, _ rehearsed: PresetUses
    ) -> PresetGuard? {
        if isTimeSure, let interval = options.minimumInterval,
            rehearsed.isTooSoon(options.preset, interval, at: event.at, counts: { _ in true })
        {
            return .minimumInterval(interval)
        }
        if options.oncePerDay, areDaysSure {
            let day = day(of: event.goal, around: event.at)
            if rehearsed.isUsed(options.preset, on: day, counts: { _ in true }) {
                return .oncePerDay
            }
        }
        guard case .guarded(let by)? = guarded(event, options)?.part else { return nil }
        return by
    }
}

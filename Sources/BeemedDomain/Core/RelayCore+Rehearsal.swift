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
        /// Events that have used a preset.
        fileprivate var uses: [Event] = []
        /// The state after those; nil before the first one.
        fileprivate var windows: MergeWindows?
        /// A number that no event has.
        fileprivate var number = SequenceNumber(1 << 62)

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
        var other = rehearsal.windows.take() ?? windows
        swap(&windows, &other)
        defer {
            clock = kept
            swap(&windows, &other)
            rehearsal.windows = other
        }
        let now = clock.evaluate(reading)
        var press = press
        if let repeated = repeated(&press, rehearsal) { return repeated }
        if delivery.remote == .notConnected { return .refused(.notConnected) }
        if lookup.isUnknown(press.goal, at: now) {
            return .refused(lookup.unknownGoal(press.goal, for: .press(press, now)))
        }
        do throws(Refusal) {
            var event = try consider(press, now, newID: { _ in EventID(random: 0, 0) })
            if press.id != nil { rehearsal.events[event.key] = event }
            rehearsal.number = rehearsal.number.next
            if let options = press.presetOptions {
                event =
                    presetRules.evaluate(
                        event, rehearsal.number, options, now, besides: rehearsal.uses
                    ).event
                if event.guardedBy == nil, !event.isUndecided { rehearsal.uses.append(event) }
            }
            return .accepted(event, state: rehearsedState(of: event), isDuplicate: false)
        } catch {
            return .refused(error)
        }
    }

    /// The answer to a press whose id is known, from the journal or from this rehearsal; else the
    /// press gets the id that it would have.
    private func repeated(_ press: inout Press, _ rehearsal: Rehearsal) -> Rehearsed? {
        guard let id = press.id else { return nil }
        switch find(id, of: press) {
        case .known(let known):
            return isRepeated(known, by: press)
                ? .accepted(known.event, state: view.state(of: known), isDuplicate: true)
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

    private func rehearsedState(of event: Event) -> EventState {
        if case .guarded = event.part { return .guarded }
        if event.isUndecided || event.arrival.isClockUnset
            || delivery.isHeld(goals.current(event.goal))
        {
            return .held
        }
        return if case .merged = event.part { .merged } else { .queued }
    }
}

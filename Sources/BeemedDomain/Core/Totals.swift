/// Totals of days: events whose value is revised. Only the newest value is delivered, when it has
/// changed.
package struct Totals {
    let core: RelayCore

    /// The effect that a total would have.
    private enum TotalDecision {
        /// Nothing is recorded.
        case none(Reply)
        /// The total is the first of its day.
        case first(Event)
        case unchanged(Ledger.Entry, since: SequenceNumber)
        case revision(Ledger.Entry)
    }

    func accept(
        _ total: DayTotal, _ replyID: ReplyID, _ now: Moment, _ effects: inout Effects
    ) {
        switch decide(total, now) {
        case .none(let reply): effects.reply(replyID, reply)
        case .first(let event):
            let number = core.commits.next
            core.ledger.add(event, number)
            core.commits.wait(replyID, for: .newEvent, of: number, until: number)
            core.journal(.put(event), &effects)
        case .unchanged(let known, let record):
            confirm(known, total.value, since: record, replyID, &effects)
        case .revision(let known):
            // A refusal of the former value, if it found no free space, must not follow the new
            // one.
            core.writeDeferred(&effects)
            let record = core.commits.next
            core.commits.wait(
                replyID, for: .total(.queued, value: total.value), of: known.number, until: record)
            let value = core.commits.requestedValue(of: known.number)?.value ?? known.value
            let mayLower = known.recorded.mayLower || total.value < value
            core.journal(
                .revise(of: known.number, value: total.value, mayLower: mayLower), &effects)
        }
    }

    /// The effect that a total would have. Records nothing.
    package func rehearse(_ total: DayTotal, at reading: Moment) -> Reply {
        let kept = core.clock
        defer { core.clock = kept }
        let now = core.clock.evaluate(reading)
        let state: TotalState
        switch decide(total, now) {
        case .none(let reply): return reply
        case .first, .revision: state = .queued
        case .unchanged: state = .unchanged
        }
        return .total(
            TotalAnswer(
                goal: total.goal, value: total.value, state: state, since: SequenceNumber(0),
                under: core.commits.receipt))
    }

    private func decide(_ total: DayTotal, _ now: Moment) -> TotalDecision {
        if core.delivery.remote == .notConnected { return .none(.refused(.notConnected)) }
        guard core.times.isCredible(total.day, now) else { return ignored(.day, total) }
        let key = key(of: total)
        guard let known = core.ledger[key] else { return decideFirst(total, key, now) }
        let requested = core.commits.requestedValue(of: known.number)
        let value = requested?.value ?? known.value
        var effective = total
        (effective.goal, effective.value) = (core.goals.goal(of: known), value)
        if isUndone(known) { return ignored(.undone, effective) }
        if total.value == value {
            let record = requested?.record ?? known.recorded.revisedBy ?? known.number
            return .unchanged(known, since: record)
        }
        if total.value < value {
            if total.hasFloor { return ignored(.floor, effective) }
            if total.isPartial { return ignored(.partial, effective) }
        }
        return .revision(known)
    }

    /// The key of a total's event: the first one that is free, or has the day of the total's goal.
    /// The rule may have had another goal before, and an imported press has no rule.
    func key(of total: DayTotal) -> EventKey {
        let goal = core.goals.current(total.goal)
        var variant = 1
        while true {
            let key = total.key(variant: variant)
            guard let known = core.ledger[key] else { return key }
            // A retry may have moved it.
            let isOfGoal = core.goals.goals(of: known).contains(goal)
            if known.event.rule == total.rule, isOfGoal { return key }
            variant += 1
        }
    }

    private func decideFirst(
        _ total: DayTotal, _ key: EventKey, _ now: Moment
    ) -> TotalDecision {
        if core.lookup.isUnknown(total.goal, at: now) { return ignored(.unknownGoal, total) }
        if total.isPartial { return ignored(.partial, total) }
        if core.times.isBeforeGoal(total, now) { return ignored(.beforeGoal, total) }
        if let full = core.overflow(key.identity, total.goal) { return .none(.refused(full)) }
        return .first(
            Event(
                key: key, goal: total.goal, value: total.value, comment: total.comment,
                at: core.times.moment(of: total, now), timeSource: .device,
                arrival: Event.Arrival(
                    wall: now.wall, monotonic: now.monotonic, boot: core.boot,
                    isClockUnset: !core.clock.isSound),
                rare: .init(daystamp: total.day, rule: total.rule)))
    }

    /// - Parameter total: with the goal and the value that count.
    private func ignored(_ why: IgnoredTotal, _ total: DayTotal) -> TotalDecision {
        .none(.total(TotalAnswer(why, total)))
    }

    private func isUndone(_ entry: Ledger.Entry) -> Bool {
        entry.progress == .erasing || entry.progress == .undone
            || core.commits.command(of: entry.number)?.isUndo == true
    }

    // MARK: Answers

    /// The same value again. While the record of the first is being written, both wait for it.
    private func confirm(
        _ known: Ledger.Entry, _ value: Double, since record: SequenceNumber, _ replyID: ReplyID,
        _ effects: inout Effects
    ) {
        guard let until = core.proof(of: record, &effects) else {
            return reply(known, .unchanged, value: value, since: record, replyID, &effects)
        }
        core.commits.wait(
            replyID, for: .total(.unchanged, value: value), of: known.number, until: until)
    }

    /// The record of a total is durable.
    func reply(
        _ entry: Ledger.Entry, _ state: TotalState, value: Double, since record: SequenceNumber,
        _ replyID: ReplyID, _ effects: inout Effects
    ) {
        let answer = TotalAnswer(
            goal: core.goals.goal(of: entry), value: value, state: state, since: record,
            under: core.commits.receipt)
        effects.reply(replyID, .total(answer))
    }

    // MARK: Pace

    /// The shortest time between two requests for the same datapoint, in seconds, so that a sender
    /// that posts a growing total every few seconds costs few requests.
    private static let restSeconds = 60.0
    /// The same while the goal derails within `soonSeconds`: the value may decide it.
    private static let shortRestSeconds = 10.0
    private static let soonSeconds: Int64 = 900

    /// A request for these events begins: the next revised value waits.
    func delayRevisions(of entries: [Ledger.Entry], _ goal: GoalSlug, _ now: Moment) {
        // A refused total is only looked for, and not sent.
        guard entries.contains(where: { $0.event.isTotal && !$0.isRefused }) else { return }
        let isSoon = (0..<Totals.soonSeconds).contains(core.requests.secondsLeft(goal, now) ?? .max)
        let end = now.monotonic.adding(
            seconds: isSoon ? Totals.shortRestSeconds : Totals.restSeconds)
        for entry in entries where entry.event.isTotal {
            entry.observations.restEnd = end
        }
    }

    /// Sends the values that have waited for others of their goals.
    func sendFollowing() {
        for number in core.waits.events(for: .order) {
            if let entry = core.ledger[number], mustFollow(entry) { continue }
            core.waits[number] = nil
            core.schedule(number)
        }
    }

    // MARK: Order

    /// Whether a total is lower than the value that its day has.
    package func isLower(_ total: DayTotal) -> Bool {
        guard let known = core.ledger[key(of: total)] else { return false }
        return total.value < core.commits.requestedValue(of: known.number)?.value ?? known.value
    }

    /// Whether a day's value may only be sent after those of other days of its goal. Rising values
    /// go before falling ones, so that the sum of the days does not dip on the way, when samples
    /// move from one day to another; a dip can derail the goal.
    func mustFollow(_ entry: Ledger.Entry) -> Bool {
        guard entry.event.isTotal, entry.progress != .erasing, entry.recorded.mayLower else {
            return false
        }
        let goal = core.reconciliation.queue(of: entry)
        // Failed events, which are set aside, hold up no others.
        let inQueue = core.delivery.queues[goal].map { $0.waiting.prefix($0.ordered) } ?? []
        return (inQueue + core.waits.timed + core.waits.untimed).contains { number in
            guard number != entry.number, let other = core.ledger[number], other.event.isTotal,
                other.progress != .erasing, other.isToBeSent,
                core.reconciliation.queue(of: other) == goal
            else { return false }
            return !other.recorded.mayLower
        }
    }

    /// Whether a newer value has come for a day than a request had.
    ///
    /// - Parameter sent: the request included every record up to this one.
    func hasNewerValue(_ entry: Ledger.Entry, than sent: SequenceNumber?) -> Bool {
        guard let sent, entry.event.isTotal else { return false }
        return entry.recorded.revisedBy ?? entry.number > sent
            || core.commits.requestedValue(of: entry.number) != nil
    }
}

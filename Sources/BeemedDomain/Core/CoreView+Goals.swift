/// A goal that derails soon, or has derailed, while a press for it waits.
package struct GoalAtRisk: Sendable, Equatable {
    /// Its current name.
    package let goal: GoalSlug
    /// Whole minutes until the goal derails, rounded down; negative after it has derailed.
    package let minutesLeft: Int64
    /// The number of presses that wait for the goal.
    package let waiting: Int
    /// Whether this is known to be a goal of the connected user: only such goals are shown by name.
    package let isShown: Bool
}

/// Goals as people and devices see them.
extension CoreView {
    /// The snapshot of the pinned goals: those that were used last come first, and those that never
    /// were in the order of the pins. Without pins, of the most urgent goals.
    package func snapshot(at now: Moment, limit: Int = 20) -> Snapshot {
        let now = corrected(now)
        let pinned =
            core.areGoalsOwn ? core.pins.compactMap { core.goals[core.goals.current($0)] } : []
        guard !pinned.isEmpty else { return snapshot(of: Array(shown.prefix(limit)), at: now) }
        // Of all pins: the one that was used last may be any of them.
        var snapshot = snapshot(of: pinned, at: now)
        snapshot.goals = Array(snapshot.goals.lastUsedFirst.prefix(limit))
        return snapshot
    }

    /// The same moment by the clock that counts: Beeminder's, when the relay's own is wrong.
    package func corrected(_ now: Moment) -> Moment { core.clock.corrected(now) }

    /// The values of each goal's last days, the present one last, as Beeminder aggregates them:
    /// what came through this relay, unsent presses included, and what Beeminder has told of other
    /// datapoints.
    ///
    /// - Parameter count: how many days, 1 or more.
    package func dailyValues(days count: Int, at now: Moment) -> [GoalSlug: [Double]] {
        guard core.areGoalsOwn else { return [:] }
        let now = corrected(now)
        var starts: [GoalSlug: [UnixTime]] = [:]
        for goal in core.goals.goals {
            guard let slug = GoalSlug(goal.slug) else { continue }
            starts[slug] = dayStarts(count, deadline: goal.deadline, now.wall)
        }
        return days.logged(starts).mapValues { $0.days.map(\.value) }
    }

    /// When each of a goal's last days began, the oldest first, and when the present one ends.
    private func dayStarts(_ count: Int, deadline: Int?, _ now: UnixTime) -> [UnixTime] {
        let days = core.goals.days(deadline: deadline)
        let today = days.number(of: now)
        return (0...Int64(count)).map { days.start(of: today + 1 - Int64(count) + $0) }
    }

    /// The snapshot of all active goals, most urgent first.
    package func overview(at now: Moment) -> Snapshot {
        snapshot(of: shown, at: corrected(now))
    }

    /// The goals of the connected user; those of another user must not be shown.
    private var shown: [Goal] { core.areGoalsOwn ? core.goals.goals : [] }

    private func snapshot(of list: [Goal], at now: Moment) -> Snapshot {
        let pinned = Set(core.pins.map { core.goals.current($0).description })
        let risks = goalsAtRisk(at: now).filter(\.isShown)
        let minutes = Dictionary(risks.map { ($0.goal, $0.minutesLeft) }) { $1 }
        let shown = list.compactMap { goal in
            GoalSlug(goal.slug).map { name in
                (goal, name, core.goals.days(deadline: goal.deadline).bounds(around: now.wall))
            }
        }
        let starts = shown.map { ($0.1, [$0.2.lowerBound, $0.2.upperBound]) }
        let logged = days.logged(Dictionary(starts) { first, _ in first })
        let waiting = waitingByGoal
        let all = shown.map { goal, name, day in
            let values = logged[name]
            return Snapshot.PinnedGoal(
                goal: goal, urgency: goal.urgency(at: now.wall), queued: waiting[name] ?? 0,
                today: values?.days.first?.value ?? 0,
                isDoneToday: days.isDone(name, values, on: day),
                lastLogged: values?.last.map { min($0, now.wall) }, lastValue: values?.lastValue,
                isPinned: pinned.contains(goal.slug), minutesLeft: minutes[name])
        }
        return Snapshot(
            version: core.version, user: core.account.name, sync: sync,
            queued: core.ledger.pendingCount,
            refused: core.ledger.refusedCount, held: heldEvents,
            deliveryError: deliveryError(at: now),
            goals: all, atRisk: risks)
    }

    // MARK: Early warnings

    /// How long before a goal derails a waiting press causes a warning, in seconds: a person must
    /// have time to notice it and to log by hand.
    static let riskSeconds: Int64 = 6 * 3_600

    /// The goals that derail within `riskSeconds`, or have derailed, while presses for them wait,
    /// the one with the fewest minutes left first. Presses being sent for the first time do not
    /// count as waiting.
    package func goalsAtRisk(at now: Moment) -> [GoalAtRisk] {
        let now = corrected(now)
        return waitingPresses { $0.late(CoreView.maxOfGoal) }
            .compactMap { risk(of: $0, $1, at: now) }
            .sorted {
                ($0.minutesLeft, $0.goal.description) < ($1.minutesLeft, $1.goal.description)
            }
    }

    /// Presses that wait, by their goals' current names, those of the queues limited. A press that
    /// waits for a deletion at its former goal is in the queue of that.
    func waitingPresses(
        _ some: (GoalQueue) -> [SequenceNumber]
    ) -> [GoalSlug: [Ledger.Entry]] {
        let numbers = Set(core.delivery.queues.values.flatMap(some) + core.waits.untimed)
        let presses = numbers.sorted().compactMap { core.ledger[$0] }.filter {
            $0.progress == .pending
        }
        return Dictionary(grouping: presses) { core.goals.goal(of: $0) }
    }

    /// The maximum number of presses checked in the queue of one goal: the context is created for
    /// every press. Of more than that, all count as waiting.
    private static let maxOfGoal = 100

    /// Whole minutes, rounded down.
    private static func minutes(_ seconds: Int64) -> Int64 {
        seconds >= 0 ? seconds / 60 : (seconds - 59) / 60
    }

    private func risk(
        of goal: GoalSlug, _ waiting: [Ledger.Entry], at now: Moment
    ) -> GoalAtRisk? {
        guard let losedate = core.goals[goal]?.losedate else { return nil }
        let missed = core.goals.missedDeadline(of: goal)
        let isLate = missed.map { time in waiting.contains { $0.at.seconds <= time } } ?? false
        let deadline = isLate ? missed ?? losedate : losedate
        let seconds = deadline - now.wall.seconds
        guard seconds <= CoreView.riskSeconds else { return nil }
        let inQueue = core.delivery.queues[goal]?.ordered ?? 0
        return GoalAtRisk(
            goal: goal, minutesLeft: CoreView.minutes(seconds),
            waiting: waiting.count + max(0, inQueue - CoreView.maxOfGoal),
            isShown: core.areGoalsOwn)
    }

    /// Deadlines that passed while presses waited: the next list has the goal's next deadline, but
    /// the presses are late.
    func missedDeadlines(at now: Moment) -> [String: Int64] {
        var missed: [String: Int64] = [:]
        for risk in goalsAtRisk(at: now) where risk.minutesLeft < 0 {
            let slug = risk.goal
            missed[slug.description] =
                core.goals.missedDeadline(of: slug) ?? core.goals[slug]?.losedate
        }
        return missed
    }

    /// The goals of presses that Beeminder has refused, limited to a short search, sorted.
    package func refusedGoals(limit: Int) -> [GoalSlug] {
        let found = refusedEvents(limit: 100).map(\.goal)
        return Array(Set(found).sortedByName.prefix(limit))
    }

    /// The newest presses that Beeminder has refused, limited to a short search.
    func refusedEvents(limit: Int) -> [EventView] {
        guard core.ledger.refusedCount > 0 else { return [] }
        var filter = EventFilter()
        filter.states = [.refused]
        return events(filter, before: nil, limit: limit).events
    }
}

extension [Snapshot.PinnedGoal] {
    /// The goals by the time of their last press; those without one keep their order behind them.
    fileprivate var lastUsedFirst: [Snapshot.PinnedGoal] {
        enumerated().sorted { left, right in
            let (first, second) = (left.element.lastLogged, right.element.lastLogged)
            guard first != second else { return left.offset < right.offset }
            return second.map { other in first.map { $0 > other } ?? false } ?? true
        }
        .map(\.element)
    }
}

extension GoalQueue {
    /// Events to be sent that are not just being sent for the first time, of each kind this many at
    /// most.
    fileprivate func late(_ max: Int) -> [SequenceNumber] {
        let fresh = failures == 0 && !isHeld && tried == nil ? underWay : 0
        return Array(setAside.prefix(max) + waiting.prefix(min(max, ordered)).dropFirst(fresh))
    }
}

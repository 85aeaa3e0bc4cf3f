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

/// Early warnings.
extension RelayCore {
    /// How long before a goal derails a waiting press causes a warning, in seconds: a person must
    /// have time to notice it and to log by hand.
    static let riskSeconds: Int64 = 6 * 3_600

    /// The goals that derail within `riskSeconds`, or have derailed, while presses for them wait,
    /// the one with the fewest minutes left first. Presses being sent for the first time do not
    /// count as waiting.
    package func goalsAtRisk(at now: Moment) -> [GoalAtRisk] {
        let now = clock.trust.corrected(now)
        return waitingPresses { $0.late(RelayCore.maxOfGoal) }
            .compactMap { risk(of: $0, $1, at: now) }
            .sorted {
                ($0.minutesLeft, $0.goal.description) < ($1.minutesLeft, $1.goal.description)
            }
    }

    /// Presses that wait, by their goals' current names, those of the queues limited. One that waits
    /// for a deletion at its former goal is in the queue of that.
    func waitingPresses(
        _ some: (GoalQueue) -> [SequenceNumber]
    ) -> [GoalSlug: [Ledger.Entry]] {
        let numbers = Set(delivery.queues.values.flatMap(some) + waits.untimed)
        let presses = numbers.sorted().compactMap { ledger[$0] }.filter { $0.progress == .pending }
        return Dictionary(grouping: presses) { goals.goal(of: $0) }
    }

    /// The maximum number of presses checked that wait outside of a queue: the context is created
    /// for every press.
    static let maxLooked = 1_000

    /// The same in the queue of one goal. Of more than that, all count as waiting.
    private static let maxOfGoal = 100

    /// Whole minutes, rounded down.
    private static func minutes(_ seconds: Int64) -> Int64 {
        seconds >= 0 ? seconds / 60 : (seconds - 59) / 60
    }

    private func risk(
        of goal: GoalSlug, _ waiting: [Ledger.Entry], at now: Moment
    ) -> GoalAtRisk? {
        guard let losedate = goals[goal]?.losedate else { return nil }
        let missed = goals.missedDeadline(of: goal)
        let isLate = missed.map { time in waiting.contains { $0.at.seconds <= time } } ?? false
        let deadline = isLate ? missed ?? losedate : losedate
        let seconds = deadline - now.wall.seconds
        guard seconds <= RelayCore.riskSeconds else { return nil }
        let inQueue = delivery.queues[goal]?.waiting.count ?? 0
        return GoalAtRisk(
            goal: goal, minutesLeft: RelayCore.minutes(seconds),
            waiting: waiting.count + max(0, inQueue - RelayCore.maxOfGoal),
            isShown: areGoalsOwn)
    }

    /// Stores deadlines that passed while presses waited: the next list has the goal's next
    /// deadline, but the presses are late.
    func recordMissedDeadlines(_ now: Moment) {
        var missed: [String: Int64] = [:]
        for risk in goalsAtRisk(at: now) where risk.minutesLeft < 0 {
            let slug = risk.goal
            missed[slug.description] = goals.missedDeadline(of: slug) ?? goals[slug]?.losedate
        }
        goals.note(missedDeadlines: missed)
    }

    /// The goals of presses that Beeminder has refused, limited to a short search, sorted.
    package func refusedGoals(limit: Int) -> [GoalSlug] {
        let found = refusedEvents(limit: 100).map(\.goal)
        return Array(Set(found).sorted { $0.description < $1.description }.prefix(limit))
    }
}

extension RelayCore {
    /// The newest presses that Beeminder has refused, limited to a short search.
    func refusedEvents(limit: Int) -> [EventView] {
        guard ledger.refusedCount > 0 else { return [] }
        var filter = Filter()
        filter.states = [.refused]
        return events(filter, before: nil, limit: limit).events
    }
}

extension GoalQueue {
    /// Events to be sent that are not just being sent for the first time, of each kind this many at
    /// most.
    fileprivate func late(_ most: Int) -> [SequenceNumber] {
        let fresh = failures == 0 && !isHeld && aside.tried == nil ? underWay : 0
        return Array(aside.numbers.prefix(most) + waiting.prefix(most).dropFirst(fresh))
    }
}

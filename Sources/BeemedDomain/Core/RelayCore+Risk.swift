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
        var asides: [GoalSlug: [SequenceNumber]] = [:]
        for number in waits.untimed {
            guard let entry = ledger[number], entry.progress == .pending else { continue }
            asides[goal(of: entry), default: []].append(number)
        }
        for number in status.moving {
            guard let entry = ledger[number], isMovingLate(entry) else { continue }
            asides[goal(of: entry), default: []].append(number)
        }
        return Set(delivery.queues.keys).union(asides.keys)
            .compactMap { risk(of: $0, besides: asides[$0] ?? [], at: now) }
            .sorted {
                ($0.minutesLeft, $0.goal.description) < ($1.minutesLeft, $1.goal.description)
            }
    }

    /// Whether a press waits for a deletion at its former goal before it is sent to its new one,
    /// and so is in the former goal's queue.
    private func isMovingLate(_ entry: Ledger.Entry) -> Bool {
        guard entry.progress == .pending, !entry.recorded.leaving.isEmpty,
            case .request(let request) = nextStep(of: entry), request.deletes
        else { return false }
        return delivery.queues[request.goal]?.isFresh(entry.number) != true
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
        of goal: GoalSlug, besides asides: [SequenceNumber], at now: Moment
    ) -> GoalAtRisk? {
        guard let losedate = goals[goal]?.losedate else { return nil }
        let missed = goals.missedDeadline(of: goal)
        guard missed != nil || losedate - now.wall.seconds <= RelayCore.riskSeconds else {
            return nil
        }
        let queue = delivery.queues[goal]
        let inQueue =
            queue.map { $0.waiting.prefix(RelayCore.maxOfGoal).dropFirst($0.fresh) } ?? []
        let failed = queue.map { Array($0.aside.numbers.prefix(RelayCore.maxOfGoal)) } ?? []
        let others = max(0, (queue?.waiting.count ?? 0) - RelayCore.maxOfGoal)
        let waiting = (failed + inQueue + asides).compactMap { ledger[$0] }
            .filter { $0.progress == .pending }
        let isLate = missed.map { time in waiting.contains { $0.at.seconds <= time } } ?? false
        let deadline = isLate ? missed ?? losedate : losedate
        let seconds = deadline - now.wall.seconds
        guard !waiting.isEmpty, seconds <= RelayCore.riskSeconds else { return nil }
        return GoalAtRisk(
            goal: goal, minutesLeft: RelayCore.minutes(seconds),
            waiting: waiting.count + others, isShown: areGoalsOwn)
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
    /// Whether an event is being sent for the first time.
    fileprivate func isFresh(_ number: SequenceNumber) -> Bool {
        fresh > 0 && isUnderWay(number)
    }

    /// The number of first events that are being sent for the first time.
    fileprivate var fresh: Int {
        failures == 0 && !isHeld && aside.tried == nil ? underWay : 0
    }
}

/// The waiting and refused presses and the goals at one moment, as far as they may concern a
/// person. Reminders are made from it; the core decides nothing by it.
package struct Outlook: Sendable {
    /// The presses that wait for a goal.
    package struct Waiting: Sendable {
        package var count: Int
        /// The sum of their values.
        package var sum: Double

        /// So many presses with that sum.
        package init(count: Int = 0, sum: Double = 0) { (self.count, self.sum) = (count, sum) }

        mutating func add(_ count: Int, _ value: Double) {
            self.count += count
            sum += value
        }
    }

    /// Why presses to a goal do not count: Beeminder has refused one, or does not know the goal.
    package struct Refusal: Sendable {
        package let goal: GoalSlug
        /// When the newest refused press came, or the oldest one that waits for a missing goal.
        package let arrival: UnixTime
        /// Beeminder's reason; nil if none was given.
        package let why: String?
        /// The number of presses that wait for a missing goal; 0 if one was refused.
        package let waiting: Int
    }

    /// The moment, by the clock that counts.
    package var now: Moment
    /// The days of the user and the goals.
    package var calendar: GoalCalendar
    /// The connected user's goals; nil while they are not known.
    package var goals: [Goal]?
    /// The age of the goals in seconds; nil when they are known to be outdated.
    package var goalsAge: Int64?
    /// Whether the last request for the goals has failed.
    package var isRefreshFailing = false
    /// Whether nothing is sent before a person has connected another token.
    package var mustSignIn = false
    /// By goal the presses that may still keep it from derailing, not those for a later day.
    package var waiting: [GoalSlug: Waiting] = [:]
    /// The goals that derail within hours while presses for them cannot be delivered.
    package var stuck: [GoalAtRisk] = []
    package var refused: [Refusal] = []

    init(at now: Moment, _ calendar: GoalCalendar) {
        (self.now, self.calendar) = (now, calendar)
    }
}

extension CoreView {
    /// The facts that may concern a person now; nil while the clock is wrong, and so the days.
    package func outlook(at reading: Moment) -> Outlook? {
        guard core.clock.isSound else { return nil }
        var outlook = Outlook(at: corrected(reading), calendar)
        outlook.mustSignIn = mustSignIn
        outlook.isRefreshFailing = core.refresh.isFailing
        if core.areGoalsOwn, core.goals.isKnown, core.delivery.remote != .notConnected {
            outlook.goals = core.goals.goals
            if !core.goals.isUpstreamBusy, !core.refresh.isExpectingChange {
                outlook.goalsAge = core.goals.asOf.map { outlook.now.wall.seconds - $0.seconds }
            }
        }
        if core.ledger.pendingCount > 0 { outlook.waiting = waitingPresses(outlook.calendar) }
        outlook.stuck = goalsAtRisk(at: reading).filter { isUndeliverable($0.goal) }
        outlook.refused = refusals
        return outlook
    }

    private var mustSignIn: Bool {
        core.delivery.obstacle == .token || core.account.isOther
    }

    /// The maximum number of presses of one goal's queue that are summed.
    private static let maxSummed = 1_000

    private func waitingPresses(_ calendar: GoalCalendar) -> [GoalSlug: Outlook.Waiting] {
        var found: [GoalSlug: Outlook.Waiting] = [:]
        for (slug, presses) in waitingPresses({ Array($0.waiting.prefix(CoreView.maxSummed)) }) {
            // Of a day's newer value, Beeminder has a part already.
            for press in presses where !press.hasArrived {
                if let day = press.event.daystamp, let losedate = core.goals[slug]?.losedate,
                    day > calendar.day(of: slug, at: UnixTime(losedate - 1))
                {
                    continue
                }
                found[slug, default: Outlook.Waiting()]
                    .add(
                        reconciliation.members(of: press).count,
                        reconciliation.amount(of: press))
            }
        }
        return found
    }

    /// Whether presses of a goal wait because Beeminder or the network is down.
    private func isUndeliverable(_ goal: GoalSlug) -> Bool {
        guard core.delivery.remote == .open, !mustSignIn, !core.refresh.isFailing else {
            return true
        }
        return core.delivery.queues[goal]
            .map { $0.failures > 0 || $0.isHeld || $0.asideCount > 0 } ?? false
    }

    private var refusals: [Outlook.Refusal] {
        var found: [GoalSlug: Outlook.Refusal] = [:]
        for view in refusedEvents(limit: 100) {
            let arrival = view.event.arrival.wall
            guard found[view.goal].map({ $0.arrival < arrival }) ?? true else { continue }
            var why: String?
            if case .refused(_, let reason)? = view.settlement { why = reason }
            found[view.goal] = Outlook.Refusal(
                goal: view.goal, arrival: arrival, why: why, waiting: 0)
        }
        for (goal, queue) in core.delivery.queues where queue.trouble == .missing {
            guard let first = queue.oldest.flatMap({ core.ledger[$0] }) else { continue }
            found[goal] = Outlook.Refusal(
                goal: goal, arrival: first.event.arrival.wall,
                why: "Beeminder has no such goal", waiting: queue.count)
        }
        return Array(found.values)
    }
}

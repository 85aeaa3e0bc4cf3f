/// Presses that were taken by a clock that nobody had compared when the machine stopped.
package struct DoubtfulTimes: Sendable, Equatable {
    package let events: Int
    /// The last time before them that is known to be right; nil without one.
    package let since: UnixTime?
}

/// Faults of delivery for people: datapoints that were replaced, failures, a stalled queue.
extension CoreView {
    /// How long an unexpected datapoint raises an alarm, in seconds: a week.
    private static let alarmSeconds: Int64 = 7 * 86_400

    /// The number of events of the last week that Beeminder stored so: `overwritten` or `greater`.
    package func unexpectedEvents(_ how: Delivered, at now: Moment) -> Int {
        let since = now.wall.adding(-CoreView.alarmSeconds)
        return core.ledger.all.count { entry in
            entry.recorded.arrival?.how == how && entry.event.arrival.wall >= since
                && !entry.recorded.isUnwanted
        }
    }

    /// Presses of earlier boots whose clock was never compared: their times may be wrong.
    package var doubtfulTimes: DoubtfulTimes? {
        var events = 0
        var since: UnixTime?
        for entry in core.ledger.all {
            if entry.number > core.commits.recovered { break }
            let event = entry.event
            if !event.isClockUncompared, !event.isTimeUnsure {
                if events == 0 { since = event.arrival.wall }
            } else if event.arrival.boot != core.boot, event.daystamp == nil,
                wasWaiting(entry),
                !entry.isTakenBack
            {
                events += 1
            }
        }
        return events == 0 ? nil : DoubtfulTimes(events: events, since: since)
    }

    /// Whether an event of an earlier process waits, or has waited in this one.
    private func wasWaiting(_ entry: Ledger.Entry) -> Bool {
        entry.progress == .pending || entry.recorded.last > core.commits.recovered
    }

    /// The number of datapoints that could not be deleted or changed several times.
    package var unchangeableEvents: Int {
        let outOfReach = core.ledger.all.filter(\.isOutOfReach).map(\.number)
        return Set(reportedEvents.filter(mayBeThere)).union(outOfReach).count
    }

    /// Presses that Beeminder has neither taken nor refused in several attempts, while it works
    /// otherwise.
    package var failingEvents: Int { reportedEvents.count { !mayBeThere($0) } }

    private var reportedEvents: [SequenceNumber] {
        let isAnswering = core.delivery.remote == .open && !core.refresh.isFailing
        return core.delivery.queues.values.flatMap { queue in
            queue.reportedAside + (isAnswering ? queue.reportedFirst : [])
        }
    }

    /// Whether an event has a datapoint, or is to be deleted: it was undone, or moved.
    private func mayBeThere(_ number: SequenceNumber) -> Bool {
        guard let entry = core.ledger[number] else { return false }
        return entry.hasArrived || entry.progress == .erasing || !entry.recorded.leaving.isEmpty
            || entry.isDeserted
    }

    // MARK: Beeminder's errors

    /// How long the oldest press waits before Beeminder's errors are reported, in seconds: most of
    /// them pass with the next attempt.
    private static let errorSeconds: Int64 = 30

    /// Beeminder's answer to the presses that wait, such as `status 503`; nil while they wait for
    /// another reason, or not long.
    package func deliveryError(at now: Moment) -> String? {
        guard core.delivery.remote == .open, core.account.maySend, core.delivery.failures == 0
        else { return nil }
        let oldest = core.delivery.queues.values.filter { !$0.isHeld }.compactMap(\.oldest).min()
        let seconds = waitingSeconds(of: oldest, at: now) ?? 0
        return seconds >= CoreView.errorSeconds ? core.status.lastError : nil
    }

    // MARK: Stalled queue

    /// How long nothing may be sent or answered while something could be sent, in seconds. Every
    /// delay of a single goal is shorter, and so is every request.
    private static let stallSeconds = 600.0

    /// Whether something could be sent, but for ten minutes nothing was sent or answered: that is a
    /// defect, so a person must check.
    package func isStalled(at now: Moment) -> Bool {
        guard core.maySend, core.delivery.hasSendable, let lastMove = core.status.lastMove else {
            return false
        }
        return lastMove.adding(seconds: CoreView.stallSeconds) <= now.monotonic
    }
}

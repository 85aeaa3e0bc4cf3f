/// Presses that were taken by a clock that nobody had compared when the machine stopped.
package struct DoubtfulTimes: Sendable, Equatable {
    package fileprivate(set) var events = 0
    /// The last time before them that is known to be right; nil without one.
    package fileprivate(set) var since: UnixTime?
}

/// Events about which a person is told, by the reason.
package struct EventFaults: Sendable {
    /// How many of the last week have replaced a datapoint that came from elsewhere.
    package fileprivate(set) var overwritten = 0
    /// For how many of the last week Beeminder keeps a greater value.
    package fileprivate(set) var greater = 0
    /// Presses of earlier boots whose clock was never compared: their times may be wrong.
    package fileprivate(set) var doubtfulTimes = DoubtfulTimes()
    /// The number of datapoints that could not be deleted or changed several times.
    package fileprivate(set) var unchangeable = 0
}

/// Faults of delivery for people: datapoints that were replaced, failures, a stalled queue.
extension CoreView {
    /// How long an unexpected datapoint raises an alarm, in seconds: a week.
    private static let alarmSeconds: Int64 = 7 * 86_400

    /// The faults of all events.
    package func eventFaults(at now: Moment) -> EventFaults {
        let since = now.wall.adding(-CoreView.alarmSeconds)
        var faults = EventFaults()
        var unchangeable = Set(reportedEvents.filter(mayBeThere))
        for entry in core.ledger.all {
            if entry.isOutOfReach { unchangeable.insert(entry.number) }
            note(entry, in: &faults.doubtfulTimes)
            guard let how = entry.recorded.arrivedAs, how == .overwritten || how == .greater,
                entry.event.arrival.wall >= since, !entry.recorded.isUnwanted
            else { continue }
            if how == .greater { faults.greater += 1 } else { faults.overwritten += 1 }
        }
        faults.unchangeable = unchangeable.count
        return faults
    }

    private func note(_ entry: Ledger.Entry, in doubtful: inout DoubtfulTimes) {
        let event = entry.event
        guard entry.number <= core.commits.recovered else { return }
        if !event.arrival.isClockUncompared, !event.arrival.isClockUnset {
            if doubtful.events == 0 { doubtful.since = event.arrival.wall }
        } else if event.arrival.boot != core.boot, event.daystamp == nil, wasWaiting(entry),
            !entry.isTakenBack
        {
            doubtful.events += 1
        }
    }

    /// Whether an event of an earlier process waits, or has waited in this one.
    private func wasWaiting(_ entry: Ledger.Entry) -> Bool {
        entry.progress == .pending || entry.recorded.last > core.commits.recovered
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

/// Presses that were taken by a clock that nobody had compared when the machine stopped.
package struct DoubtfulTimes: Sendable, Equatable {
    package let events: Int
    /// The last time before them that is known to be right; nil without one.
    package let since: UnixTime?
}

/// Delivery state for people: failed attempts, replaced datapoints, and a stalled queue.
extension RelayCore {
    /// An attempt has settled nothing. Number and reason are recorded from time to time, so that a
    /// restart does not hide the earlier attempts.
    func recordFailure(
        _ number: SequenceNumber, _ why: String, _ effects: inout Effects
    ) {
        guard let attempts = ledger.recordFailure(number, why) else { return }
        let words = String(why.prefix(RelayCore.whyLength))
        journal(.tried(of: number, attempts: attempts, why: words), &effects)
    }

    /// The maximum length of a recorded reason, in characters.
    private static let whyLength = 120

    // MARK: Replaced datapoints

    /// How Beeminder stored an event. "Updated" at the first attempt means that the
    /// request id had another source's datapoint: to a repetition, which is equal byte for byte,
    /// Beeminder answers "Duplicate". A recovered event may have been sent before, so nothing is
    /// concluded for it.
    func kind(of how: Delivered, for number: SequenceNumber) -> Delivered {
        guard how == .updated, let entry = ledger[number], !entry.event.isTotal else {
            return how
        }
        if entry.recorded.arrival?.how == .overwritten { return .overwritten }
        return entry.attempts == 1 && number > commits.recovered ? .overwritten : how
    }

    /// How long an unexpected datapoint raises an alarm, in seconds: a week.
    private static let alarmSeconds: Int64 = 7 * 86_400

    /// The number of events of the last week that Beeminder stored so: `overwritten` or `greater`.
    package func unexpectedEvents(_ how: Delivered, at now: Moment) -> Int {
        let since = now.wall.adding(-RelayCore.alarmSeconds)
        return ledger.all.count { entry in
            entry.recorded.arrival?.how == how && entry.event.arrival.wall >= since
                && !entry.recorded.isUnwanted
        }
    }

    /// Presses of earlier boots whose clock was never compared: their times may be wrong.
    package var doubtfulTimes: DoubtfulTimes? {
        var events = 0
        var since: UnixTime?
        for entry in ledger.all {
            if entry.number > commits.recovered { break }
            let event = entry.event
            if !event.isClockUncompared, !event.isTimeUnsure {
                if events == 0 { since = event.arrival.wall }
            } else if event.arrival.boot != boot, event.daystamp == nil, wasWaiting(entry),
                !entry.isTakenBack
            {
                events += 1
            }
        }
        return events == 0 ? nil : DoubtfulTimes(events: events, since: since)
    }

    /// Whether an event of an earlier process waits, or has waited in this one.
    private func wasWaiting(_ entry: Ledger.Entry) -> Bool {
        entry.progress == .pending || entry.recorded.last > commits.recovered
    }

    /// The number of datapoints that could not be deleted or changed several times.
    package var unchangeableEvents: Int {
        Set(reportedEvents.filter(mayBeThere)).union(placements.outOfReach.map(\.event)).count
    }

    /// Presses that Beeminder has neither taken nor refused in several attempts, while it works
    /// otherwise.
    package var failingEvents: Int { reportedEvents.count { !mayBeThere($0) } }

    private var reportedEvents: [SequenceNumber] {
        let isAnswering = delivery.remote == .open && !refresh.isFailing
        return delivery.queues.values.flatMap { queue in
            queue.aside.reported + (isAnswering ? queue.reportedFirst : [])
        }
    }

    private func mayBeThere(_ number: SequenceNumber) -> Bool {
        ledger[number].map { $0.hasArrived || merging.isToBeErased($0) } ?? false
    }

    // MARK: Beeminder's errors

    /// How long the oldest press waits before Beeminder's errors are reported, in seconds: most of
    /// them pass with the next attempt.
    private static let errorSeconds: Int64 = 30

    /// Beeminder's answer to the presses that wait, such as `status 503`; nil while they wait for
    /// another reason, or not long.
    package func deliveryError(at now: Moment) -> String? {
        guard delivery.remote == .open, account.maySend, delivery.failures == 0,
            let error = status.lastError,
            let seconds = oldestSendableSeconds(at: now), seconds >= RelayCore.errorSeconds
        else { return nil }
        return error
    }

    // MARK: Stalled queue

    /// How long nothing may be sent or answered while something could be sent, in seconds. Every
    /// delay of a single goal is shorter, and so is every request.
    private static let stallSeconds = 600.0

    /// Notes when there was last nothing to send, or when sending was not possible.
    func watchForStall(_ now: Moment) {
        if status.lastMove == nil || !hasSendable { status.lastMove = now.monotonic }
    }

    /// Whether something could be sent, but for ten minutes nothing was sent or answered: that is a
    /// defect, so a person must check.
    package func isStalled(at now: Moment) -> Bool {
        guard hasSendable, let lastMove = status.lastMove else { return false }
        return lastMove.adding(seconds: RelayCore.stallSeconds) <= now.monotonic
    }

    @inline(__always)
    private var hasSendable: Bool {
        guard !mustNotSend, account.maySend, delivery.remote == .open else { return false }
        return delivery.queues.values.contains { !$0.isHeld && $0.hasWaiting && $0.failures == 0 }
    }
}

/// How delivery fares, for people, and how often they may hasten it.
struct DeliveryStatus: Sendable {
    /// Whether the last attempt left its event in the queue.
    private(set) var lastFailed = false
    /// Beeminder's answer at the last attempt, in words, if it was an error of Beeminder's own.
    private(set) var lastError: String?
    /// When a request was last sent or answered, or the queue was last empty.
    var lastMove: Monotonic?
    /// How often a device may end the delays: a loop in an automation must not burden Beeminder.
    var flushes = Allowance(atOnce: 10, secondsEach: 10)

    /// Notes the end of an attempt.
    mutating func note(_ outcomes: some Sequence<Outcome>) {
        let open = outcomes.first { !$0.isFinal }
        lastFailed = open != nil
        switch open {
        case .unclear(let why)?: lastError = why
        case .busy?: lastError = "it asks to wait"
        default: lastError = nil
        }
    }
}

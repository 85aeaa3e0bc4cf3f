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
    /// Events that found an unexpected datapoint under their request id, the newest last.
    private(set) var unexpected: [SequenceNumber] = []

    /// Waiting events of earlier boots whose clock was never compared.
    private(set) var doubtful: [SequenceNumber] = []
    /// The last time of an event before those that is known to be right.
    private(set) var lastGoodTime: UnixTime?

    /// Events whose deletion Beeminder has refused.
    private(set) var refusedDeletions: Set<SequenceNumber> = []

    /// Events that wait for a deletion at their former goal before they are sent to another one.
    private(set) var moving: Set<SequenceNumber> = []

    /// The maximum number that is counted.
    private static let maxUnexpected = 1_000

    /// Notes an event of an earlier process, and whether its time is doubtful. Call it for all of
    /// them in order.
    mutating func restore(_ entry: Recovered.Entry, boot: String) {
        if case .delivered(let how, _)? = entry.settlement { note(how, of: entry.number) }
        note(moving: entry.number, !entry.recorded.leaving.isEmpty)
        let event = entry.event
        if !event.isClockUncompared, !event.isTimeUnsure {
            if doubtful.isEmpty { lastGoodTime = event.arrival.wall }
        } else if entry.settlement == nil, event.arrival.boot != boot, event.daystamp == nil {
            doubtful.append(entry.number)
        }
    }

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

    /// Notes how Beeminder stored an event, if that is not as it should be.
    mutating func note(_ how: Delivered, of number: SequenceNumber) {
        switch how {
        case .created, .updated, .duplicate: return
        case .overwritten, .greater: unexpected.append(number)
        }
        if unexpected.count > DeliveryStatus.maxUnexpected { unexpected.removeFirst() }
    }

    /// Notes whether the last deletion of an event was refused.
    mutating func note(deletionOf number: SequenceNumber, isRefused: Bool) {
        if isRefused {
            refusedDeletions.insert(number)
        } else if !refusedDeletions.isEmpty {
            refusedDeletions.remove(number)
        }
    }

    mutating func note(moving number: SequenceNumber, _ isMoving: Bool) {
        if isMoving {
            moving.insert(number)
        } else if !moving.isEmpty {
            moving.remove(number)
        }
    }
}

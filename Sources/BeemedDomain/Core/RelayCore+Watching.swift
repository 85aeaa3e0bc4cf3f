/// What delivery notes for people: attempts, datapoints that were replaced, and a queue that
/// stands.
extension RelayCore {
    /// An attempt has settled nothing. How often and why is written down now and then, so that a
    /// restart does not make it look as if nothing had been tried.
    mutating func noteFailure(
        _ number: SequenceNumber, _ why: String, _ effects: inout [Effect]
    ) {
        guard let attempts = ledger.noteFailure(number, why) else { return }
        let words = String(why.prefix(RelayCore.whyLength))
        append(.tried(of: number, attempts: attempts, why: words), &effects)
    }

    /// Characters of a reason that are written down.
    private static let whyLength = 120

    // MARK: Replaced datapoints

    /// How Beeminder came to have an event. "Updated" at the very first attempt means that somebody
    /// else's datapoint stood under the request id. An event that was found at the start may have
    /// been sent before, so of that nothing is concluded.
    mutating func judged(_ how: Delivered, of number: SequenceNumber) -> Delivered {
        guard how == .updated, let entry = ledger[number] else { return how }
        if case .delivered(.overwritten, _)? = entry.recorded.settlement { return .overwritten }
        guard entry.attempts == 1, number > recovered else { return how }
        noteOverwritten(number)
        return .overwritten
    }

    mutating func noteOverwritten(_ number: SequenceNumber) {
        overwritten.append(number)
        if overwritten.count > RelayCore.mostOverwritten { overwritten.removeFirst() }
    }

    /// How many are counted at most.
    private static let mostOverwritten = 1_000
    /// How long a replaced datapoint is an alarm, in seconds: a week.
    private static let overwrittenSeconds: Int64 = 7 * 86_400

    /// Presses of the last week that replaced a datapoint which was there under their name.
    package func overwrittenEvents(at now: Moment) -> Int {
        let since = now.wall.adding(-RelayCore.overwrittenSeconds)
        return overwritten.count { number in
            guard let entry = ledger[number], entry.event.arrival.wall >= since,
                case .delivered(.overwritten, _)? = entry.recorded.settlement
            else { return false }
            return !entry.recorded.isUnwanted
        }
    }

    // MARK: A queue that stands

    /// How long nothing may move while something could be sent, in seconds. Every wait of a single
    /// goal's is shorter, and so is every request.
    private static let stallSeconds = 600.0

    /// Notes when there was last nothing to send, or no way to send it.
    mutating func watchForStall(_ now: Moment) {
        if lastMove == nil || !hasSendable { lastMove = now.monotonic }
    }

    /// Whether something could be sent, and for ten minutes nothing was sent and nothing answered:
    /// that cannot be, so somebody must look.
    package func isStalled(at now: Moment) -> Bool {
        guard hasSendable, let lastMove else { return false }
        return lastMove.adding(seconds: RelayCore.stallSeconds) <= now.monotonic
    }

    private var hasSendable: Bool {
        guard isClockSound, delivery.remote == .open else { return false }
        return delivery.queues.values.contains { !$0.isHeld && !$0.isEmpty && $0.failures == 0 }
    }
}

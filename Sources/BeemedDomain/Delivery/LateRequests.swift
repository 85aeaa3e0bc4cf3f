/// Care with requests that Beeminder may still apply though nobody waits for their answers any
/// more: those that were not answered, and those of an earlier process or of an earlier leader.
///
/// A create that is applied late is harmless if it is repeated meanwhile: it has the same request
/// id and the same content. But it could bring back a datapoint that was deleted, or a value that
/// was revised. So a deletion counts only after the relay has looked again, and a revision after it
/// was sent twice. A new leader also waits before both: the former one may be sending just now.
///
/// This holds for events that the journal shows as settled, too: with two takeovers in half a
/// minute, the second leader may have settled what a request of the first is still about.
struct LateRequests: Sendable {
    /// The contents of requests about an event that were not answered.
    struct Unanswered: Sendable {
        /// Of the last request.
        var value: Double
        var comment: String
        /// Whether there were different ones.
        var isMixed: Bool
        /// When the last request was given up.
        var since: Monotonic

        func isLike(_ outgoing: OutgoingDatapoint) -> Bool {
            value == outgoing.value && comment == outgoing.comment
        }
    }

    /// When this process began to send.
    private let began: Monotonic
    /// The last record of the earlier processes.
    private let through: SequenceNumber
    /// Whether an earlier leader cannot be sending any more.
    private var isAlone: Bool
    private let isTakeover: Bool
    /// By event, while the request may still be applied.
    private(set) var unanswered: [SequenceNumber: Unanswered] = [:]
    /// The number of unanswered events at which those that are over are removed.
    private var cleanUpAt = LateRequests.fewUnanswered
    /// Events that wait, and until when.
    private var resting: [SequenceNumber: Monotonic] = [:]
    /// Events whose datapoint was deleted once, and is looked for again.
    private var deleted: Set<SequenceNumber> = []
    /// Events whose revised datapoint was delivered, and from when on a delivery counts.
    private var delivered: [SequenceNumber: Monotonic] = [:]

    /// How long deletions and revisions of recovered events wait after a takeover, in seconds.
    /// Requests end after 30 s.
    static let waitSeconds = 30.0
    /// How long a request may be applied after it was given up, in seconds: a proxy that answers
    /// 504 does not stop the server behind it.
    static let watchSeconds = 120.0
    /// When a deletion or a revision is repeated, in seconds after the first.
    static let againSeconds = 60.0
    /// Unanswered events up to which none are removed.
    private static let fewUnanswered = 256

    /// - Parameters:
    ///   - through: the last record that was recovered.
    ///   - isTakeover: whether another relay may have sent until now.
    init(since began: Monotonic, through: SequenceNumber, isTakeover: Bool) {
        self.began = began
        self.through = through
        self.isTakeover = isTakeover
        isAlone = !isTakeover
    }

    /// A request was not answered, or not clearly.
    mutating func record(_ outgoing: OutgoingDatapoint, at now: Monotonic) {
        if unanswered.count >= cleanUpAt {
            unanswered = unanswered.filter { isWatched(since: $0.value.since, at: now) }
            cleanUpAt = max(LateRequests.fewUnanswered, 2 * unanswered.count)
        }
        delivered[outgoing.number] = nil
        let earlier = unanswered[outgoing.number]
        let isMixed = earlier.map { $0.isMixed || !$0.isLike(outgoing) } ?? false
        unanswered[outgoing.number] = Unanswered(
            value: outgoing.value, comment: outgoing.comment, isMixed: isMixed, since: now)
    }

    /// Whether any event may have to wait.
    var mayHoldUp: Bool { !isAlone || !resting.isEmpty }

    /// Whether an event must wait; `takeDue` returns it then.
    ///
    /// - Parameter isAmendment: whether the next request is a deletion or a revision.
    mutating func mustWait(_ number: SequenceNumber, isAmendment: Bool) -> Bool {
        if resting[number] != nil { return true }
        guard isAmendment, !isAlone, number <= through else { return false }
        resting[number] = began.adding(seconds: LateRequests.waitSeconds)
        return true
    }

    /// Whether a deletion must be repeated before it counts.
    ///
    /// - Parameters:
    ///   - sent: when it was sent.
    ///   - seconds: how soon.
    mutating func mustLookAgain(
        for number: SequenceNumber, sent: Monotonic, at now: Monotonic,
        after seconds: Double = againSeconds
    ) -> Bool {
        if deleted.remove(number) != nil { return false }
        let isFormers = number <= through && isWatched(since: began, at: sent)
        guard isFormers || unansweredRequest(about: number, at: sent) != nil else { return false }
        delivered[number] = nil
        deleted.insert(number)
        resting[number] = now.adding(seconds: seconds)
        return true
    }

    /// Whether its datapoint was deleted: if it is back, it has another id.
    func wasDeleted(_ number: SequenceNumber) -> Bool { deleted.contains(number) }

    /// Whether a datapoint that may be revised, and was delivered, must be sent again before that
    /// counts: a request with another content may come after it. `takeDue` returns the event then.
    ///
    /// - Parameter sent: when it was sent.
    mutating func mustSendAgain(
        _ outgoing: OutgoingDatapoint, sent: Monotonic, at now: Monotonic
    ) -> Bool {
        let number = outgoing.number
        if let due = delivered[number], due <= sent {
            delivered[number] = nil
            return false
        }
        guard delivered[number] != nil || mayBeOvertaken(outgoing, at: sent) else { return false }
        let due = delivered[number] ?? now.adding(seconds: LateRequests.againSeconds)
        delivered[number] = due
        resting[number] = due
        return true
    }

    private func mayBeOvertaken(_ outgoing: OutgoingDatapoint, at sent: Monotonic) -> Bool {
        // A takeover has waited for the former leader's requests instead.
        if !isTakeover, outgoing.number <= through, isWatched(since: began, at: sent) {
            return true
        }
        let other = unansweredRequest(about: outgoing.number, at: sent)
        return other.map { $0.isMixed || !$0.isLike(outgoing) } ?? false
    }

    /// Whether a request about an event may still be applied though it was not answered.
    func mayArrive(_ number: SequenceNumber, at now: Monotonic) -> Bool {
        number <= through && isWatched(since: began, at: now)
            || unansweredRequest(about: number, at: now) != nil
    }

    /// An event has a newer value, which need not wait until the earlier one is sent again.
    mutating func recordNewValue(of number: SequenceNumber) {
        if delivered[number] != nil { resting[number] = nil }
    }

    private func unansweredRequest(
        about number: SequenceNumber, at now: Monotonic
    ) -> Unanswered? {
        guard !unanswered.isEmpty, let request = unanswered[number] else { return nil }
        return isWatched(since: request.since, at: now) ? request : nil
    }

    private func isWatched(since time: Monotonic, at now: Monotonic) -> Bool {
        now < time.adding(seconds: LateRequests.watchSeconds)
    }

    /// Until when an event waits; nil when it does not.
    func end(of number: SequenceNumber) -> Monotonic? {
        resting.isEmpty ? nil : resting[number]
    }

    /// When the first event need not wait any more; nil when none waits.
    var nextDue: Monotonic? { resting.values.min() }

    /// The events that have waited long enough, in order.
    mutating func takeDue(at now: Monotonic) -> [SequenceNumber] {
        if !isAlone { isAlone = now >= began.adding(seconds: LateRequests.waitSeconds) }
        guard !resting.isEmpty else { return [] }
        let due = resting.filter { $0.value <= now }.map(\.key).sorted()
        for number in due { resting[number] = nil }
        return due
    }
}

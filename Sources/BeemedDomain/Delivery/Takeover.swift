/// Care with datapoints of an earlier leader, whose last requests may still be on their way to
/// Beeminder when this relay begins to lead.
///
/// A repeated create is harmless: it has the same request id and the same content. A late create
/// could bring back a datapoint that was deleted meanwhile, or a value that was revised. So
/// deletions and revisions wait until such a request has arrived or was lost, and after a deletion
/// the relay looks again.
///
/// This holds for events that the journal shows as settled, too: with two takeovers in half a
/// minute, the second leader may have settled what a request of the first is still about.
struct Takeover: Sendable {
    /// When this relay began to lead.
    private let began: Monotonic
    /// The last record of the earlier leaders.
    private let through: SequenceNumber
    /// Whether requests of earlier leaders have all ended.
    private var isAlone = false
    /// Events that wait, and until when.
    private var resting: [SequenceNumber: Monotonic] = [:]
    /// Events whose datapoint was deleted once, and is looked for again.
    private var deleted: Set<SequenceNumber> = []

    /// How long deletions and revisions of recovered events wait, in seconds. Requests end after
    /// 30 s.
    static let waitSeconds = 30.0
    /// How long after a takeover a deletion is repeated, in seconds.
    static let watchSeconds = 120.0
    /// When it is repeated, in seconds after the first.
    static let againSeconds = 60.0

    /// - Parameter through: the last record that was recovered.
    init(at began: Monotonic, through: SequenceNumber) {
        self.began = began
        self.through = through
    }

    /// Whether a deletion or revision must wait; `takeDue` returns it then.
    mutating func mustWait(_ number: SequenceNumber, isAmendment: Bool) -> Bool {
        if resting[number] != nil { return true }
        guard isAmendment, !isAlone, number <= through else { return false }
        resting[number] = began.adding(seconds: Takeover.waitSeconds)
        return true
    }

    /// Whether a deletion must be repeated before it counts.
    mutating func mustLookAgain(for number: SequenceNumber, at now: Monotonic) -> Bool {
        if deleted.remove(number) != nil { return false }
        guard number <= through, now < began.adding(seconds: Takeover.watchSeconds) else {
            return false
        }
        deleted.insert(number)
        resting[number] = now.adding(seconds: Takeover.againSeconds)
        return true
    }

    /// Whether its datapoint was deleted: if it is back, it has another id.
    func wasDeleted(_ number: SequenceNumber) -> Bool { deleted.contains(number) }

    /// When the first event need not wait any more; nil when none waits.
    var nextDue: Monotonic? { resting.values.min() }

    /// The events that have waited long enough, in order.
    mutating func takeDue(at now: Monotonic) -> [SequenceNumber] {
        if !isAlone { isAlone = now >= began.adding(seconds: Takeover.waitSeconds) }
        guard !resting.isEmpty else { return [] }
        let due = resting.filter { $0.value <= now }.map(\.key).sorted()
        for number in due { resting[number] = nil }
        return due
    }
}

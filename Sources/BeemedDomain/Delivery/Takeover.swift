/// Care with datapoints of an earlier leader, whose last requests may still be on their way to
/// Beeminder when this relay begins to lead.
///
/// A repeated create is harmless: it has the same request id and the same content. A late create
/// could bring back a datapoint that was deleted meanwhile, or a value that was revised. So the
/// first deletion or revision waits until such a request has arrived or was lost, and after a
/// deletion the relay looks again.
struct Takeover: Sendable {
    /// When this relay began to lead.
    private let began: Monotonic
    /// The last record of the earlier leader.
    private let through: SequenceNumber
    /// The events of which a request of the earlier leader may be under way.
    private var doubtful: Set<SequenceNumber> = []
    /// Events that wait, and until when.
    private var resting: [SequenceNumber: Monotonic] = [:]
    /// Events whose datapoint was deleted once, and is looked for again.
    private var deleted: Set<SequenceNumber> = []

    /// How long the first deletion or revision of a doubtful event waits, in seconds. Requests end
    /// after 30 s.
    static let waitSeconds = 30.0
    /// How long after a takeover a deletion is repeated, in seconds.
    static let watchSeconds = 120.0
    /// When it is repeated, in seconds after the first.
    static let againSeconds = 60.0

    /// - Parameters:
    ///   - through: the last record that was recovered.
    ///   - doubtful: the recovered events that the journal does not show as settled.
    init(at began: Monotonic, through: SequenceNumber, doubtful: Set<SequenceNumber>) {
        self.began = began
        self.through = through
        self.doubtful = doubtful
    }

    /// Whether a deletion or revision must wait; `takeDue` returns it then.
    mutating func mustWait(_ number: SequenceNumber, isAmendment: Bool) -> Bool {
        if resting[number] != nil { return true }
        guard isAmendment, doubtful.contains(number) else { return false }
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
        if !doubtful.isEmpty, now >= began.adding(seconds: Takeover.waitSeconds) { doubtful = [] }
        guard !resting.isEmpty else { return [] }
        let due = resting.filter { $0.value <= now }.map(\.key).sorted()
        for number in due { resting[number] = nil }
        return due
    }
}

/// The records that wait for the journal, submitted by the loop and taken by the journal's thread.
struct RecordQueue: Sendable {
    /// Records to be written at once, or one after the other as far as they fit.
    struct Batch: Sendable {
        var records: [Record]
        var live: LiveSize
    }

    private var waiting: [Record] = []
    /// Whether a request waits for one of them.
    private var isUrgent = false
    private var since: Monotonic?
    /// The size that the journal must hold, as last submitted.
    private(set) var live = LiveSize(bytes: 0)
    /// Whether there was no free space for a batch, and the loop has not heard of it: until then
    /// its records would follow a gap.
    private var isRejecting = false

    /// How long records without a waiting request may stay in memory, in seconds.
    static let patience = 1.0

    var isEmpty: Bool { waiting.isEmpty }

    mutating func submit(
        _ records: [Record], isUrgent: Bool, live: LiveSize, at now: Monotonic
    ) {
        guard !isRejecting else { return }
        if waiting.isEmpty { waiting = records } else { waiting += records }
        self.isUrgent = self.isUrgent || isUrgent
        since = since ?? now
        self.live = live
    }

    /// When the records without a waiting request must be written; nil when there are none.
    var deadline: Monotonic? { since?.adding(seconds: RecordQueue.patience) }

    /// Whether a batch must be written now.
    ///
    /// - Parameter isClosing: whether everything is due.
    func isDue(at now: Monotonic, isClosing: Bool) -> Bool {
        guard !waiting.isEmpty else { return false }
        return isUrgent || isClosing || deadline.map { $0 <= now } ?? false
    }

    /// Takes all records, if they are due.
    ///
    /// - Parameter isClosing: whether everything is due.
    mutating func take(at now: Monotonic, isClosing: Bool) -> Batch? {
        guard isDue(at: now, isClosing: isClosing) else { return nil }
        defer { clear() }
        return Batch(records: waiting, live: live)
    }

    /// There was no free space for a batch: what is submitted is dropped until the loop hears of
    /// it.
    mutating func reject() {
        isRejecting = true
        clear()
    }

    /// The loop has heard of all outcomes: it gives the numbers again.
    mutating func acknowledge() { isRejecting = false }

    private mutating func clear() {
        waiting = []
        since = nil
        isUrgent = false
    }
}

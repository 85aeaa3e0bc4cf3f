/// The records that wait for the journal, submitted by the loop and taken by the journal's thread.
struct RecordQueue: Sendable {
    /// Records to be written at once, or one after the other as far as they fit.
    struct Batch: Sendable {
        var records: [Record]
        var epoch: UInt64
        var live: LiveSize
    }

    private var waiting: [Record] = []
    /// Whether a request waits for one of them.
    private var isUrgent = false
    private var since: Monotonic?
    private var epoch: UInt64 = 0
    /// The size that the journal must hold, as last submitted.
    private(set) var live = LiveSize(bytes: 0)
    /// Batches of earlier epochs than this were rejected.
    private var rejectedBefore: UInt64 = 0

    /// How long records without a waiting request may stay in memory, in seconds.
    static let patience = 1.0

    var isEmpty: Bool { waiting.isEmpty }

    mutating func submit(
        _ records: [Record], epoch: UInt64, isUrgent: Bool, live: LiveSize, at now: Monotonic
    ) {
        guard epoch >= rejectedBefore else { return }
        if epoch > self.epoch {
            waiting.removeAll()  // Rejected together with earlier ones.
            self.epoch = epoch
        }
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
        return Batch(records: waiting, epoch: epoch, live: live)
    }

    /// There was no free space for a batch of that epoch: later records of it would follow a gap.
    mutating func reject(epoch: UInt64) {
        rejectedBefore = max(rejectedBefore, epoch + 1)
        if self.epoch <= epoch { clear() }
    }

    private mutating func clear() {
        waiting = []
        since = nil
        isUrgent = false
    }
}

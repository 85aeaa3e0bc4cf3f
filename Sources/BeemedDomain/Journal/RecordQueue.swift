/// The records that wait for the journal: what the loop submits and the journal's thread takes.
struct RecordQueue: Sendable {
    /// What is written at once, as far as it fits.
    struct Batch: Sendable {
        var records: [Record]
        var epoch: UInt64
        var live: LiveSize
    }

    private var waiting: [Record] = []
    /// Whether somebody waits for one of them.
    private var isUrgent = false
    private var since: Monotonic?
    private var epoch: UInt64 = 0
    /// What the journal must hold, as it was last said.
    private(set) var live = LiveSize(events: 0, bytes: 0)
    /// Batches of an earlier epoch were rejected with one before them.
    private var rejectedBefore: UInt64 = 0

    /// Records taken at once.
    static let mostRecords = 4_096
    /// How long records that nobody waits for may stay in memory, in seconds.
    static let patience = 1.0

    var isEmpty: Bool { waiting.isEmpty }

    mutating func submit(
        _ records: [Record], epoch: UInt64, isUrgent: Bool, live: LiveSize, at now: Monotonic
    ) {
        guard epoch >= rejectedBefore, epoch >= self.epoch else { return }
        if epoch > self.epoch {
            waiting.removeAll()  // They were rejected with those before them.
            self.epoch = epoch
        }
        if waiting.isEmpty { waiting = records } else { waiting += records }
        self.isUrgent = self.isUrgent || isUrgent
        since = since ?? now
        self.live = live
    }

    /// When the records that nobody waits for are to be written; nil when there are none.
    var deadline: Monotonic? { since?.adding(seconds: RecordQueue.patience) }

    /// Whether a batch is to be written now.
    ///
    /// - Parameter isClosing: everything is due.
    func isDue(at now: Monotonic, isClosing: Bool) -> Bool {
        guard !waiting.isEmpty else { return false }
        return isUrgent || isClosing || deadline.map { $0 <= now } ?? false
    }

    /// The next batch, if one is due.
    ///
    /// - Parameter isClosing: everything is due.
    mutating func take(at now: Monotonic, isClosing: Bool) -> Batch? {
        guard isDue(at: now, isClosing: isClosing) else { return nil }
        var records: [Record] = []
        if waiting.count <= RecordQueue.mostRecords {
            swap(&records, &waiting)
            clear()
        } else {
            records = Array(waiting.prefix(RecordQueue.mostRecords))
            waiting.removeFirst(records.count)
        }
        return Batch(records: records, epoch: epoch, live: live)
    }

    /// There was no room for a batch of that epoch: what came after it has a gap before it.
    mutating func reject(epoch: UInt64) {
        rejectedBefore = max(rejectedBefore, epoch + 1)
        guard self.epoch <= epoch else { return }
        waiting.removeAll()
        clear()
    }

    private mutating func clear() {
        since = nil
        isUrgent = false
    }
}

/// What became of records.
package enum CommitOutcome: Sendable {
    /// They are durable.
    case committed(Receipt)
    /// There is no room. What the receipt covers is durable; nothing after it, nor any later one of
    /// that epoch, was kept. It says both because words about earlier records may come later.
    case rejected(epoch: UInt64, Receipt, DiskError)
    /// Nobody knows. The process must end.
    case failed(DiskError)
    /// The journal is closed, in good order or not.
    case closed(DiskError?)
}

extension Journal {
    /// Writes a batch in as many steps as it takes.
    ///
    /// - Parameter report: called after every step. After `rejected` or `failed` there is none.
    mutating func write(_ batch: RecordQueue.Batch, report: (CommitOutcome) -> Void) {
        var rest = batch.records[...]
        while let first = rest.first {
            do throws(CommitFailure) {
                let receipt = try commit(rest, live: batch.live)
                rest = rest.dropFirst(Int(receipt.through.value - first.number.value) + 1)
                report(.committed(receipt))
            } catch {
                switch error {
                case .full(let cause): report(.rejected(epoch: batch.epoch, receipt, cause))
                case .unknown(let cause): report(.failed(cause))
                }
                return
            }
        }
    }
}

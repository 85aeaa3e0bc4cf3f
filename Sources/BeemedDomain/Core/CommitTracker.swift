/// Numbers the records, and tracks which of them are durable and what waits for them.
///
/// Records that found no free space are forgotten, and their numbers are used again. Facts that
/// have happened, and which nobody waits for, are kept and written later.
final class CommitTracker {
    /// A request that waits for a record to be durable.
    struct Waiting: Sendable, Equatable {
        /// The requested operation.
        enum Purpose: Sendable, Equatable {
            /// A new press, or the first total of a day.
            case newEvent
            case repetition, command
            /// A further total of a day, and its effect.
            case total(TotalState, value: Double)
        }

        var replyID: ReplyID
        /// The event.
        var number: SequenceNumber
        /// The record whose receipt it waits for.
        var until: SequenceNumber
        var purpose: Purpose
    }

    /// A step that a receipt makes possible.
    enum Step: Sendable, Equatable {
        /// A record about an event takes effect.
        case written(Record)
        /// A request is answered.
        case answer(Waiting)
    }

    /// The last receipt of the journal.
    private(set) var receipt: Receipt
    /// The number of the next record.
    private(set) var next: SequenceNumber
    /// The last recovered record. The receipt is lower when the disk could not be written at the
    /// start: these records are then known but not confirmed durable.
    let recovered: SequenceNumber
    /// Whether the last attempt to accept something found no free space. It is false again
    /// with the receipt for a record that needs free space: others prove nothing, since they are
    /// written while there is any space at all.
    private(set) var isDiskFull: Bool
    /// Facts that must be recorded but found no free space.
    private(set) var deferred: [Record.Fact] = []
    private var waiting = Queue<Waiting>()
    /// Records about events that are not durable yet, in order.
    private(set) var unwritten = Queue<Record>()
    /// When to check for free space again.
    private(set) var spaceCheckAt: Monotonic?
    /// The record whose receipt shows that there is free space again. Records about settled events
    /// do not show it: they are written as long as there is any free space.
    private var spaceProof: SequenceNumber?

    /// Seconds until the next check for free space.
    private static let spaceCheckSeconds = 5.0

    /// - Parameter isDiskFull: whether the journal could not be written at the start.
    init(next: SequenceNumber, receipt: Receipt, isDiskFull: Bool) {
        self.receipt = receipt
        self.next = next
        self.isDiskFull = isDiskFull
        recovered = SequenceNumber(next.value - 1)
        if isDiskFull { spaceCheckAt = Monotonic(milliseconds: .min) }
    }

    // MARK: Not durable yet

    /// Whether repaired times are not durable yet, deferred ones included.
    var hasUnwrittenTimes: Bool {
        func isTime(_ fact: Record.Fact) -> Bool { if case .timed = fact { true } else { false } }
        return unwritten.prefix(unwritten.count).contains { isTime($0.fact) }
            || deferred.contains(where: isTime)
    }

    /// The events about which there are records that are not durable yet: what is known of them is
    /// older than those.
    var changing: Set<SequenceNumber> {
        Set(unwritten.prefix(unwritten.count).lazy.compactMap(\.of))
    }

    /// The events among them about which there is more than a delivery: they must stay known.
    var unforgettable: Set<SequenceNumber> {
        Set(
            unwritten.prefix(unwritten.count).lazy.filter {
                if case .done = $0.fact { false } else { true }
            }.compactMap(\.of))
    }

    /// Whether there is such a record of the folder's user.
    var isUserChanging: Bool {
        unwritten.prefix(unwritten.count).contains { $0.of == nil }
    }

    /// The newest value of a day's total that is not durable yet, and its record; nil without one.
    func requestedValue(of event: SequenceNumber) -> (value: Double, record: SequenceNumber)? {
        for record in unwritten.prefix(unwritten.count).reversed() {
            if case .revise(event, let value, _) = record.fact { return (value, record.number) }
        }
        return nil
    }

    /// The user's command for an event whose record is not durable yet, and that record; nil
    /// without one.
    func command(of event: SequenceNumber) -> (record: SequenceNumber, isUndo: Bool)? {
        for record in unwritten.prefix(unwritten.count) {
            switch record.fact {
            case .undo(event), .undone(event), .leftOut(event): return (record.number, true)
            case .retry(event, _, _): return (record.number, false)
            default: break
            }
        }
        return nil
    }

    // MARK: Writing

    /// Gives a fact its number.
    func makeRecord(of fact: consuming Record.Fact) -> (record: Record, isUrgent: Bool) {
        let record = Record(next, fact)
        next = next.next
        var isUrgent = true
        switch record.fact {
        case .put, .mark: spaceProof = spaceProof ?? record.number
        // A repeated statement can wait for the next batch.
        case .carried:
            isUrgent = false
            unwritten.append(record)
        case .done:
            // Losing a `done` causes a repeated request, which Beeminder detects by its request id.
            isUrgent = false
            unwritten.append(record)
        case .revise:
            spaceProof = spaceProof ?? record.number
            unwritten.append(record)
        case .refused, .undo, .undone, .leftOut, .retry, .cleared, .timed, .evaluated, .user:
            unwritten.append(record)
        }
        return (record, isUrgent)
    }

    /// A request is answered when that record is durable.
    func wait(
        _ replyID: ReplyID, for purpose: Waiting.Purpose, of number: SequenceNumber,
        until record: SequenceNumber
    ) {
        waiting.append(
            Waiting(replyID: replyID, number: number, until: record, purpose: purpose))
    }

    // MARK: Receipts

    /// Everything up to the receipt is durable.
    ///
    /// - Returns: whether that is new; a rejection carries the receipt of earlier records, which
    ///   may already be known.
    func receive(_ receipt: Receipt) -> Bool {
        guard receipt.through > self.receipt.through else { return false }
        self.receipt = receipt
        if let proof = spaceProof, proof <= receipt.through {
            spaceProof = nil
            isDiskFull = false
            // There is free space: write the facts that found none before.
            spaceCheckAt = deferred.isEmpty ? nil : Monotonic(milliseconds: .min)
        }
        return true
    }

    /// The next record that takes effect or request that is answered, in the order of the records:
    /// a command of the user may follow an event. Nil when all others must still wait.
    func popStep() -> Step? {
        let request = waiting.first.flatMap { $0.until <= receipt.through ? $0 : nil }
        if !unwritten.isEmpty, let record = popWritten(through: request?.until ?? receipt.through) {
            return .written(record)
        }
        guard let request else { return nil }
        waiting.popFirst()
        return .answer(request)
    }

    /// The next record up to that one, if it is durable.
    private func popWritten(through last: SequenceNumber) -> Record? {
        guard let record = unwritten.first, record.number <= min(last, receipt.through) else {
            return nil
        }
        return unwritten.popFirst()
    }

    // MARK: No free space

    /// There was no free space: forgets the records that are not durable and reuses their numbers.
    func withdraw(at now: Monotonic) -> [Waiting] {
        isDiskFull = true
        spaceProof = nil
        let requests = waiting.removeAll()
        // A new event and a repetition change no known one.
        let commands = Set(
            requests.lazy.filter { ![.newEvent, .repetition].contains($0.purpose) }.map(\.until))
        let facts = unwritten.removeAll().filter { !commands.contains($0.number) }.map(\.fact)
        // An event's state may change before it is stated again.
        deferred += facts.filter { if case .carried = $0 { false } else { true } }
        spaceCheckAt = now.adding(seconds: CommitTracker.spaceCheckSeconds)
        next = max(receipt.through, recovered).next
        return requests
    }

    /// The facts to write now that found no free space before or, without any, a mark: a full disk
    /// must be seen to have space again without a press.
    func takeFactsDue(at now: Monotonic) -> [Record.Fact] {
        guard let time = spaceCheckAt, time <= now else { return [] }
        spaceCheckAt = isDiskFull ? now.adding(seconds: CommitTracker.spaceCheckSeconds) : nil
        let mark: [Record.Fact] = deferred.isEmpty && isDiskFull ? [.mark] : []
        return mark + takeDeferred()
    }

    /// The facts that found no free space, to be written in order.
    func takeDeferred() -> [Record.Fact] {
        defer { deferred = [] }
        return deferred
    }
}

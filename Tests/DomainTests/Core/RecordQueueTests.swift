import Testing

@testable import BeemedDomain

struct RecordQueueTests {
    private func records(_ numbers: ClosedRange<UInt64>) -> [Record] {
        numbers.map { Record(SequenceNumber($0), .mark) }
    }

    private func submit(
        _ queue: inout RecordQueue, _ numbers: ClosedRange<UInt64>, isUrgent: Bool = true,
        at milliseconds: Int64 = 0
    ) {
        queue.submit(
            records(numbers), isUrgent: isUrgent, live: LiveSize(bytes: 0),
            at: Monotonic(milliseconds: milliseconds))
    }

    private func take(
        _ queue: inout RecordQueue, at milliseconds: Int64 = 0, isClosing: Bool = false
    ) -> [UInt64] {
        let now = Monotonic(milliseconds: milliseconds)
        return queue.take(at: now, isClosing: isClosing)?.records.map(\.number.value) ?? []
    }

    @Test func `gathers all that waits into one batch`() {
        var queue = RecordQueue()
        submit(&queue, 1...3)
        submit(&queue, 4...5)
        expect(take(&queue), is: [1, 2, 3, 4, 5])
        expect(take(&queue).isEmpty)
        expect(queue.deadline == nil)
    }

    @Test func `keeps what nobody waits for at most a second`() {
        var queue = RecordQueue()
        submit(&queue, 1...1, isUrgent: false, at: 500)
        submit(&queue, 2...2, isUrgent: false, at: 900)
        expect(queue.deadline, is: Monotonic(milliseconds: 1_500))
        expect(take(&queue, at: 1_499).isEmpty)
        expect(take(&queue, at: 1_500), is: [1, 2])
    }

    @Test func `takes what nobody waits for along with what somebody does`() {
        var queue = RecordQueue()
        submit(&queue, 1...1, isUrgent: false)
        submit(&queue, 2...2)
        expect(take(&queue), is: [1, 2])
        submit(&queue, 3...3, isUrgent: false)
        expect(take(&queue).isEmpty)
        expect(take(&queue, isClosing: true), is: [3])
    }

    @Test func `drops what comes after a rejected batch, until the loop has heard of it`() {
        var queue = RecordQueue()
        submit(&queue, 1...2)
        expect(take(&queue), is: [1, 2])
        submit(&queue, 3...3)
        queue.reject()
        submit(&queue, 4...4)
        expect(take(&queue, isClosing: true).isEmpty)
        queue.acknowledge()
        submit(&queue, 1...1)
        expect(take(&queue), is: [1])
    }

    @Test func `takes a batch in steps and says how far it came`() throws {
        var rig = try JournalRig(limits: .small)
        let batch = RecordQueue.Batch(
            records: (1...9).map { Record(SequenceNumber($0), .put(.make("e\($0)"))) },
            live: LiveSize(bytes: 0))
        rig.disk.fail("commit.append", 28, after: 2)
        var receipts: [UInt64] = []
        var rejected: UInt64?
        rig.journal.write(batch) { outcome in
            switch outcome {
            case .committed(let receipt): receipts.append(receipt.through.value)
            case .rejected(let receipt, _): rejected = receipt.through.value
            case .wantsCarrying, .failed, .closed: Issue.record("\(outcome)")
            }
        }
        expect(receipts.count, is: 2)
        expect(receipts.last, is: rejected)
        try rig.reopen()
        expect(UInt64(rig.recovered.entries.count), is: rejected)
    }

    @Test func `has a journal that failed once fail for ever`() throws {
        var rig = try JournalRig()
        rig.disk.fail("commit.sync", 5)
        let batch = RecordQueue.Batch(records: [Record(1, .mark)], live: LiveSize(bytes: 0))
        for _ in 0..<3 {
            var outcomes: [CommitOutcome] = []
            rig.journal.write(batch) { outcomes.append($0) }
            guard case .failed? = outcomes.first else { throw Unexpected(outcomes) }
        }
        #expect(throws: CommitFailure.self) { try rig.journal.close() }
    }
}

import Testing

@testable import BeemedDomain

/// Numbers of records, receipts, and what they make possible.
struct CommitTrackerTests {
    private var rig: JournalRig
    private var tracker: CommitTracker
    private let now = Monotonic(milliseconds: 1_000)

    init() throws {
        rig = try JournalRig()
        tracker = CommitTracker(next: rig.next, receipt: rig.receipt, isDiskFull: false)
    }

    /// Numbers these facts and makes them durable.
    private mutating func commit(_ facts: Record.Fact...) throws -> Receipt {
        for fact in facts { _ = tracker.makeRecord(of: fact) }
        return try rig.commit(facts)
    }

    private mutating func steps() -> [CommitTracker.Step] {
        var steps: [CommitTracker.Step] = []
        while let step = tracker.popStep() { steps.append(step) }
        return steps
    }

    private func request(_ id: UInt64, until record: UInt64) -> CommitTracker.Waiting {
        CommitTracker.Waiting(
            replyID: ReplyID(id), number: SequenceNumber(1), until: SequenceNumber(record),
            purpose: .newEvent)
    }

    @Test mutating func `nothing is answered before its record is durable`() throws {
        tracker.wait(ReplyID(7), for: .newEvent, of: SequenceNumber(1), until: SequenceNumber(1))
        let receipt = try commit(.put(.make("a")))
        expect(steps(), is: [])
        let isNew = tracker.receive(receipt)
        expect(isNew)
        expect(steps(), is: [.answer(request(7, until: 1))])
        let isNewAgain = tracker.receive(receipt)
        expect(!isNewAgain && steps() == [])
    }

    @Test mutating func `records and requests follow the order of the numbers`() throws {
        tracker.wait(ReplyID(1), for: .newEvent, of: SequenceNumber(1), until: SequenceNumber(1))
        tracker.wait(ReplyID(2), for: .newEvent, of: SequenceNumber(1), until: SequenceNumber(3))
        let undone = Record.Fact.undone(of: SequenceNumber(1))
        _ = tracker.receive(try commit(.put(.make("a")), undone, .put(.make("b"))))
        expect(
            steps(),
            is: [
                .answer(request(1, until: 1)), .written(Record(SequenceNumber(2), undone)),
                .answer(request(2, until: 3)),
            ])
    }

    @Test mutating func `repaired times are counted until they are durable`() throws {
        _ = tracker.receive(try commit(.put(.make("a"))))
        let timed = Record.Fact.timed(of: SequenceNumber(1), at: UnixTime(1_760_000_000))
        _ = tracker.makeRecord(of: timed)
        _ = tracker.withdraw(at: now)
        expect(tracker.hasUnwrittenTimes, "deferred")
        let facts = tracker.takeDeferred()
        expect(facts == [timed] && !tracker.hasUnwrittenTimes)
        _ = tracker.receive(try commit(timed))
        expect(tracker.hasUnwrittenTimes)
        _ = steps()
        expect(!tracker.hasUnwrittenTimes)
    }
}

import Testing

@testable import BeemedDomain

/// Numbers of records, receipts, and what they make possible.
@Suite struct CommitTrackerTests {
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
            purpose: .press)
    }

    @Test mutating func `nothing is answered before its record is durable`() throws {
        tracker.wait(ReplyID(7), for: .press, of: SequenceNumber(1), until: SequenceNumber(1))
        let receipt = try commit(.put(.make("a")))
        #expect(steps() == [])
        let isNew = tracker.receive(receipt)
        #expect(isNew)
        #expect(steps() == [.answer(request(7, until: 1))])
        let isNewAgain = tracker.receive(receipt)
        #expect(!isNewAgain && steps() == [])
    }

    @Test mutating func `records and requests follow the order of the numbers`() throws {
        tracker.wait(ReplyID(1), for: .press, of: SequenceNumber(1), until: SequenceNumber(1))
        tracker.wait(ReplyID(2), for: .press, of: SequenceNumber(1), until: SequenceNumber(3))
        let undone = Record.Fact.undone(of: SequenceNumber(1))
        _ = tracker.receive(try commit(.put(.make("a")), undone, .put(.make("b"))))
        #expect(
            steps() == [
                .answer(request(1, until: 1)), .written(Record(SequenceNumber(2), undone)),
                .answer(request(2, until: 3)),
            ])
    }

    @Test mutating func `numbers that found no room are used again, in another epoch`() throws {
        let done = Record.Fact.refused(of: SequenceNumber(1), status: 422, why: "no")
        _ = tracker.receive(try commit(.put(.make("a"))))
        tracker.wait(ReplyID(1), for: .press, of: SequenceNumber(2), until: SequenceNumber(2))
        _ = tracker.makeRecord(of: .put(.make("b")))
        _ = tracker.makeRecord(of: done)
        let requests = tracker.withdraw(0, at: now)
        #expect(requests?.map(\.replyID) == [ReplyID(1)])
        #expect(tracker.next == SequenceNumber(2) && tracker.epoch == 1 && tracker.isDiskFull)
        let again = tracker.withdraw(0, at: now)
        #expect(again == nil, "of an epoch that has ended")
        #expect(tracker.deferred == [done], "it has happened, whatever the disk says")
        // It is written later, and only what needs room shows that there is room.
        let early = tracker.takeFactsDue(at: now)
        let due = tracker.takeFactsDue(at: now.adding(seconds: 6))
        #expect(early == [] && due == [done])
        _ = tracker.receive(try commit(done))
        #expect(tracker.isDiskFull)
        let mark = tracker.takeFactsDue(at: now.adding(seconds: 12))
        #expect(mark == [.mark])
        _ = tracker.receive(try commit(.mark))
        #expect(!tracker.isDiskFull)
    }

    @Test mutating func `a command that found no room is not written later`() throws {
        _ = tracker.receive(try commit(.put(.make("a"))))
        let record = tracker.next
        tracker.wait(ReplyID(1), for: .command, of: SequenceNumber(1), until: record)
        _ = tracker.makeRecord(of: .undone(of: SequenceNumber(1)))
        _ = tracker.withdraw(0, at: now)
        #expect(tracker.deferred == [])
    }

    @Test mutating func `repaired times are counted until they are durable`() throws {
        _ = tracker.receive(try commit(.put(.make("a"))))
        let timed = Record.Fact.timed(of: SequenceNumber(1), at: UnixTime(1_760_000_000))
        _ = tracker.makeRecord(of: timed)
        _ = tracker.withdraw(0, at: now)
        #expect(tracker.unwrittenTimes == 1, "deferred")
        let facts = tracker.takeDeferred()
        #expect(facts == [timed] && tracker.unwrittenTimes == 0)
        _ = tracker.receive(try commit(timed))
        #expect(tracker.unwrittenTimes == 1)
        _ = steps()
        #expect(tracker.unwrittenTimes == 0)
    }
}

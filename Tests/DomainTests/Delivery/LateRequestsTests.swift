import Testing

@testable import BeemedDomain

/// What is done about requests that Beeminder may apply when nobody waits for their answers.
@Suite struct LateRequestsTests {
    private func late(isTakeover: Bool = false) -> LateRequests {
        LateRequests(
            since: Monotonic(milliseconds: 1_000), through: 10, isTakeover: isTakeover)
    }

    private func at(_ seconds: Int64) -> Monotonic {
        Monotonic(milliseconds: 1_000 + seconds * 1_000)
    }

    private func sent(_ number: SequenceNumber, _ value: Double = 1) -> OutgoingDatapoint {
        OutgoingDatapoint(
            number, to: .known("pushups"), requestID: "button-\(number)", value: value,
            comment: "", at: UnixTime(1_760_000_000))
    }

    // MARK: After a takeover

    @Test func `creates are sent at once`() {
        var late = late(isTakeover: true)
        let waits = late.mustWait(3, isAmendment: false)
        #expect(!waits)
        #expect(late.nextDue == nil)
    }

    @Test func `deletions and revisions of recovered events wait 30 s`() {
        var late = late(isTakeover: true)
        let waits = late.mustWait(3, isAmendment: true)
        #expect(waits)
        #expect(late.nextDue == at(30))
        let early = late.takeDue(at: at(29))
        #expect(early.isEmpty)
        let due = late.takeDue(at: at(30))
        #expect(due == [3])
        let waitsAgain = late.mustWait(3, isAmendment: true)
        #expect(!waitsAgain)
    }

    @Test func `events of this leader need not wait, and none after 30 s`() {
        var late = late(isTakeover: true)
        let waitsForOwn = late.mustWait(11, isAmendment: true)
        #expect(!waitsForOwn)
        let due = late.takeDue(at: at(30))
        #expect(due.isEmpty)
        let waitsLater = late.mustWait(4, isAmendment: true)
        #expect(!waitsLater)
    }

    @Test func `a relay on its own waits for nobody`() {
        var late = late()
        let waits = late.mustWait(3, isAmendment: true)
        #expect(!waits && !late.mayHoldUp)
    }

    // MARK: Deletions

    @Test(arguments: [true, false])
    func `a deletion soon after a start is repeated once, 60 s later`(isTakeover: Bool) {
        var late = late(isTakeover: isTakeover)
        let looksAgain = late.mustLookAgain(for: 3, sent: at(40), at: at(40))
        #expect(looksAgain)
        #expect(late.wasDeleted(3))
        #expect(late.nextDue == at(100))
        let due = late.takeDue(at: at(100))
        #expect(due == [3])
        let looksTwice = late.mustLookAgain(for: 3, sent: at(101), at: at(101))
        #expect(!looksTwice)
        #expect(!late.wasDeleted(3))
    }

    @Test func `a deletion later, or of an own press, counts at once`() {
        var late = late()
        let looksAgainLater = late.mustLookAgain(for: 3, sent: at(121), at: at(121))
        #expect(!looksAgainLater)
        let looksAgainForOwn = late.mustLookAgain(for: 11, sent: at(5), at: at(5))
        #expect(!looksAgainForOwn)
    }

    @Test func `a deletion after a request without an answer is repeated for two minutes`() {
        var late = late()
        late.record(sent(11), at: at(500))
        late.record(sent(12), at: at(500))
        let looksAgain = late.mustLookAgain(for: 11, sent: at(619), at: at(619))
        #expect(looksAgain)
        let looksAgainLater = late.mustLookAgain(for: 12, sent: at(620), at: at(620))
        #expect(!looksAgainLater)
    }

    @Test func `requests without an answer are forgotten`() {
        var late = late()
        for number in 0..<10_000 {
            let number = SequenceNumber(UInt64(11 + number))
            late.record(sent(number), at: at(Int64(number.value)))
        }
        #expect(late.unanswered.count <= 512)
    }

    // MARK: Revised values

    @Test func `a revision after another value without an answer is sent again 60 s later`() {
        var late = late()
        late.record(sent(11, 5), at: at(500))
        let isUnsure = late.mustSendAgain(sent(11, 6), sent: at(510), at: at(510))
        #expect(isUnsure)
        #expect(late.nextDue == at(570))
        let waits = late.mustWait(11, isAmendment: true)
        #expect(waits)
        let due = late.takeDue(at: at(570))
        #expect(due == [11])
        let isStillUnsure = late.mustSendAgain(sent(11, 6), sent: at(571), at: at(571))
        #expect(!isStillUnsure)
    }

    @Test func `a newer value does not wait for that, and is sent again no later`() {
        var late = late()
        late.record(sent(11, 5), at: at(500))
        _ = late.mustSendAgain(sent(11, 6), sent: at(510), at: at(510))
        late.recordNewValue(of: 11)
        let waits = late.mustWait(11, isAmendment: true)
        #expect(!waits)
        let isUnsure = late.mustSendAgain(sent(11, 7), sent: at(520), at: at(520))
        #expect(isUnsure)
        #expect(late.nextDue == at(570))
    }

    @Test func `the same value as the one without an answer is not sent again`() {
        var late = late()
        late.record(sent(11, 5), at: at(500))
        let isUnsure = late.mustSendAgain(sent(11, 5), sent: at(510), at: at(510))
        #expect(!isUnsure)
        late.record(sent(11, 6), at: at(520))
        // The 5 may come after this 6, too.
        let isUnsureNow = late.mustSendAgain(sent(11, 6), sent: at(530), at: at(530))
        #expect(isUnsureNow)
    }

    @Test func `a revision soon after a start is sent again, unless a takeover has waited`() {
        var alone = late()
        let isUnsure = alone.mustSendAgain(sent(3), sent: at(10), at: at(10))
        #expect(isUnsure)
        var leader = late(isTakeover: true)
        let isUnsureAsLeader = leader.mustSendAgain(sent(3), sent: at(40), at: at(40))
        #expect(!isUnsureAsLeader)
    }

    // MARK: In the core

    @Test func `an undone press that Beeminder applies after its time-out is deleted`() throws {
        var bench = try CoreBench()
        bench.learn()
        bench.press(.make("a"))
        try bench.commit()
        bench.deliver(1, .unreachable("no answer within 30 s"))
        bench.undo("a")
        try bench.commit()
        // At once: mostly there is nothing.
        #expect(bench.deletions.map(\.datapoint) == [nil])
        bench.erase(.erased)
        try bench.commit()
        #expect(bench.core.erasingEvents == 1)
        #expect(bench.state("a") == .undone)
        bench.pass(seconds: 61)
        #expect(bench.deletions.map(\.datapoint) == [nil, nil])
        bench.erase(.erased)
        try bench.commit()
        #expect(bench.core.erasingEvents == 0)
    }

    @Test func `an undone press that an overloaded server applies later is deleted`() throws {
        for (mayBeApplied, deletions) in [(true, 2), (false, 1)] {
            var bench = try CoreBench()
            bench.learn()
            bench.press(.make("a"))
            try bench.commit()
            bench.deliver(1, .busy(retryAfter: 1, mayBeApplied: mayBeApplied))
            bench.undo("a")
            try bench.commit()
            bench.pass(seconds: 2)
            bench.erase(.erased)
            try bench.commit()
            bench.pass(seconds: 61)
            #expect(bench.deletions.count == deletions)
        }
    }

    @Test func `an undone press whose create arrives late is deleted again`() throws {
        var bench = try CoreBench()
        bench.learn()
        bench.press(.make("a"))
        try bench.commit()
        // The former leader has sent it, and nobody knows what became of it.
        #expect(bench.sent.map(\.number) == [1])
        try bench.takeOver()
        bench.undo("a")
        try bench.commit()
        bench.deliver(1, .delivered(.duplicate, datapoint: "d1"))
        try bench.commit()
        #expect(bench.deletions.isEmpty)
        bench.pass(seconds: 31)
        #expect(bench.deletions.map(\.datapoint) == ["d1"])
        bench.erase(.erased)
        try bench.commit()
        #expect(bench.core.erasingEvents == 1)
        bench.pass(seconds: 61)
        // Whatever it is called now.
        #expect(bench.deletions.map(\.datapoint) == ["d1", nil])
        bench.erase(.erased)
        try bench.commit()
        #expect(bench.core.erasingEvents == 0)
        #expect(bench.state("a") == .undone)
    }
}

import Testing

@testable import BeemedDomain

/// What a new leader does about requests of the former one that may still arrive.
@Suite(.timeLimit(.minutes(5))) struct TakeoverTests {
    private func takeover() -> Takeover {
        Takeover(at: Monotonic(milliseconds: 1_000), through: 10)
    }

    private func at(_ seconds: Int64) -> Monotonic {
        Monotonic(milliseconds: 1_000 + seconds * 1_000)
    }

    @Test func `creates are sent at once`() {
        var takeover = takeover()
        let waits = takeover.mustWait(3, isAmendment: false)
        #expect(!waits)
        #expect(takeover.nextDue == nil)
    }

    @Test func `deletions and revisions of recovered events wait 30 s`() {
        var takeover = takeover()
        let waits = takeover.mustWait(3, isAmendment: true)
        #expect(waits)
        #expect(takeover.nextDue == at(30))
        let early = takeover.takeDue(at: at(29))
        #expect(early == [])
        let due = takeover.takeDue(at: at(30))
        #expect(due == [3])
        let waitsAgain = takeover.mustWait(3, isAmendment: true)
        #expect(!waitsAgain)
    }

    @Test func `events of this leader need not wait, and none after 30 s`() {
        var takeover = takeover()
        let waitsForOwn = takeover.mustWait(11, isAmendment: true)
        #expect(!waitsForOwn)
        let due = takeover.takeDue(at: at(30))
        #expect(due == [])
        let waitsLater = takeover.mustWait(4, isAmendment: true)
        #expect(!waitsLater)
    }

    @Test func `a deletion soon after a takeover is repeated once, 60 s later`() {
        var takeover = takeover()
        let looksAgain = takeover.mustLookAgain(for: 3, at: at(40))
        #expect(looksAgain)
        #expect(takeover.wasDeleted(3))
        #expect(takeover.nextDue == at(100))
        let due = takeover.takeDue(at: at(100))
        #expect(due == [3])
        let looksTwice = takeover.mustLookAgain(for: 3, at: at(101))
        #expect(!looksTwice)
        #expect(!takeover.wasDeleted(3))
    }

    @Test func `a deletion later, or of an own press, counts at once`() {
        var takeover = takeover()
        let looksAgainLater = takeover.mustLookAgain(for: 3, at: at(121))
        #expect(!looksAgainLater)
        let looksAgainForOwn = takeover.mustLookAgain(for: 11, at: at(5))
        #expect(!looksAgainForOwn)
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

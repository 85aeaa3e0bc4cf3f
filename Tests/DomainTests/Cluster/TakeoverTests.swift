import Testing

@testable import BeemedDomain

/// What a new leader does about requests of the former one that may still arrive.
@Suite(.timeLimit(.minutes(5))) struct TakeoverTests {
    private func takeover(
        _ doubtful: SequenceNumber..., through: SequenceNumber = 10
    ) -> Takeover {
        Takeover(
            at: Monotonic(milliseconds: 1_000), through: through, doubtful: Set(doubtful))
    }

    private func at(_ seconds: Int64) -> Monotonic {
        Monotonic(milliseconds: 1_000 + seconds * 1_000)
    }

    @Test func `creates are sent at once`() {
        var takeover = takeover(3)
        let value1 = takeover.mustWait(3, isAmendment: false)
        #expect(!value1)
        #expect(takeover.nextDue == nil)
    }

    @Test func `the first deletion or revision of a doubtful event waits 30 s`() {
        var takeover = takeover(3)
        let value2 = takeover.mustWait(3, isAmendment: true)
        #expect(value2)
        #expect(takeover.nextDue == at(30))
        let value3 = takeover.takeDue(at: at(29))
        #expect(value3 == [])
        let value4 = takeover.takeDue(at: at(30))
        #expect(value4 == [3])
        let value5 = takeover.mustWait(3, isAmendment: true)
        #expect(!value5)
    }

    @Test func `what the journal shows as settled need not wait`() {
        var takeover = takeover(3)
        let value6 = takeover.mustWait(4, isAmendment: true)
        #expect(!value6)
    }

    @Test func `a deletion soon after a takeover is repeated once, 60 s later`() {
        var takeover = takeover(3)
        let value7 = takeover.mustLookAgain(for: 3, at: at(40))
        #expect(value7)
        #expect(takeover.wasDeleted(3))
        #expect(takeover.nextDue == at(100))
        let value8 = takeover.takeDue(at: at(100))
        #expect(value8 == [3])
        let value9 = takeover.mustLookAgain(for: 3, at: at(101))
        #expect(!value9)
        #expect(!takeover.wasDeleted(3))
    }

    @Test func `a deletion later, or of an own press, counts at once`() {
        var takeover = takeover(3)
        let value10 = takeover.mustLookAgain(for: 3, at: at(121))
        #expect(!value10)
        let value11 = takeover.mustLookAgain(for: 11, at: at(5))
        #expect(!value11)
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

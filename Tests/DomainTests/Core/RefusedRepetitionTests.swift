import Testing

@testable import BeemedDomain

/// Presses of which an earlier request may have arrived, when their repetition is refused.
@Suite struct RefusedRepetitionTests {
    @Test func `what was refused while an earlier request may still arrive is deleted`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unclear("status 504"))
        bench.pass(seconds: 5)
        #expect(bench.sent.map(\.mayBeThere) == [false, true])
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        #expect(bench.state("1") == .refused)
        try bench.commit { $0.undo("1") }
        #expect(bench.deletions.count == 1)
    }

    @Test func `what was refused at once, or long after, is not looked for`() throws {
        var bench = try CoreBench()
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        bench.deliver(2, .unclear("status 504"))
        bench.pass(seconds: 5)
        bench.deliver(2, .unclear("status 504"))
        bench.pass(seconds: 200)
        try bench.commit { $0.deliver(2, .refused(status: 422, why: "no")) }
        try bench.commit { $0.undo("1") }
        #expect(bench.state("1") == .undone && bench.deletions.isEmpty)
        // After a restart nothing says when the attempt without an answer was.
        try bench.restart()
        try bench.commit { $0.undo("2") }
        #expect(bench.deletions.count == 1)
        for _ in 0..<2 {
            bench.erase(.erased)
            bench.pass(seconds: 121)
        }
        try bench.commit()
        #expect(bench.core.erasingEvents == 0)
    }

    @Test func `what was refused in doubt is looked for after another restart, too`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        // The request is under way, and nobody hears what becomes of it.
        try bench.restart()
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        #expect(bench.state("1") == .refused)
        try bench.restart()
        try bench.commit { $0.undo("1") }
        #expect(bench.deletions.count == 1 && bench.view("1")?.isBeingErased == true)
    }

    @Test func `what is moved twice soon after a restart is deleted at both former goals`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        try bench.restart()
        try bench.commit { $0.retry("1", to: "walk") }
        // Not final yet: the process before may have sent it here, too.
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        #expect(bench.state("1") == .queued)
        try bench.commit { $0.retry("1", to: "run") }
        #expect(bench.deletions.map(\.goal.description) == ["walk"])
    }

    @Test func `a search for a refused press that finds nothing certain ends in an alarm`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unclear("status 504"))
        bench.pass(seconds: 200)
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        try bench.restart()
        bench.undo("1")
        try bench.commit { $0.press(.make("2")) }
        for attempt in 1...7 {
            bench.erase(.unchangeable("not among the newest datapoints"))
            if attempt == 1 {
                bench.deliver(bench.number("2"), .delivered(.created, datapoint: nil))
            }
            bench.pass(seconds: 301)
        }
        #expect(bench.deletions.count == 8)
        #expect(bench.core.unchangeableEvents == 1, "a person is told")
        #expect(bench.view("1")?.isBeingErased == true)
        #expect(bench.sent.map(\.requestID) == ["button.2"], "it holds up no other")
    }
}

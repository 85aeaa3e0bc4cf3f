import Testing

@testable import BeemedDomain

/// Presses of which an earlier request may have arrived, when their repetition is refused.
struct RefusedRepetitionTests {
    @Test func `what was refused while an earlier request may still arrive is deleted`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unclear("status 504"))
        bench.pass(seconds: 5)
        expect(bench.sent.map(\.mayBeThere), is: [false, true])
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        expect(bench.state("1"), is: .refused)
        try bench.commit { $0.undo("1") }
        expect(bench.deletions.count, is: 1)
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
        expect(bench.state("1") == .undone && bench.deletions.isEmpty)
        try bench.restart()
        bench.pass(seconds: 200)
        expect(bench.sent.isEmpty, "nothing is in doubt")
        try bench.commit { $0.undo("2") }
        expect(bench.state("2") == .undone && bench.deletions.isEmpty)
    }

    @Test(arguments: [false, true]) func `what was refused in doubt is looked for, once`(
        isRestarted: Bool
    ) throws {
        for isThere in [true, false] {
            var bench = try CoreBench()
            try bench.refuseInDoubt("1")
            let why = bench.view("1")?.lastError ?? ""
            expect(why.contains("an earlier request may still be applied"), "\(why)")
            if isRestarted { try bench.restart(now: bench.now) }
            bench.pass(seconds: 110)
            expect(!bench.sent.contains { $0.refusal != nil }, "a request may come yet")
            bench.pass(seconds: 15)
            expect(bench.sent.last?.refusal, is: .refused(status: 422, why: "no"))
            expect(bench.state("1"), is: .refused, "also while it is looked for")
            let count = bench.sent.count
            try bench.commit {
                $0.deliver(
                    1,
                    isThere
                        ? .delivered(.duplicate, datapoint: "d1")
                        : .refused(status: 422, why: "no"))
            }
            for _ in 0..<2 {
                expect(bench.state("1"), is: (isThere ? .delivered : .refused))
                expect(bench.core.view.refusedEvents, is: (isThere ? 0 : 1))
                bench.pass(seconds: 1_000)
                expect(bench.sent.count <= count, "nothing is looked for again")
                try bench.restart(now: bench.now)
            }
        }
    }

    @Test func `a refusal is as sure as its request was when it was sent`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unreachable("no answer"))
        bench.pass(seconds: 115)
        // The answer comes when nothing can arrive any more, and tells of an earlier time.
        bench.pass(seconds: 30)
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        bench.pass(seconds: 1)
        expect(bench.sent.map { $0.refusal != nil }, is: [false, false, true])
    }

    @Test func `the parts of a datapoint that is found are merged into it`() throws {
        var bench = try CoreBench()
        try bench.refuseInDoubt("1", "2")
        expect(bench.state("1") == .refused && bench.state("2") == .refused)
        bench.pass(seconds: 120)
        try bench.commit { $0.deliver(1, .delivered(.duplicate, datapoint: "d1")) }
        for _ in 0..<2 {
            expect(bench.state("1") == .delivered && bench.state("2") == .merged)
            expect(bench.core.view.refusedEvents == 0 && bench.core.view.pendingEvents == 0)
            try bench.restart()
        }
    }

    @Test func `a datapoint whose presses are all undone is deleted after a refusal in doubt`()
        throws
    {
        var bench = try CoreBench()
        try bench.refuseInDoubt("1", "2")
        for id in ["1", "2"] { try bench.commit { $0.undo(id) } }
        expect(bench.deletions.count, is: 1)
        try bench.commit { $0.erase(.erased) }
        bench.pass(seconds: 121)
        try bench.commit { $0.erase(.erased) }
        expect(bench.deletions.count == 2 && bench.core.view.refusedEvents == 0)
    }

    @Test func `a retry waits until a press is found or not`() throws {
        var bench = try CoreBench()
        try bench.refuseInDoubt("1")
        bench.pass(seconds: 125)
        let early = bench.retry("1")
        expect(bench.refusal(early), is: "notPossible")
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        try bench.commit { $0.retry("1") }
        expect(bench.state("1") == .sending && bench.sent.last?.refusal == nil)
    }

    @Test func `what was refused in doubt is looked for after another restart, too`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        // The request is under way, and nobody hears what becomes of it.
        try bench.restart()
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        expect(bench.state("1"), is: .refused)
        try bench.restart()
        try bench.commit { $0.undo("1") }
        expect(bench.deletions.count == 1 && bench.view("1")?.isBeingErased == true)
    }

    @Test func `what is moved twice soon after a restart is deleted at both former goals`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        try bench.restart()
        try bench.commit { $0.retry("1", to: "walk") }
        // Not final yet: the process before may have sent it here, too.
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        expect(bench.state("1"), is: .queued)
        try bench.commit { $0.retry("1", to: "run") }
        expect(bench.deletions.map(\.goal.description), is: ["walk"])
    }

    @Test func `a search for a refused press that finds nothing certain ends in an alarm`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unclear("status 504"))
        bench.pass(seconds: 5)
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
        expect(bench.deletions.count, is: 8)
        expect(bench.core.view.eventFaults(at: bench.now).unchangeable, is: 1, "a person is told")
        expect(bench.view("1")?.isBeingErased, is: true)
        expect(bench.sent.map(\.requestID), is: ["button.2"], "it holds up no other")
    }

    @Test func `what is found with an undone press in it is sent without that`() throws {
        for isSince in [true, false] {
            var bench = try CoreBench()
            if isSince {
                try bench.refuseInDoubt("1", "2")
                try bench.commit { $0.undo("2") }
            } else {
                try bench.refuseInDoubt("1", "2", undone: "2")
            }
            try bench.restart(now: bench.now)
            bench.pass(seconds: 125)
            expect(bench.sent.last?.refusal != nil && bench.sent.last?.value == 1)
            try bench.commit { $0.deliver(1, .outdated(datapoint: "d1")) }
            // Beeminder has refused what is wanted now, or nobody has asked for that.
            expect(bench.state("1"), is: (isSince ? .delivered : .refused))
            expect(bench.sent.last?.value == 1 && bench.sent.last?.refusal == nil || !isSince)
            guard isSince else { continue }
            expect(bench.view("2")?.isBeingErased, is: true)
            try bench.commit { $0.deliver(1, .delivered(.updated, datapoint: "d1")) }
            expect(bench.view("2")?.isBeingErased == false && bench.core.view.refusedEvents == 0)
        }
    }

    @Test func `a refused total is looked for, and an earlier one is known then`() throws {
        for found in [500.0, 300] {
            var bench = try CoreBench()
            try bench.record(found)
            bench.deliver(1, .unreachable("no answer"))
            if found == 300 { try bench.record(500) }
            bench.pass(seconds: 61)
            try bench.commit { $0.deliver(1, Outcome.faulty) }
            expect(bench.view(.make(0))?.state, is: .refused)
            bench.pass(seconds: 70)
            expect(bench.sent.last?.refusal != nil)
            let count = bench.sent.count
            guard found == 300 else {
                try bench.commit { $0.deliver(1, .delivered(.duplicate, datapoint: "d1")) }
                expect(bench.view(.make(0))?.state, is: .delivered)
                continue
            }
            // Only the newest value may be told a second time: an earlier one is there.
            try bench.commit { $0.deliver(1, .outdated(datapoint: "d1")) }
            bench.pass(seconds: 61)
            try bench.commit { $0.deliver(1, Outcome.faulty) }
            expect(bench.sent.count == count + 1 && bench.sent.last?.value == 500)
            let view = try require(bench.view(.make(0)))
            expect(view.state == .refused && view.arrival?.datapoint == "d1")
            bench.pass(seconds: 1_000)
            expect(bench.sent.count, is: count + 1)
        }
    }
}

extension CoreBench {
    /// Presses of one datapoint whose repetition is refused while the first request may still be
    /// applied.
    fileprivate mutating func refuseInDoubt(_ ids: String..., undone: String? = nil) throws {
        try commit {
            for id in ids {
                $0.press(.make(id, rule: .init(preset: .known("glass"), mergeSeconds: 60)))
            }
        }
        pass(seconds: 60)
        let number = number(ids[0])
        deliver(number, .unreachable("no answer"))
        if let undone { try commit { $0.undo(undone) } }
        pass(seconds: 5)
        try commit { $0.deliver(number, .refused(status: 422, why: "no")) }
    }
}

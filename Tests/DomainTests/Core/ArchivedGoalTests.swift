import Testing

@testable import BeemedDomain

/// Presses that an archived goal may have.
struct ArchivedGoalTests {
    @Test func `only what may have arrived is waited for at an archived goal`() throws {
        let rows: [(Outcome, Bool)] = [
            (.delivered(.created, datapoint: "d1"), true), (.unreachable("no answer"), true),
            (.noSuchGoal, false),
            (.busy(retryAfter: nil), false), (.busy(retryAfter: nil, mayBeApplied: true), true),
        ]
        for (outcome, mayHaveArrived) in rows {
            var bench = try CoreBench()
            try bench.commit { $0.press(.make("1")) }
            try bench.commit { $0.deliver(1, outcome) }
            try bench.commit { $0.undo("1") }
            bench.pass(seconds: 10)
            expect(bench.deletions.map(\.mayHaveArrived), is: [mayHaveArrived], "\(outcome)")
        }
    }

    @Test func `an undo waits for an archived goal that may have the press`() throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unreachable("no answer"))
        bench.learn([Goal(slug: .known("walk"))])
        try bench.commit { $0.undo("1") }
        bench.pass(seconds: 10)
        try bench.commit { $0.erase(.archivedGoal) }
        expect(bench.core.erasingEvents == 1 && bench.view("1")?.isBeingErased == true)
        bench.learn([Goal(slug: .known("walk")), Goal(slug: .known("pushups"))])
        bench.pass(seconds: 300)
        expect(bench.deletions.count, is: 2)
    }

    @Test(arguments: [true, false])
    func `a press leaves an archived goal for another one, and a person is told what may be left`(
        _ mayHaveArrived: Bool
    ) throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, mayHaveArrived ? .unreachable("no answer") : .noSuchGoal)
        bench.learn([Goal(slug: .known("walk"))])
        let replyID = try bench.commit { $0.retry("1", to: "walk") }
        bench.pass(seconds: 10)
        let words = "'pushups' is in no list of goals and may have it, too"
        expect(bench.change(replyID)?.lastError?.contains(words) ?? false, is: mayHaveArrived)
        expect(bench.deletions.map(\.mayHaveArrived), is: (mayHaveArrived ? [true] : []))
        if mayHaveArrived {
            for _ in 0..<2 {
                try bench.commit { $0.erase(.archivedGoal) }
                bench.pass(seconds: 61)
            }
            expect(bench.view("1")?.lastError?.contains(words), is: true)
        }
        expect(bench.sent.map(\.goal.description), is: ["pushups", "walk"])
    }

    /// A press without an answer whose goal is in no list any more, and which was moved.
    private func movedAway() throws -> CoreBench {
        var bench = try CoreBench()
        bench.learn()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unreachable("no answer"))
        bench.learn([Goal(slug: .known("walk"))])
        try bench.commit { $0.retry("1", to: "walk") }
        bench.pass(seconds: 10)
        return bench
    }

    @Test(arguments: [Outcome.archivedGoal, .noSuchGoal])
    func `a move waits for no second deletion at a goal that is not there`(
        _ outcome: Outcome
    ) throws {
        var bench = try movedAway()
        try bench.commit { $0.erase(outcome) }
        bench.pass(seconds: 5)
        expect(bench.deletions.count, is: 1)
        expect(bench.sent.map(\.goal.description), is: ["pushups", "walk"])
    }

    @Test func `a press moved from an archived goal says that it may be there, too`() throws {
        var bench = try movedAway()
        try bench.commit { $0.erase(.archivedGoal) }
        bench.pass(seconds: 10)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        expect(bench.state("1"), is: .delivered)
        expect(bench.view("1")?.lastError?.contains("may have it, too"), is: true)
        expect(bench.core.view.eventFaults(at: bench.now).unchangeable, is: 1)
        bench.learn([Goal(slug: .known("walk")), Goal(slug: .known("pushups"))])
        bench.pass(seconds: 300)
        expect(bench.deletions.count, is: 2)
        try bench.commit { $0.erase(.erased) }
        expect(
            bench.core.view.eventFaults(at: bench.now).unchangeable == 0
                && bench.view("1")?.lastError == nil)
    }

    @Test func `an undone press that left an archived goal is erased there, too`() throws {
        var bench = try movedAway()
        bench.erase(.archivedGoal)
        try bench.commit { $0.undo("1") }
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        expect(bench.deletions.map(\.goal.description), is: ["pushups", "walk"])
        try bench.commit { $0.erase(.erased) }
        expect(bench.state("1") == .undone && bench.view("1")?.isBeingErased == true)
        bench.pass(seconds: 1_000)
        expect(bench.deletions.count, is: 2)
        bench.learn([Goal(slug: .known("walk")), Goal(slug: .known("pushups"))])
        expect(bench.deletions.last?.goal.description, is: "pushups")
        try bench.commit { $0.erase(.erased) }
        expect(bench.view("1")?.isBeingErased, is: false)
    }

    @Test func `a request that comes after its goal was archived and restored is deleted there`()
        throws
    {
        var bench = try CoreBench()
        let goals = ["pushups", "walk"].map { Goal(slug: .known($0)) }
        bench.learn(goals)
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unreachable("no answer"))
        bench.learn([goals[1]])
        try bench.commit { $0.retry("1", to: "walk") }
        bench.pass(seconds: 10)
        // Its newest datapoints go further back than the press.
        try bench.commit { $0.erase(.noSuchGoal) }
        expect(bench.sent.map(\.goal.description), is: ["pushups", "walk"], "it does not wait")
        try bench.commit { $0.deliver(1, Outcome.created) }
        bench.learn(goals)
        bench.pass(seconds: 120)
        expect(bench.deletions.map(\.goal.description), is: ["pushups", "pushups"])
        try bench.commit { $0.erase(.erased) }
        expect(bench.state("1") == .delivered && bench.core.view.unsettledEvents == 0)
    }
}

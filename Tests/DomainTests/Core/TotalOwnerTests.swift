import Testing

@testable import BeemedDomain

/// Whose day a total is: another goal has another datapoint. And what becomes of a value that
/// Beeminder refuses.
struct TotalOwnerTests {
    @Test func `a day that was imported as a press is followed by its rule's total`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("walk-20251009", device: "health")) }
        try expect(bench.said(note: 7), is: "queued")
        try expect(bench.said(note: 7), is: "unchanged")
        try bench.commit { $0.deliver(1, Outcome.created) }
        expect(bench.sent.map(\.value), is: [1, 7])
        expect(Set(bench.sent.map(\.requestID)), is: ["health.walk-20251009"])
    }

    @Test func `a rule that has another goal now has a day there, too`() throws {
        var bench = try CoreBench.delivered()
        let goals = ["pushups", "run"].map { name in
            var goal = Goal(slug: .known(name))
            goal.id = "id-\(name)"
            return goal
        }
        bench.learn(goals)
        try bench.commit { $0.total(.make(7, goal: "run")) }
        expect(bench.sent.map { "\($0.goal) \($0.value)" }, is: ["pushups 100.0", "run 7.0"])
        var renamed = goals[1]
        renamed.slug = "jog"
        bench.learn([goals[0], renamed])
        expect(bench.said(.make(7, goal: "run")), is: "unchanged")
        expect(bench.said(.make(7, goal: "jog")), is: "unchanged")
        expect(bench.said(.make(100)), is: "unchanged")
        expect(Set(bench.sent.map(\.requestID)), is: ["health.walk-20251009"])
    }

    @Test func `a day that a retry has moved stays one when the rule follows`() throws {
        var bench = try CoreBench()
        let goals = ["pushups", "run"].map { Goal(slug: .known($0)) }
        try bench.commit { $0.learn(goals) }
        try bench.record(100)
        try bench.commit { $0.deliver($0.sent[0].number, Outcome.faulty) }
        try bench.commit { $0.retry(.make(0), to: "run") }
        expect(bench.said(.make(100, goal: "run")), is: "unchanged")
        expect(bench.said(.make(100)), is: "unchanged")
    }

    @Test func `a refused revision is sent again by a retry, not by its sender`() throws {
        var bench = try CoreBench.refused()
        bench.pass(seconds: 600)
        expect(bench.sent.map(\.value), is: [100, 120])
        try expect(bench.said(note: 120), is: "unchanged")
        bench.pass(seconds: 61)
        expect(bench.sent.count, is: 2)
        try bench.commit { $0.retry(.make(0)) }
        bench.pass(seconds: 1)
        expect(bench.sent.map(\.value), is: [100, 120, 120])
        try bench.commit { $0.deliver(1, Outcome.updated) }
        try expect(bench.said(note: 120), is: "unchanged")
        bench.pass(seconds: 600)
        expect(bench.sent.count, is: 3)
    }

    @Test func `a day moves to no goal that has it already, under the same request id`() throws {
        var bench = try CoreBench()
        bench.learn(["pushups", "run"].map { Goal(slug: .known($0)) })
        try bench.record(100)
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        let other = DayTotal.make(200, goal: "run")
        try bench.commit { $0.total(other) }
        let number = try require(bench.sent.last?.number)
        try bench.commit { $0.deliver(number, Outcome.created) }
        expect(Set(bench.sent.map(\.requestID)).count, is: 1)
        let reply = bench.retry(.make(0), to: "run")
        expect(bench.refusal(reply), is: "dayTaken")
        expect(bench.sent.count, is: 2)
    }

    @Test func `an undone day is not sent again where another event has its request id`() throws {
        var bench = try CoreBench()
        bench.learn(["pushups", "run"].map { Goal(slug: .known($0)) })
        try bench.record(100)
        try bench.commit { $0.deliver(1, Outcome.created) }
        try bench.commit { $0.undo(.make(0)) }
        try bench.commit { $0.erase(Outcome.erased) }
        let other = DayTotal.make(200, goal: "run")
        try bench.commit { $0.total(other) }
        let number = try require(bench.sent.last?.number)
        try bench.commit { $0.deliver(number, Outcome.faulty) }
        try bench.commit {
            $0.command(.retry(other.key(variant: 2), goal: .known("pushups")))
        }
        let reply = bench.retry(.make(0))
        expect(bench.refusal(reply), is: "dayTaken")
    }

    @Test func `an imported day is known to Beeminder without the number behind it`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("walk-20251009:2", device: "health")) }
        try bench.commit { $0.deliver(1, Outcome.created) }
        try bench.commit { $0.press(.make("17:2")) }
        expect(bench.sent.map(\.requestID).sorted(), is: ["button.17:2", "health.walk-20251009"])
    }
}

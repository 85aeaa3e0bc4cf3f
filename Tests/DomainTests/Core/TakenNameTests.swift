import Foundation
import Testing

@testable import BeemedDomain

/// A goal that was renamed, and another one that has its name now.
struct TakenNameTests {
    private func goal(_ slug: String, id: String) -> Goal {
        var goal = Goal(slug: .known(slug))
        goal.id = id
        return goal
    }

    private func before() throws -> CoreBench {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.learn([goal("water", id: "X")]) }
        return bench
    }

    /// The goal has a press, and is in no list any more.
    private func archived() throws -> CoreBench {
        var bench = try before()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        try bench.commit { $0.deliver($0.number("1"), Outcome.created) }
        bench.learn([goal("walk", id: "W")])
        return bench
    }

    private func rename(_ bench: inout CoreBench) {
        bench.learn([goal("water2", id: "X")])
    }

    private func reuse(_ bench: inout CoreBench) {
        bench.learn([goal("water2", id: "X"), goal("water", id: "Y")])
    }

    @Test(arguments: [true, false]) func `an undo deletes at the goal that has the datapoint`(
        _ isAtOnce: Bool
    ) throws {
        var bench = try before()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        try bench.commit { $0.deliver($0.number("1"), Outcome.created) }
        if !isAtOnce { rename(&bench) }
        reuse(&bench)
        expect(bench.view("1")?.goal, is: .known("water2"))
        try bench.commit { $0.undo("1") }
        expect(bench.deletions.map(\.goal.description), is: ["water2"])
        try bench.commit { $0.erase(.erased) }
        expect(bench.core.erasingEvents, is: 0)
        // A press to the new goal is of that one.
        try bench.commit { $0.press(.make("2", goal: "water")) }
        bench.deliver(bench.number("2"), Outcome.created)
        try bench.commit { $0.undo("2") }
        expect(bench.deletions.last?.goal, is: .known("water"))
    }

    @Test(arguments: [true, false])
    func `a waiting press is sent to its goal, also after a restart`(_ isAtOnce: Bool) throws {
        var bench = try before()
        bench.press(.make("1", goal: "water"))
        try bench.commit { $0.press(.make("2", goal: "water")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        if !isAtOnce { rename(&bench) }
        reuse(&bench)
        try bench.commit { $0.press(.make("3", goal: "water")) }
        let before = bench.sent.map { "\($0.requestID) \($0.goal)" }
        expect(before, is: ["button.1 water", "button.1 water2", "button.3 water"])
        let saved = try JSONEncoder().encode(bench.core.goals)
        let book = try JSONDecoder().decode(GoalBook.self, from: saved)
        expect(book, is: bench.core.goals)
        try bench.restart(goals: book, token: .unknown)
        reuse(&bench)
        try bench.commit()
        for _ in 0..<3 {
            for batch in bench.batches {
                bench.apply(.delivered(batch, .whole(Outcome.created)))
            }
            try bench.commit()
        }
        let sent = Set(bench.sent.map { "\($0.requestID) \($0.goal)" })
        expect(sent, is: ["button.1 water2", "button.2 water2", "button.3 water"])
        expect(bench.core.view.pendingEvents, is: 0)
    }

    @Test func `a press that is under way comes back to its goal`() throws {
        var bench = try before()
        bench.press(.make("1", goal: "water"))
        try bench.commit { $0.press(.make("2", goal: "water")) }
        reuse(&bench)
        expect(bench.state("1") == .sending && bench.state("2") == .sending)
        bench.deliver(bench.number("1"), .unclear("status 502"))
        bench.deliver(bench.number("2"), Outcome.created)
        bench.pass(seconds: 5)
        let sent = bench.sent.last.map { "\($0.number) \($0.goal)" }
        expect(sent, is: "\(bench.number("1")) water2")
        expect(bench.state("2"), is: .delivered)
        expect(bench.core.delivery.queues[.known("water")] == nil)
    }

    @Test func `an undone press is not delivered`() throws {
        var bench = try before()
        bench.press(.make("1", goal: "water"))
        try bench.commit { $0.press(.make("2", goal: "water")) }
        bench.deliver(bench.number("1"), .busy(retryAfter: 100))
        rename(&bench)
        reuse(&bench)
        try bench.commit { $0.undo("2") }
        expect(bench.state("2"), is: .undone)
        bench.pass(seconds: 101)
        bench.deliver(bench.number("1"), Outcome.created)
        bench.pass(seconds: 101)
        expect(bench.sent.allSatisfy { $0.number == bench.number("1") })
        expect(bench.state("2") == .undone && bench.core.view.pendingEvents == 0)
    }

    @Test func `a moved press leaves the goal at which it may have arrived`() throws {
        var bench = try before()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        reuse(&bench)
        bench.deliver(bench.number("1"), .unclear("status 502"))
        try bench.commit { $0.retry("1", to: "water") }
        bench.pass(seconds: 5)
        expect(bench.deletions.map(\.goal.description), is: ["water2"])
        for _ in 0..<2 {
            try bench.commit { $0.erase(.erased) }
            bench.pass(seconds: 61)
        }
        expect(bench.sent.last?.goal, is: .known("water"))
        expect(bench.view("1")?.goal, is: .known("water"))
    }

    @Test func `the totals of both goals stay apart`() throws {
        var bench = try before()
        try bench.commit { $0.press(.make("1", goal: "water", value: 3)) }
        bench.deliver(bench.number("1"), Outcome.created)
        reuse(&bench)
        try bench.commit { $0.press(.make("2", goal: "water", value: 4)) }
        let day = [bench.now.wall.adding(-3_600), bench.now.wall.adding(3_600)]
        let logged = bench.core.days.logged([.known("water"): day, .known("water2"): day])
        expect(logged[.known("water")]?.days.map(\.value), is: [4])
        expect(logged[.known("water2")]?.days.map(\.value), is: [3])
    }

    @Test func `a goal that comes back from the archive has its own presses alone`() throws {
        var bench = try archived()
        bench.learn([goal("walk", id: "W"), goal("water", id: "Y")])
        try bench.commit { $0.press(.make("2", goal: "water")) }
        expect(bench.view("1")?.goal, is: .known("water"), "there is no other name")
        for _ in 0..<2 { reuse(&bench) }
        expect(bench.view("1")?.goal, is: .known("water2"))
        expect(bench.view("2")?.goal, is: .known("water"))
    }

    @Test func `a goal that is archived later keeps its presses`() throws {
        var bench = try before()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        reuse(&bench)
        bench.learn([goal("water", id: "Y")])
        expect(bench.view("1")?.goal, is: .known("water2"))
        bench.connect(.named("alice"))
        bench.learn([goal("water", id: "Y")])
        expect(bench.view("1")?.goal, is: .known("water2"))
        expect(bench.core.goals.isTaken(.known("water")))
    }

    @Test func `a press under way is not sent to another user's goal of its new name`() throws {
        var bench = try before()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        bench.deliver(bench.number("1"), .busy(retryAfter: 1))
        rename(&bench)
        bench.pass(seconds: 2)
        expect(bench.sent.map(\.goal.description), is: ["water", "water2"])
        // It is under way when another account is connected, which has a goal of that name.
        bench.connect(.named("bob"))
        try bench.commit { $0.learn([goal("water2", id: "B")], user: "bob") }
        bench.deliver(bench.number("1"), .unreachable("reset"))
        try bench.commit { $0.pass(seconds: 100) }
        bench.pass(seconds: 100)
        expect(bench.sent.count, is: 2, "it would be sent with the other token")
        expect(bench.state("1") == .held && bench.core.view.heldEvents == 1)
        bench.connect(.unknown)
        for _ in 0..<2 { rename(&bench) }
        try bench.commit()
        bench.pass(seconds: 100)
        expect(bench.sent.map(\.goal.description), is: ["water", "water2", "water2"])
    }

    @Test func `a person is told of presses to a goal that is gone, and may send them to its heir`()
        throws
    {
        var bench = try before()
        bench.press(.make("1", goal: "water"))
        try bench.commit { $0.press(.make("2", goal: "water")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        bench.learn([goal("water", id: "Y")])
        expect(bench.core.view.takenGoals, is: [.known("water")])
        for id in ["1", "2"] {
            let view = try require(bench.view(id))
            expect(view.state == .held && view.nextAttempt == nil)
            expect(view.lastError?.hasPrefix("its goal is in no list") == true)
        }
        // The first one may be at the former goal, which nobody can ask.
        let refused = bench.retry("1", to: "water")
        guard case .refused(.notPossible(.held))? = bench.replies[refused] else {
            return expect(false, "\(String(describing: bench.replies[refused]))")
        }
        try bench.commit { $0.retry("2", to: "water") }
        bench.pass(seconds: 100)
        expect(bench.sent.last.map { "\($0.requestID) \($0.goal)" }, is: "button.2 water")
        try bench.commit { $0.deliver($0.number("2"), Outcome.created) }
        expect(bench.state("2"), is: .delivered)
        expect(bench.core.view.takenGoals, is: [.known("water")])
        try bench.commit { $0.undo("1") }
        expect(bench.core.view.takenGoals, is: [])
    }

    @Test func `an undo waits for an archived goal whose name a new one has`() throws {
        var bench = try archived()
        try bench.commit { $0.undo("1") }
        bench.erase(.archivedGoal)
        bench.learn([goal("walk", id: "W"), goal("water", id: "Y")])
        bench.pass(seconds: 300)
        let deletion = try require(bench.deletions.last)
        expect(bench.deletions.count == 2 && deletion.isNameTaken && deletion.goalID == "X")
        bench.erase(.archivedGoal)
        expect(bench.core.erasingEvents, is: 1)
        bench.learn([goal("walk", id: "W"), goal("water", id: "Y"), goal("water2", id: "X")])
        bench.pass(seconds: 300)
        expect(bench.deletions.last?.goal, is: .known("water2"))
        expect(bench.deletions.last?.isNameTaken, is: false)
    }

    @Test func `a press waits for an archived goal whose name a new one has`() throws {
        var bench = try before()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        bench.learn([goal("walk", id: "W")])
        bench.learn([goal("walk", id: "W"), goal("water", id: "Y")])
        bench.pass(seconds: 300)
        expect(bench.sent.map(\.goal.description), is: ["water"])
        expect(bench.state("1") == .held && bench.core.view.heldEvents == 1)
        bench.learn([goal("walk", id: "W"), goal("water", id: "Y"), goal("water2", id: "X")])
        bench.pass(seconds: 1)
        expect(bench.sent.map(\.goal.description), is: ["water", "water2"])
        try bench.commit { $0.deliver($0.number("1"), Outcome.created) }
        expect(bench.state("1"), is: .delivered)
    }

    @Test func `the next leader knows whose a name was, from the former one`() throws {
        let disk = SimulatedDisk()
        var bench = try CoreBench(disk: disk, token: .unknown)
        try bench.commit { $0.learn([goal("water", id: "X")]) }
        try bench.commit { $0.press(.make("1", goal: "water")) }
        bench.deliver(bench.number("1"), .busy(retryAfter: 1))
        reuse(&bench)
        try bench.commit { $0.press(.make("2", goal: "water")) }
        let saved = try JSONEncoder().encode(bench.core.goals)
        disk.kill()
        let book = try JSONDecoder().decode(GoalBook.self, from: saved)
        var next = try CoreBench(disk: disk, goals: book, token: .unknown)
        expect(next.view("1")?.goal, is: .known("water2"))
        expect(next.view("2")?.goal, is: .known("water"))
        try next.commit { $0.press(.make("3", goal: "water")) }
        reuse(&next)
        try next.commit()
        expect(next.view("1")?.goal, is: .known("water2"))
        expect(["2", "3"].allSatisfy { next.view($0)?.goal == .known("water") })
    }

    @Test func `a press comes back to its goal, which was renamed meanwhile`() throws {
        var bench = try CoreBench(token: .unknown)
        func goals(_ name: String) -> [Goal] { [goal(name, id: "X"), goal("tea", id: "T")] }
        try bench.commit { $0.learn(goals("water")) }
        try bench.commit { $0.press(.make("1", goal: "water")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        try bench.commit { $0.retry("1", to: "tea") }
        bench.erase(.unclear("status 502"))
        bench.learn(goals("water2"))
        bench.erase(.unclear("status 502"))
        try bench.commit { $0.retry("1", to: "water2") }
        for _ in 0..<3 {
            bench.pass(seconds: 130)
            try bench.commit { $0.erase(.erased) }
            try bench.commit { $0.deliver($0.number("1"), Outcome.created) }
        }
        expect(bench.core.view.unsettledEvents == 0 && bench.state("1") == .delivered)
    }

    @Test func `a press moves to no goal that has got the name of the one that it has left`() throws
    {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.learn([goal("water", id: "X"), goal("tea", id: "T")]) }
        try bench.commit { $0.press(.make("1", goal: "water")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        try bench.commit { $0.retry("1", to: "tea") }
        bench.erase(.unclear("status 502"))
        bench.learn([goal("water2", id: "X"), goal("water", id: "Y"), goal("tea", id: "T")])
        bench.erase(.unclear("status 502"))
        let reply = bench.retry("1", to: "water")
        expect(bench.refusal(reply), is: "notPossible")
    }
}

import Testing

@testable import BeemedDomain

/// Goals that are newer than the list, lists that are suddenly empty, names that were mistyped.
@Suite struct UnlistedGoalTests {
    private static let water = Goal(slug: .known("water"))
    private static let new = Goal(slug: .known("new"))

    private func bench() throws -> CoreBench {
        var bench = try CoreBench(connection: "alices")
        bench.learn([UnlistedGoalTests.water])
        try bench.commit()
        return bench
    }

    private func isUnknown(_ bench: CoreBench, _ replyID: UInt64) -> Bool {
        if case .refused(.unknownGoal)? = bench.replies[replyID] { true } else { false }
    }

    @Test func `without a list of goals only so many names may wait`() throws {
        var bench = try CoreBench()
        for number in 0..<RelayCore.mostNames {
            bench.press(.make("\(number)", goal: "g\(number)"))
        }
        try bench.commit()
        let more = bench.press(.make("more", goal: "more"))
        let known = bench.press(.make("known", goal: "g7"))
        try bench.commit()
        guard case .refused(.tooManyWaiting)? = bench.replies[more] else {
            Issue.record("\(String(describing: bench.replies[more]))")
            return
        }
        #expect(bench.acceptance(known) != nil)
        bench.learn([Goal(slug: .known("more"))])
        let then = bench.press(.make("more", goal: "more"))
        try bench.commit()
        #expect(bench.acceptance(then) != nil, "it is in the list")
    }

    @Test func `asks before it refuses a goal, and takes the press as of when it came`() throws {
        var bench = try bench()
        let replyID = bench.press(.make("1", goal: "new"))
        let arrival = bench.now.wall
        #expect(bench.replies[replyID] == nil && bench.fetches == 2)
        bench.pass(seconds: 2)
        bench.learn([UnlistedGoalTests.water, UnlistedGoalTests.new])
        try bench.commit()
        #expect(bench.acceptance(replyID)?.event.at == arrival)
        #expect(bench.sent.map(\.requestID) == ["button.1"])
    }

    @Test func `does not believe an answer that was under way before it was asked`() throws {
        var bench = try bench()
        bench.apply(.goalsRequested)
        let replyID = bench.press(.make("1", goal: "new"))
        bench.learn([UnlistedGoalTests.water])
        #expect(bench.replies[replyID] == nil && bench.fetches == 3)
        bench.learn([UnlistedGoalTests.water, UnlistedGoalTests.new])
        try bench.commit()
        #expect(bench.acceptance(replyID) != nil)
    }

    @Test func `a device that asks without end is heard now and then`() throws {
        var bench = try bench()
        let before = bench.fetches
        for _ in 0..<200 {
            bench.apply(.goalsRequested)
            bench.learn([UnlistedGoalTests.water])
            bench.pass(seconds: 0.1)
        }
        #expect((4...8).contains(bench.fetches - before), "\(bench.fetches - before)")
    }

    @Test func `asks once for many, refuses what is not there, and then at once`() throws {
        var bench = try bench()
        let tickets = (0..<50).map { bench.press(.make("\($0)", goal: "watr")) }
        bench.learn([UnlistedGoalTests.water])
        bench.learn([UnlistedGoalTests.water])
        #expect(tickets.allSatisfy { isUnknown(bench, $0) })
        #expect(bench.fetches <= 3)
        let again = bench.press(.make("51", goal: "watr"))
        #expect(isUnknown(bench, again))
        bench.pass(seconds: 60)
        let later = bench.press(.make("52", goal: "watr"))
        #expect(bench.replies[later] == nil, "it may be there by now")
    }

    @Test func `does not burden Beeminder, however many names are mistyped`() throws {
        var bench = try bench()
        let before = bench.fetches
        for id in 0..<120 {
            bench.press(.make("\(id)", goal: "typo\(id)"))
            bench.learn([UnlistedGoalTests.water])
            bench.pass(seconds: 1)
        }
        #expect(bench.fetches - before <= 3 + 12 + 1)
        #expect(bench.core.pendingEvents + bench.core.questions.unlisted.count <= 2 * 64)
    }

    @Test func `keeps nobody waiting for a list that cannot come in time`() throws {
        var bench = try bench()
        for id in 0..<Int(GoalRefresh.mostDoubts) {
            let replyID = bench.press(.make("\(id)", goal: "typo\(id)"))
            bench.learn([UnlistedGoalTests.water])
            #expect(isUnknown(bench, replyID))
        }
        let fetches = bench.fetches
        let tickets = (0..<500).map { bench.press(.make("m\($0)", goal: "more\($0)")) }
        try bench.commit()
        #expect(bench.fetches == fetches)
        #expect(tickets.allSatisfy { bench.replies[$0] != nil })
        #expect(tickets.filter { bench.acceptance($0) != nil }.count == GoalQuestions.mostUnlisted)
    }

    @Test func `accepts and holds when Beeminder does not say in time`() throws {
        var bench = try bench()
        let replyID = bench.press(.make("1", goal: "new"))
        bench.pass(seconds: 2.6)
        try bench.commit()
        #expect(bench.acceptance(replyID) != nil)
        bench.apply(.fetched(.unclear("down")))
        let second = bench.press(.make("2", goal: "newer"))
        try bench.commit()
        #expect(bench.acceptance(second) != nil, "an outage is known")
        bench.deliver(bench.number("2"), .noSuchGoal)
        #expect(bench.state("2") == .held)
        #expect(bench.view("2")?.lastError?.contains("no such goal") == true)
        bench.retry("2", to: "water")
        try bench.commit()
        #expect(bench.sent.last?.goal.description == "water")
    }

    @Test func `accepts not endless names during an outage`() throws {
        var bench = try bench()
        bench.apply(.goalsRequested)
        bench.apply(.fetched(.unclear("down")))
        let tickets = (0..<100).map { bench.press(.make("\($0)", goal: "g\($0)")) }
        try bench.commit()
        #expect(tickets.filter { bench.acceptance($0) != nil }.count == 64)
        let known = bench.press(.make("w", goal: "water"))
        try bench.commit()
        #expect(bench.acceptance(known) != nil)
    }

    @Test func `does not believe at once that all goals are gone`() throws {
        var bench = try bench()
        bench.apply(.goalsRequested)
        bench.learn([])
        let replyID = bench.press(.make("1", goal: "water"))
        try bench.commit()
        #expect(bench.acceptance(replyID) != nil)
        #expect(bench.core.snapshot(at: bench.now).goals.count == 1)
        let fetches = bench.fetches
        bench.pass(seconds: 61)
        #expect(bench.fetches == fetches + 1, "it is asked again")
        bench.learn([])
        #expect(bench.core.snapshot(at: bench.now).goals.isEmpty)
    }

    /// A bench with a press to a goal with an id, by which a new name is recognized.
    private func pressed() throws -> (CoreBench, Goal) {
        var bench = try CoreBench(connection: "alices")
        var goal = Goal(slug: .known("pushups"))
        goal.id = "5f5d"
        bench.learn([goal])
        bench.press(.make("1"))
        try bench.commit()
        return (bench, goal)
    }

    @Test func `follows a renamed goal at the first 404`() throws {
        var (bench, goal) = try pressed()
        let before = bench.fetches
        bench.deliver(bench.number("1"), .noSuchGoal)
        #expect(bench.fetches == before + 1, "at once")
        goal.slug = "press-ups"
        bench.learn([goal])
        #expect(bench.sent.map(\.goal.description) == ["pushups", "press-ups"])
    }

    @Test func `a datapoint is not gone because its goal has another name`() throws {
        var (bench, goal) = try pressed()
        bench.deliver(bench.number("1"), .delivered(.created, datapoint: "d1"))
        try bench.commit()
        bench.undo("1")
        try bench.commit()
        #expect(bench.deletions.map(\.goal.description) == ["pushups"])
        goal.slug = "press-ups"
        bench.learn([goal])
        bench.erase(.noSuchGoal)
        bench.pass(seconds: 301)
        #expect(bench.deletions.map(\.goal.description) == ["pushups", "press-ups"])
        bench.erase(.erased)
        bench.pass(seconds: 1_000)
        #expect(bench.deletions.count == 2)
    }

    @Test func `asks before it refuses to move an event to a new goal`() throws {
        var bench = try bench()
        bench.press(.make("1", goal: "water"))
        try bench.commit()
        bench.deliver(bench.number("1"), .refused(status: 422, why: "no"))
        try bench.commit()
        let replyID = bench.retry("1", to: "new")
        #expect(bench.replies[replyID] == nil)
        bench.learn([UnlistedGoalTests.water, UnlistedGoalTests.new])
        try bench.commit()
        #expect(bench.change(replyID)?.goal.description == "new")
    }

    @Test func `asks before it says that there is no such goal, and takes no press for it`() throws
    {
        var bench = try bench()
        let listed = bench.doubt("water")
        #expect(isUsable(bench, listed))
        let (new, none) = (bench.doubt("new"), bench.doubt("none"))
        #expect(bench.replies[new] == nil && bench.replies[none] == nil && bench.fetches == 2)
        bench.learn([UnlistedGoalTests.water, UnlistedGoalTests.new])
        #expect(isUsable(bench, new))
        // That list was under way when it was asked for.
        #expect(bench.replies[none] == nil)
        bench.learn([UnlistedGoalTests.water, UnlistedGoalTests.new])
        #expect(isUnknown(bench, none))
        let again = bench.doubt("none")
        #expect(isUnknown(bench, again), "Beeminder has just said so")
        #expect(bench.appended.isEmpty)
    }

    @Test func `lets a goal be named when Beeminder does not say, as often as somebody likes`()
        throws
    {
        var bench = try bench()
        let slow = bench.doubt("new")
        bench.pass(seconds: 2.6)
        #expect(isUsable(bench, slow))
        bench.apply(.fetched(.unclear("down")))
        for index in 0..<100 {
            let replyID = bench.doubt("g\(index)")
            #expect(isUsable(bench, replyID))
        }
        #expect(bench.core.questions.unlisted.isEmpty, "no room of presses is taken")
    }

    private func isUsable(_ bench: CoreBench, _ replyID: UInt64) -> Bool {
        if case .usable? = bench.replies[replyID] { true } else { false }
    }

    @Test func `answers who waits when the account goes`() throws {
        var bench = try bench()
        let replyID = bench.press(.make("1", goal: "new"))
        bench.apply(.disconnected)
        guard case .refused(.notConnected)? = bench.replies[replyID] else {
            Issue.record("not answered")
            return
        }
    }
}

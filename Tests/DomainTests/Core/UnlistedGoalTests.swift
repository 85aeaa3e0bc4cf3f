import Testing

@testable import BeemedDomain

/// Goals that are newer than the list, and names that were mistyped.
struct UnlistedGoalTests {
    private static let water = Goal(slug: .known("water"))
    private static let new = Goal(slug: .known("new"))

    private func bench() throws -> CoreBench {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.learn([UnlistedGoalTests.water]) }
        return bench
    }

    private func isUnknown(_ bench: CoreBench, _ replyID: UInt64) -> Bool {
        bench.refusal(replyID) == "unknownGoal"
    }

    @Test func `without a list of goals only so many names may wait`() throws {
        var bench = try CoreBench()
        for number in 0..<RelayCore.maxNames {
            bench.press(.make("\(number)", goal: "g\(number)"))
        }
        try bench.commit()
        let more = bench.press(.make("more", goal: "more"))
        let known = try bench.commit { $0.press(.make("known", goal: "g7")) }
        expect(bench.refusal(more), is: "tooManyWaiting")
        expect(bench.acceptance(known) != nil)
        bench.learn([Goal(slug: .known("more"))])
        let then = try bench.commit { $0.press(.make("more", goal: "more")) }
        expect(bench.acceptance(then) != nil, "it is in the list")
    }

    @Test func `asks before it refuses a goal, and takes the press as of when it came`() throws {
        var bench = try bench()
        let replyID = bench.press(.make("1", goal: "new"))
        let arrival = bench.now.wall
        expect(bench.replies[replyID] == nil && bench.fetches == 2)
        bench.pass(seconds: 2)
        try bench.commit { $0.learn([UnlistedGoalTests.water, UnlistedGoalTests.new]) }
        expect(bench.acceptance(replyID)?.event.at, is: arrival)
        expect(bench.sent.map(\.requestID), is: ["button.1"])
    }

    @Test func `does not believe an answer that was under way before it was asked`() throws {
        var bench = try bench()
        bench.apply(.goalsRequested)
        let replyID = bench.press(.make("1", goal: "new"))
        bench.learn([UnlistedGoalTests.water])
        expect(bench.replies[replyID] == nil && bench.fetches == 3)
        try bench.commit { $0.learn([UnlistedGoalTests.water, UnlistedGoalTests.new]) }
        expect(bench.acceptance(replyID) != nil)
    }

    @Test func `a device that asks without end is heard now and then`() throws {
        var bench = try bench()
        let before = bench.fetches
        for _ in 0..<200 {
            bench.apply(.goalsRequested)
            bench.learn([UnlistedGoalTests.water])
            bench.pass(seconds: 0.1)
        }
        expect((4...8).contains(bench.fetches - before), "\(bench.fetches - before)")
    }

    @Test func `asks once for many, refuses what is not there, and then at once`() throws {
        var bench = try bench()
        let tickets = (0..<50).map { bench.press(.make("\($0)", goal: "watr")) }
        bench.learn([UnlistedGoalTests.water])
        bench.learn([UnlistedGoalTests.water])
        expect(tickets.allSatisfy { isUnknown(bench, $0) })
        expect(bench.fetches <= 3)
        let again = bench.press(.make("51", goal: "watr"))
        expect(isUnknown(bench, again))
        bench.pass(seconds: 60)
        let later = bench.press(.make("52", goal: "watr"))
        expect(bench.replies[later] == nil, "it may be there by now")
    }

    @Test func `does not burden Beeminder, however many names are mistyped`() throws {
        var bench = try bench()
        let before = bench.fetches
        for id in 0..<120 {
            bench.press(.make("\(id)", goal: "typo\(id)"))
            bench.learn([UnlistedGoalTests.water])
            bench.pass(seconds: 1)
        }
        expect(bench.fetches - before <= 3 + 12 + 1)
        expect(bench.core.view.pendingEvents + bench.core.questions.unlisted.count <= 2 * 64)
    }

    @Test func `keeps nobody waiting for a list that cannot come in time`() throws {
        var bench = try bench()
        for id in 0..<Int(GoalRefresh.maxDoubts) {
            let replyID = bench.press(.make("\(id)", goal: "typo\(id)"))
            bench.learn([UnlistedGoalTests.water])
            expect(isUnknown(bench, replyID))
        }
        let fetches = bench.fetches
        let tickets = (0..<500).map { bench.press(.make("m\($0)", goal: "more\($0)")) }
        try bench.commit()
        expect(bench.fetches, is: fetches)
        expect(tickets.allSatisfy { bench.replies[$0] != nil })
        expect(tickets.filter { bench.acceptance($0) != nil }.count, is: GoalQuestions.maxUnlisted)
    }

    @Test func `accepts and holds when Beeminder does not say in time`() throws {
        var bench = try bench()
        let replyID = bench.press(.make("1", goal: "new"))
        try bench.commit { $0.pass(seconds: 2.6) }
        expect(bench.acceptance(replyID) != nil)
        bench.apply(.fetched(.unclear("down")))
        let second = try bench.commit { $0.press(.make("2", goal: "newer")) }
        expect(bench.acceptance(second) != nil, "an outage is known")
        bench.deliver(bench.number("2"), .noSuchGoal)
        expect(bench.state("2"), is: .held)
        expect(bench.view("2")?.lastError?.contains("no such goal"), is: true)
        try bench.commit { $0.retry("2", to: "water") }
        expect(bench.sent.last?.goal.description, is: "water")
    }

    @Test func `accepts not endless names during an outage`() throws {
        var bench = try bench()
        bench.apply(.goalsRequested)
        bench.apply(.fetched(.unclear("down")))
        let tickets = (0..<100).map { bench.press(.make("\($0)", goal: "g\($0)")) }
        try bench.commit()
        expect(tickets.filter { bench.acceptance($0) != nil }.count, is: 64)
        // Nobody has said that they do not exist: the device sends them again.
        expect(tickets.filter { bench.refusal($0) == "tooManyWaiting" }.count, is: 36)
        let more = try bench.commit { $0.press(.make("more", goal: "g0")) }
        expect(bench.acceptance(more) != nil, "its name waits already")
        let known = try bench.commit { $0.press(.make("w", goal: "water")) }
        expect(bench.acceptance(known) != nil)
    }

    /// A bench with a press to a goal with an id, by which a new name is recognized.
    private func pressed() throws -> (CoreBench, Goal) {
        var bench = try CoreBench(token: .unknown)
        var goal = Goal(slug: .known("pushups"))
        goal.id = "5f5d"
        bench.learn([goal])
        try bench.commit { $0.press(.make("1")) }
        return (bench, goal)
    }

    @Test func `follows a renamed goal at the first 404`() throws {
        var (bench, goal) = try pressed()
        let before = bench.fetches
        bench.deliver(bench.number("1"), .noSuchGoal)
        expect(bench.fetches, is: before + 1, "at once")
        goal.slug = "press-ups"
        bench.learn([goal])
        expect(bench.sent.map(\.goal.description), is: ["pushups", "press-ups"])
    }

    @Test func `a datapoint is not gone because its goal has another name`() throws {
        var (bench, goal) = try pressed()
        try bench.commit { $0.deliver($0.number("1"), .delivered(.created, datapoint: "d1")) }
        try bench.commit { $0.undo("1") }
        expect(bench.deletions.map(\.goal.description), is: ["pushups"])
        goal.slug = "press-ups"
        bench.learn([goal])
        bench.erase(.noSuchGoal)
        bench.pass(seconds: 301)
        expect(bench.deletions.map(\.goal.description), is: ["pushups", "press-ups"])
        bench.erase(.erased)
        bench.pass(seconds: 1_000)
        expect(bench.deletions.count, is: 2)
    }

    @Test func `asks before it refuses to move an event to a new goal`() throws {
        var bench = try bench()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        try bench.commit { $0.deliver($0.number("1"), .refused(status: 422, why: "no")) }
        let replyID = bench.retry("1", to: "new")
        expect(bench.replies[replyID] == nil)
        try bench.commit { $0.learn([UnlistedGoalTests.water, UnlistedGoalTests.new]) }
        expect(bench.change(replyID)?.goal.description, is: "new")
    }

    @Test func `asks before it says that there is no such goal`() throws {
        var bench = try bench()
        let listed = bench.doubt("water")
        expect(isUsable(bench, listed))
        let (new, none) = (bench.doubt("new"), bench.doubt("none"))
        expect(bench.replies[new] == nil && bench.replies[none] == nil && bench.fetches == 2)
        bench.learn([UnlistedGoalTests.water, UnlistedGoalTests.new])
        expect(isUsable(bench, new))
        // That list was under way when it was asked for.
        expect(bench.replies[none] == nil)
        bench.learn([UnlistedGoalTests.water, UnlistedGoalTests.new])
        expect(isUnknown(bench, none))
        let again = bench.doubt("none")
        expect(isUnknown(bench, again), "Beeminder has just said so")
        expect(bench.appended.isEmpty)
    }

    @Test func `lets a goal be named when Beeminder does not say, without a limit`() throws {
        var bench = try bench()
        let slow = bench.doubt("new")
        bench.pass(seconds: 2.6)
        expect(isUsable(bench, slow))
        bench.apply(.fetched(.unclear("down")))
        for index in 0..<100 {
            let replyID = bench.doubt("g\(index)")
            expect(isUsable(bench, replyID))
        }
        expect(bench.core.questions.unlisted.isEmpty, "no room of presses is taken")
    }

    private func isUsable(_ bench: CoreBench, _ replyID: UInt64) -> Bool {
        if case .usable? = bench.replies[replyID] { true } else { false }
    }

    @Test func `answers who waits when the account goes`() throws {
        var bench = try bench()
        let replyID = bench.press(.make("1", goal: "new"))
        bench.apply(.disconnected)
        expect(bench.refusal(replyID), is: "notConnected")
    }

    // MARK: Goals that a list leaves out

    /// The names that a request asks for besides the list.
    private func names(_ effects: [Effect]) -> [String]? {
        let names = effects.compactMap { effect -> [GoalSlug]? in
            guard case .fetchGoals(_, let names) = effect else { return nil }
            return names
        }
        return names.last?.map(\.description)
    }

    private func answer(_ list: [Goal], named: [String: (Int, String)?]) -> Input {
        var goals = NamedGoals()
        for (name, answer) in named {
            let answer = answer.map { UpstreamAnswer(status: $0.0, body: Array($0.1.utf8)) }
            goals.add(answer, for: .known(name))
        }
        return .fetched(
            .goals(list, user: UpstreamUser(name: "alice", timezone: "UTC"), named: goals))
    }

    @Test func `a goal that the list leaves out is asked for by name`() throws {
        var bench = try bench()
        let (left, none, odd) = (
            bench.press(.make("1", goal: "left")), bench.press(.make("2", goal: "none")),
            bench.press(.make("3", goal: "odd"))
        )
        // The first request was under way when the others came.
        let effects = bench.apply(
            answer([UnlistedGoalTests.water], named: ["left": (200, #"{"slug":"left"}"#)]))
        expect(names(effects), is: ["none", "odd"])
        bench.apply(
            answer(
                [UnlistedGoalTests.water],
                named: [
                    "odd": (500, "<html>"), "none": (404, #"{"error":"not found"}"#),
                ]))
        try bench.commit()
        expect(bench.acceptance(left) != nil && isUnknown(bench, none))
        expect(bench.acceptance(odd) != nil, "nothing is known of it")
    }

    @Test func `one request asks for few names, however many are mistyped`() throws {
        var bench = try bench()
        for id in 0..<100 { bench.press(.make("\(id)", goal: "typo\(id)")) }
        let effects = bench.apply(answer([UnlistedGoalTests.water], named: [:]))
        expect(names(effects)?.count, is: GoalQuestions.maxNames)
    }

    @Test func `a press that was taken without a question is held, its name denied`() throws {
        var bench = try bench()
        for id in 0..<Int(GoalRefresh.maxDoubts) {
            bench.press(.make("\(id)", goal: "typo\(id)"))
            bench.learn([UnlistedGoalTests.water])
        }
        let fourth = try bench.commit { $0.press(.make("4", goal: "wtaer")) }
        expect(bench.acceptance(fourth) != nil)
        bench.deliver(bench.number("4"), .noSuchGoal)
        let atOnce = bench.press(.make("5", goal: "wtaer"))
        expect(isUnknown(bench, atOnce), "Beeminder has just said so")
        bench.pass(seconds: 11)
        bench.learn([UnlistedGoalTests.water])
        // Another attempt may be under way by then.
        bench.deliver(bench.number("4"), .noSuchGoal)
        expect(bench.state("4") == .held && bench.core.view.missingGoals == [.known("wtaer")])
        let again = bench.press(.make("6", goal: "wtaer"))
        expect(isUnknown(bench, again), "its name was denied a moment ago")
        let fetches = bench.fetches
        for _ in 0..<2 {
            bench.apply(.flushRequested)
            bench.deliver(bench.number("4"), .noSuchGoal)
        }
        expect(bench.fetches, is: fetches, "no question is used up")
        try bench.commit { $0.retry("4", to: "water") }
        expect(bench.sent.last?.goal, is: .known("water"))
    }

    // MARK: Names that were denied

    /// Names nobody has, until no question is left for the next ten seconds.
    private func askInVain(_ bench: inout CoreBench, times: Int) {
        for id in 0..<times {
            bench.press(.make("vain\(id)", goal: "vain\(id)"))
            bench.learn([UnlistedGoalTests.water])
        }
    }

    @Test func `what is said of a name counts for all presses that wait for it`() throws {
        var bench = try bench()
        askInVain(&bench, times: GoalRefresh.maxDoubts - 1)
        let first = bench.press(.make("1", goal: "wtaer"))
        // The request is under way, and there is no question left for another one.
        let second = bench.press(.make("2", goal: "wtaer"))
        let other = bench.press(.make("3", goal: "other"))
        bench.learn([UnlistedGoalTests.water])
        expect(isUnknown(bench, first) && isUnknown(bench, second))
        expect(bench.replies[other] == nil, "nothing was said of it")
        try bench.commit { $0.pass(seconds: 3) }
        expect(bench.acceptance(other) != nil && bench.core.view.pendingEvents == 1)
    }

    @Test(arguments: [(15.0, false), (1, true)])
    func `a goal that is made after its name was denied takes presses`(
        _ seconds: Double, _ isRefreshed: Bool
    ) throws {
        var bench = try bench()
        bench.press(.make("1", goal: "left"))
        bench.learn([UnlistedGoalTests.water])
        bench.pass(seconds: seconds - 0.5)
        let early = bench.press(.make("2", goal: "left"))
        expect(isUnknown(bench, early))
        bench.pass(seconds: 0.5)
        if isRefreshed {
            bench.apply(.goalsRequested)
            bench.learn([UnlistedGoalTests.water])
        }
        let press = bench.press(.make("3", goal: "left"))
        expect(bench.replies[press] == nil, "it is asked for")
        bench.apply(
            answer([UnlistedGoalTests.water], named: ["left": (200, #"{"slug":"left"}"#)]))
        try bench.commit()
        expect(bench.acceptance(press) != nil)
    }

    @Test func `no name is refused that was not asked for, however many wait`() throws {
        var bench = try bench()
        let names = (0..<20).map { "goal\($0)" }
        let presses = names.map { bench.press(.make($0, goal: $0)) }
        var asked: Set<String> = [names[0]]
        for _ in 0..<5 {
            let effects = bench.apply(answer([UnlistedGoalTests.water], named: [:]))
            for (name, press) in zip(names, presses) where isUnknown(bench, press) {
                expect(asked.contains(name))
            }
            asked.formUnion(self.names(effects) ?? [])
        }
        try bench.commit { $0.pass(seconds: 2.6) }
        expect(asked.count, is: 1 + 2 * GoalQuestions.maxNames)
        for (name, press) in zip(names, presses) {
            expect(isUnknown(bench, press), is: asked.contains(name))
            expect((bench.acceptance(press) != nil) != asked.contains(name))
        }
    }

    @Test func `presses that wait for a missing goal use up no question of others`() throws {
        var bench = try bench()
        try bench.commit { $0.press(.make("1", goal: "water")) }
        bench.deliver(bench.number("1"), .noSuchGoal)
        bench.learn([UnlistedGoalTests.new])
        bench.learn([UnlistedGoalTests.new])
        for _ in 0..<3 {
            let (sent, fetches) = (bench.sent.count, bench.fetches)
            bench.apply(.flushRequested)
            expect(bench.sent.count, is: sent + 1)
            bench.deliver(bench.number("1"), .noSuchGoal)
            expect(bench.state("1") == .held && bench.fetches == fetches)
            bench.pass(seconds: 1)
        }
        let replyID = bench.press(.make("2", goal: "newer"))
        expect(bench.replies[replyID] == nil, "it is asked for")
    }
}

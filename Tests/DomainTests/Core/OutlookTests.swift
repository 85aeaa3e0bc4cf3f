import Testing

@testable import BeemedDomain

/// The outlook: the waiting and refused presses and the goals, from which reminders are made.
struct OutlookTests {
    /// A relay whose goal "walk" derails in five hours.
    private static func bench(now: Moment? = nil) throws -> CoreBench {
        var bench = try CoreBench(now: now)
        bench.learn([Goal(slug: .known("walk"), losedate: bench.now.wall.seconds + 18_000)])
        return bench
    }

    private func outlook(_ bench: CoreBench) throws -> Outlook {
        try require(bench.core.view.outlook(at: bench.now))
    }

    private static let tomorrow = Daystamp(number: 1_760_000_000 / 86_400 + 1)

    @Test(
        arguments: [
            (nil, nil, 2, 3.0),
            (PresetOptions(preset: .known("glass"), mergeSeconds: 3_600), nil, 2, 3),
            (nil, tomorrow, 0, 0),
        ] as [(PresetOptions?, Daystamp?, Int, Double)])
    func `presses that may still save a goal wait for it, merged or not`(
        _ rule: PresetOptions?, _ day: Daystamp?, _ count: Int, _ sum: Double
    ) throws {
        var bench = try Self.bench()
        for (id, value) in [("1", 1.0), ("2", 2)] {
            let day = day.map(PressDay.on)
            bench.press(.make(id, goal: "walk", value: value, day: day, rule: rule))
            try bench.commit()
        }
        let waiting = try outlook(bench).waiting[.known("walk")]
        expect(waiting?.count ?? 0, is: count)
        expect(waiting?.sum ?? 0, is: sum)
    }

    @Test func `presses are stuck when Beeminder takes none, not when they wait for others`() throws
    {
        var bench = try Self.bench()
        let rule = PresetOptions(preset: .known("glass"), mergeSeconds: 3_600)
        bench.press(.make("1", goal: "walk", rule: rule))
        try bench.commit()
        try expect(outlook(bench).stuck.isEmpty)
        bench.press(.make("2", goal: "walk"))
        try bench.commit()
        bench.deliver(bench.number("2"), .unreachable("down"))
        try expect(outlook(bench).stuck.map(\.goal), is: [.known("walk")])
    }

    @Test func `a day's new value that does not arrive is stuck, too`() throws {
        var bench = try Self.bench()
        let total = { DayTotal.make($0, goal: "walk") }
        bench.total(total(5))
        try bench.commit()
        let number = try require(bench.core.ledger[total(5).key]?.number)
        bench.deliver(number, .delivered(.created, datapoint: "d"))
        try bench.commit()
        bench.total(total(9))
        try bench.commit()
        bench.pass(seconds: 61)
        bench.deliver(number, .unreachable("down"))
        expect(bench.core.view.pendingEvents, is: 1)
        try expect(outlook(bench).waiting.isEmpty, "Beeminder has a part of it")
        try expect(outlook(bench).stuck.map(\.goal), is: [.known("walk")])
    }

    @Test func `the newest refusal of a goal counts`() throws {
        var bench = try Self.bench()
        for (id, why) in [("1", "too small"), ("2", "too big")] {
            bench.press(.make(id, goal: "walk"))
            try bench.commit()
            bench.deliver(bench.number(id), .refused(status: 422, why: why))
            try bench.commit()
            bench.pass(seconds: 2)
        }
        let refused = try outlook(bench).refused
        expect(refused.map(\.goal), is: [.known("walk")])
        expect(refused.first?.why?.contains("too big"), is: true)
        expect(refused.first?.waiting, is: 0)
    }

    @Test func `a goal that Beeminder does not have is refused with all that wait`() throws {
        var bench = try Self.bench()
        bench.press(.make("1", goal: "walk"))
        try bench.commit()
        bench.deliver(bench.number("1"), .noSuchGoal)
        let refusal = try require(try outlook(bench).refused.first)
        expect(refusal.goal, is: .known("walk"))
        expect(refusal.waiting, is: 1)
    }

    @Test func `goals are as old as the list, and outdated behind a delivery`() throws {
        var bench = try Self.bench()
        bench.pass(seconds: 100)
        try expect(outlook(bench).goalsAge, is: 100)
        bench.press(.make("1", goal: "walk"))
        try bench.commit()
        bench.deliver(bench.number("1"), .delivered(.created, datapoint: "x"))
        try expect(outlook(bench).goalsAge == nil)
    }

    @Test func `a refused token needs a person`() throws {
        var bench = try CoreBench(token: .unknown)
        bench.learn()
        try bench.commit()
        try expect(!outlook(bench).mustSignIn)
        bench.apply(.fetched(.unauthorized))
        try expect(outlook(bench).mustSignIn)
    }

    @Test func `a wrong clock shows nothing, and no account no goals`() throws {
        let now = Moment(wall: UnixTime(1_000), monotonic: Monotonic(milliseconds: 0))
        let early = try Self.bench(now: now)
        expect(early.core.view.outlook(at: now) == nil)
        var bench = try Self.bench()
        try expect(outlook(bench).goals?.count, is: 1)
        bench.apply(.disconnected)
        try expect(outlook(bench).goals == nil)
    }
}

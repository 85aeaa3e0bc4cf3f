import Testing

@testable import BeemedDomain

/// Presses of which one a day is enough: what counts, what can be forced, and when it is decided.
struct GuardTests {
    private func daily() throws -> PresetOptions {
        PresetOptions(preset: try require(PresetName("pill")), oncePerDay: true)
    }

    @Test func `does not count a press that Beeminder refused`() throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.commit { $0.press(.make("1", rule: try daily())) }
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        try bench.commit { $0.press(.make("2", rule: try daily())) }
        expect(bench.state("2"), is: .sending)
        try bench.commit { $0.press(.make("3", rule: try daily())) }
        expect(bench.state("3"), is: .guarded)
        // Sent again, the refused one counts.
        bench.undo("2")
        try bench.commit { $0.retry("1") }
        try bench.commit { $0.press(.make("4", rule: try daily())) }
        expect(bench.state("4"), is: .guarded)
    }

    @Test func `a first press is decided when the clock was compared with Beeminder's`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn()
        try bench.commit { $0.press(.make("1", rule: try daily())) }
        try bench.commit { $0.deliver(1, Outcome.created) }
        let goals = bench.core.goals
        // The next day, on a machine whose clock has stopped, and Beeminder is away.
        try bench.restart(now: Moment.noon, goals: goals, asksUpstreamTime: true, boot: "b00u")
        bench.press(.make("2", rule: try daily()))
        try bench.commit { $0.press(.make("3", rule: try daily())) }
        expect(bench.state("2") == .held && bench.state("3") == .held)
        let right = UpstreamTime(Moment.noon.wall.adding(86_400), at: bench.now.monotonic)
        for _ in 0..<2 { bench.apply(.receivedTime(right)) }
        bench.learn()
        for _ in 0..<5 {
            try bench.commit()
            bench.pass(seconds: 1)
        }
        expect(bench.state("2"), is: .sending, "it is the first of its own day")
        expect(bench.state("3"), is: .guarded)
    }

    @Test(arguments: [true, false])
    func `a later press that is retried guards no earlier one`(_ isDaily: Bool) throws {
        let rule = PresetOptions(
            preset: .known("pill"), minimumInterval: isDaily ? nil : 60, oncePerDay: isDaily)
        var bench = try CoreBench(now: Moment.noon, asksUpstreamTime: true)
        bench.press(.make("1", rule: rule))
        bench.pass(seconds: 30)
        bench.press(.make("2", rule: rule))
        try bench.commit { $0.press(.make("3", rule: rule)) }
        expect(["1", "2", "3"].allSatisfy { bench.state($0) == .held })
        try bench.commit { $0.retry("2") }
        bench.apply(.receivedTime(UpstreamTime(bench.now.wall, at: bench.now.monotonic)))
        bench.learn()
        for _ in 0..<3 {
            try bench.commit()
            bench.pass(seconds: 1)
        }
        expect(["1", "2"].allSatisfy { bench.state($0) != .guarded })
        expect(bench.state("3"), is: .guarded)
    }

    @Test func `an interval is decided when the clock was compared with Beeminder's`() throws {
        let rule = PresetOptions(preset: .known("pill"), minimumInterval: 60)
        var bench = try CoreBench(now: Moment.noon)
        bench.learn()
        try bench.commit { $0.press(.make("1", time: .age(seconds: 600), rule: rule)) }
        try bench.commit { $0.deliver(1, Outcome.created) }
        let goals = bench.core.goals
        // The clock is ten minutes slow after a restart, and Beeminder is away.
        let slow = Moment(
            wall: Moment.noon.wall.adding(-600), monotonic: Monotonic(milliseconds: 0))
        for isLast in [false, true] {
            try bench.restart(now: slow, goals: goals, asksUpstreamTime: true, boot: "b00u")
            if !isLast {
                for id in ["2", "3"] { bench.press(.make(id, rule: rule)) }
                try bench.commit()
            }
            expect(bench.state("2") == .held && bench.state("3") == .held)
            guard isLast else { continue }
            for _ in 0..<2 {
                let right = slow.wall.adding(600)
                bench.apply(.receivedTime(UpstreamTime(right, at: bench.now.monotonic)))
            }
            bench.learn()
            for _ in 0..<5 {
                try bench.commit()
                bench.pass(seconds: 1)
            }
            expect(bench.state("2") == .sending && bench.sent.map(\.requestID) == ["button.2"])
            expect(bench.state("3"), is: .guarded)
        }
    }

    @Test func `a press after the clock was set is decided by Beeminder's time`() throws {
        var bench = try CoreBench(now: Moment.noon, asksUpstreamTime: true)
        bench.apply(.receivedTime(UpstreamTime(bench.now.wall, at: bench.now.monotonic)))
        bench.learn()
        try bench.commit { $0.press(.make("1", rule: try daily())) }
        try bench.commit { $0.deliver(1, Outcome.created) }
        // Somebody sets the clock a day ahead while Beeminder is away.
        bench.now.wall = bench.now.wall.adding(86_400)
        try bench.commit { $0.press(.make("2", rule: try daily())) }
        let (areKnown, state) = (bench.core.areDaysKnown, bench.state("2"))
        expect(areKnown && state == .held)
        bench.apply(
            .receivedTime(UpstreamTime(Moment.noon.wall.adding(2), at: bench.now.monotonic)))
        bench.apply(
            .receivedTime(UpstreamTime(Moment.noon.wall.adding(2), at: bench.now.monotonic)))
        for _ in 0..<5 {
            try bench.commit()
            bench.pass(seconds: 1)
        }
        let then = bench.state("2")
        expect(then, is: .guarded, "it is the same day")
    }

    @Test func `what was said of the day before does not guard the first press of a day`() throws {
        var bench = try CoreBench(
            now: Moment(
                wall: UnixTime(1_760_054_400 - 97), monotonic: Monotonic(milliseconds: 0)))
        var goal = Goal(slug: .known("pushups"))
        goal.todayta = true
        bench.learn([goal])
        // Computed before midnight, heard after it.
        bench.pass(seconds: 100)
        bench.learn([goal])
        try bench.commit { $0.press(.make("1", rule: try daily())) }
        expect(bench.state("1"), is: .sending)
        bench.pass(seconds: 900)
        bench.learn([goal])
        try bench.commit { $0.press(.make("2", rule: try daily())) }
        expect(bench.state("2"), is: .guarded)
    }

    @Test func `sends a guarded press when somebody insists, once, and over a restart`() throws {
        var bench = try CoreBench()
        bench.learn()
        bench.press(.make("1", rule: try daily()))
        try bench.commit { $0.press(.make("2", rule: try daily())) }
        bench.deliver(1, Outcome.created)
        let forced = try bench.commit { $0.retry("2") }
        expect(bench.change(forced)?.state, is: .queued)
        expect(bench.state("2"), is: .sending)
        bench.deliver(2, .unreachable("down"))
        try bench.restart()
        bench.learn()
        expect(bench.state("2"), is: .sending)
        try bench.commit { $0.deliver(2, Outcome.created) }
        expect(bench.sent.map(\.requestID), is: ["button.2"])
        expect(bench.state("2"), is: .delivered)
    }

    @Test func `counts what the phone has logged that day`() throws {
        var bench = try CoreBench(now: Moment.noon)
        var goal = Goal(slug: .known("pushups"))
        goal.todayta = true
        goal.lastDatapoint = GoalDatapoint(id: "a", at: Moment.noon.wall.seconds - 60, value: 1)
        bench.learn([goal])
        try bench.commit { $0.press(.make("1", rule: try daily())) }
        expect(bench.state("1"), is: .guarded)
        bench.pass(seconds: 86_400)
        try bench.commit { $0.press(.make("2", rule: try daily())) }
        expect(bench.state("2"), is: .sending)
    }

    @Test func `decides when the time zone is known, and nothing is sent before`() throws {
        var bench = try CoreBench(now: Moment.noon, token: .unknown)
        bench.press(.make("1", time: .age(seconds: 30_600), rule: try daily()))
        bench.press(.make("2", rule: try daily()))
        try bench.commit { $0.press(.make("3", rule: try daily())) }
        expect(bench.sent.isEmpty)
        expect(bench.state("2"), is: .held)
        try bench.restart(now: Moment.noon, token: .unknown)
        expect(bench.state("1"), is: .held)
        // 03:30 in UTC, and in Honolulu the day before.
        bench.learn(timezone: "Pacific/Honolulu")
        expect(bench.sent.isEmpty, "nothing was decided on the disk")
        try bench.commit()
        expect(["1", "2", "3"].map { bench.state($0) }, is: [.sending, .queued, .guarded])
        try bench.restart(now: Moment.noon, token: .unknown)
        try bench.commit { $0.learn(timezone: "Pacific/Honolulu") }
        // A decision on the disk is not made a second time.
        expect(["1", "2", "3"].map { bench.state($0) }, is: [.sending, .queued, .guarded])
        bench.deliver(bench.number("1"), Outcome.created)
        try bench.commit { $0.deliver($0.number("2"), Outcome.created) }
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.2"])
    }

    @Test func `sends what is still open when somebody insists`() throws {
        var bench = try CoreBench(token: .unknown)
        // The user is named, and nobody knows yet when her days begin.
        bench.apply(.fetched(.userOnly(UpstreamUser(name: "alice"), why: "status 500")))
        try bench.commit { $0.press(.make("1", rule: try daily())) }
        expect(bench.sent.isEmpty)
        try bench.commit { $0.retry("1") }
        expect(bench.sent.map(\.requestID), is: ["button.1"])
    }

    @Test func `which guard kept a press is told, at once and after a restart`() throws {
        let preset = try require(PresetName("pill"))
        let both = PresetOptions(preset: preset, minimumInterval: 600, oncePerDay: true)
        var bench = try CoreBench(now: Moment.noon)
        bench.learn()
        let goals = bench.core.goals
        for id in ["1", "2"] { bench.press(.make(id, rule: both)) }
        try bench.commit()
        bench.pass(seconds: 700)
        try bench.commit { $0.press(.make("3", rule: both)) }
        func kept(_ bench: CoreBench) -> [PresetGuard?] {
            ["1", "2", "3"].map { id in
                let key = EventKey(device: .known("button"), generation: nil, id: .known(id))
                return bench.core.view.event(key)?.guardedBy
            }
        }
        expect(kept(bench), is: [nil, .minimumInterval(600), .oncePerDay])
        expect(bench.state("2") == .guarded && bench.state("3") == .guarded)
        try bench.restart(now: bench.now, goals: goals)
        expect(kept(bench), is: [nil, .minimumInterval(600), .oncePerDay])
    }
}

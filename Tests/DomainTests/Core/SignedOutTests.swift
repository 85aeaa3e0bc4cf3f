import Testing

@testable import BeemedDomain

/// Whether the account is signed out, or one goal is turned away.
struct SignedOutTests {
    @Test func `a flush asks again whose a token is that nobody has named`() throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.press(.make("1")) }
        bench.apply(.fetched(.unauthorized))
        let fetches = bench.fetches
        bench.apply(.flushRequested)
        expect(bench.fetches, is: fetches + 1)
        try bench.commit { $0.learn() }
        expect(bench.sent.count, is: 1)
    }

    @Test func `looks rarely for the goals while the token is not taken`() throws {
        var bench = try CoreBench()
        bench.apply(.fetched(.unauthorized))
        expect(bench.core.view.sync, is: .signInAgain)
        var waits: [Int64] = []
        for _ in 0..<8 {
            let asked = bench.fetches
            let wait = (bench.wake?.milliseconds ?? 0) - bench.now.monotonic.milliseconds
            waits.append(wait / 1_000)
            bench.pass(seconds: Double(wait) / 1_000)
            expect(bench.fetches, is: asked + 1)
            bench.apply(.fetched(.unauthorized))
        }
        expect(waits, is: [30, 60, 120, 240, 480, 900, 900, 900])
        bench.apply(.fetched(.unchanged("alice")))
        expect(bench.core.view.sync, is: .online)
    }

    @Test func `asks for the user before it calls the account signed out`() throws {
        for outcome in [Outcome.unauthorized, .forbidden("archived")] {
            var bench = try CoreBench()
            let water = GoalSlug.known("water")
            bench.learn([Goal(slug: .known("pushups")), Goal(slug: water)])
            bench.pass(seconds: 20)
            try bench.commit { $0.press(.make("1")) }
            let asked = bench.fetches
            bench.deliver(1, outcome)
            expect(bench.fetches, is: asked + 1)
            expect(bench.state("1"), is: .held)
            expect(bench.core.view.sync, is: .online)
            expect(bench.core.view.barredGoals, is: [.known("pushups")])
            bench.learn([Goal(slug: .known("pushups")), Goal(slug: water)])
            try bench.commit { $0.press(.make("2", goal: "water")) }
            expect(bench.state("2"), is: .sending)
            expect(bench.core.view.missingGoals.isEmpty)
        }
    }

    @Test func `looks again within seconds for a goal before its deadline`() throws {
        var bench = try CoreBench()
        let goal = Goal(slug: .known("pushups"), losedate: bench.now.wall.seconds + 100)
        bench.apply(.fetched(.goals([goal], user: "alice")))
        try bench.commit { $0.press(.make("1")) }
        for _ in 0..<5 {
            let sent = bench.sent.count
            bench.deliver(1, .unauthorized)
            bench.apply(.fetched(.unauthorized))
            bench.pass(seconds: 10)
            expect(bench.sent.count, is: sent + 1)
        }
    }

    // MARK: Order

    /// The order in which presses are sent to the end, once nothing is in their way.
    private func order(_ bench: inout CoreBench) throws -> [String] {
        var order: [String] = []
        for _ in 0..<20 {
            guard let last = bench.sent.last, bench.state(last.requestID.id) == .sending else {
                bench.pass(seconds: 10)
                continue
            }
            order.append(last.requestID.id)
            try bench.commit { $0.deliver(last.number, .delivered(.created, datapoint: "d1")) }
        }
        return order
    }

    @Test(arguments: 0...8)
    func `presses keep their order when the token was refused and another one is connected`(
        _ attempts: Int
    ) throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.learn() }
        try bench.commit { $0.press(.make("1")) }
        for _ in 0..<attempts {
            bench.deliver(1, .unauthorized)
            bench.apply(.fetched(.unauthorized))
            bench.pass(seconds: 1_000)
        }
        bench.deliver(1, .unauthorized)
        bench.apply(.fetched(.unauthorized))
        try bench.commit { $0.press(.make("2")) }
        bench.connect(.named("alice"))
        try bench.commit { $0.press(.make("3")) }
        try bench.commit { $0.learn() }
        try expect(order(&bench), is: ["1", "2", "3"])
    }

    @Test func `presses keep their order when the first token was never taken`() throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.press(.make("1")) }
        bench.apply(.fetched(.unauthorized))
        bench.connect(.named("alice"))
        try bench.commit { $0.press(.make("2")) }
        try bench.commit { $0.learn() }
        try expect(order(&bench), is: ["1", "2"])
    }
}

extension String {
    /// The event's own id in a request id.
    fileprivate var id: String { String(split(separator: ".").last ?? "") }
}

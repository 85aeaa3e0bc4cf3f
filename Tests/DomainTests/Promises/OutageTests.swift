import Testing

@testable import BeemedDomain

/// A row of the README's table of promises that takes a week of virtual time.
struct OutageTests {
    private static let created = Outcome.delivered(.created, datapoint: nil)
    private static let week: Int64 = 7 * 86_400

    /// Answers all requests under way.
    ///
    /// - Parameter outcome: by goal.
    private func answer(
        _ bench: inout CoreBench, _ outcome: (GoalSlug) -> Outcome
    ) throws {
        let waiting = bench.batches
        bench.batches = []
        for batch in waiting { bench.apply(.delivered(batch, .whole(outcome(batch.goal)))) }
        try bench.commit()
    }

    /// Time passes until the relay wants to do something, within these bounds, in seconds.
    private func pass(_ bench: inout CoreBench, least: Double = 1, most: Double = 3_600) {
        let now = bench.now.monotonic.milliseconds
        let wait = bench.wake.map { $0.milliseconds - now } ?? 3_600_000
        bench.pass(seconds: min(most, max(least, Double(wait) / 1_000).rounded(.up)))
    }

    @Test func `Beeminder may be down for a week`() throws {
        var bench = try CoreBench()
        let goals = ["water", "pushups", "reading"]
        bench.learn(goals.map { Goal(slug: .known($0)) })
        let start = bench.now.wall
        var accepted: [String: UnixTime] = [:]
        // A press an hour, to one goal after the other; every request fails.
        while bench.now.wall.seconds < start.seconds + OutageTests.week {
            let due = start.seconds + Int64(accepted.count) * 3_600
            if bench.now.wall.seconds >= due {
                let id = "p\(accepted.count)"
                let reply = bench.press(.make(id, goal: goals[accepted.count % goals.count]))
                try bench.commit()
                let acceptance = try require(bench.acceptance(reply), "as on any other day")
                accepted[id] = acceptance.event.at
            }
            try answer(&bench) { _ in .unreachable("down") }
            pass(&bench, least: 600, most: 1_800)
        }
        expect(accepted.count, is: 168)
        expect(bench.core.view.pendingEvents, is: 168, "only the queue has grown")
        // Back, except for one goal that never works.
        bench.sent = bench.batches.flatMap(\.datapoints)
        var steps = 0
        while bench.core.view.pendingEvents > 56, steps < 5_000 {
            try answer(&bench) { $0 == .known("reading") ? .unclear("500") : OutageTests.created }
            pass(&bench)
            steps += 1
        }
        let arrived = bench.sent.filter { $0.goal != .known("reading") }
        expect(Set(arrived.map(\.requestID)).count, is: 112, "the broken goal held up no other")
        for goal in ["water", "pushups"] {
            let sent = arrived.filter { $0.goal == .known(goal) }
            expect(sent.map(\.number), is: sent.map(\.number).sorted(), "in order")
            expect(Set(sent.map(\.requestID)).count, is: sent.count, "each once")
        }
        for outgoing in arrived {
            let id = String(outgoing.requestID.split(separator: ".").last ?? "")
            expect(outgoing.at, is: accepted[id], "with its own time")
        }
        // And the broken one, once it works.
        steps = 0
        while bench.core.view.pendingEvents > 0, steps < 5_000 {
            try answer(&bench) { _ in OutageTests.created }
            pass(&bench)
            steps += 1
        }
        expect(bench.core.view.pendingEvents == 0 && bench.core.view.refusedEvents == 0)
    }
}

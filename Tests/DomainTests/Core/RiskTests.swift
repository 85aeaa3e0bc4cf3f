import Foundation
import Testing

@testable import BeemedDomain

/// Warnings that come in time.
struct RiskTests {
    private func goal(_ slug: String, in minutes: Int64, _ bench: CoreBench) -> Goal {
        Goal(slug: .known(slug), losedate: bench.now.wall.seconds + minutes * 60)
    }

    private func risks(_ bench: CoreBench) -> [String] {
        bench.core.view.goalsAtRisk(at: bench.now).map { "\($0.goal) \($0.minutesLeft)" }
    }

    @Test func `warns of every goal that derails within six hours while a press waits`() throws {
        var bench = try CoreBench()
        bench.learn([
            goal("later", in: 300, bench), goal("soon", in: 40, bench),
            goal("far", in: 361, bench), goal("quiet", in: 5, bench),
        ])
        for slug in ["later", "soon", "far"] { bench.press(.make(slug, goal: slug)) }
        try bench.commit { $0.press(.make("late-2", goal: "later")) }
        expect(risks(bench), is: ["later 300"], "the second one waits; the first are being sent")
        bench.deliver(bench.number("soon"), .unreachable("down"))
        bench.deliver(bench.number("later"), .unreachable("down"))
        expect(risks(bench), is: ["soon 40", "later 300"])
        let shown = bench.core.view.snapshot(at: bench.now)
        expect(shown.atRisk.map(\.waiting), is: [1, 2])
        expect(shown.goals.first { $0.goal.slug == "soon" }?.minutesLeft, is: 40)
        bench.now.wall = bench.now.wall.adding(60 * 2)
        expect(risks(bench), is: ["soon 38", "later 298"])
    }

    @Test func `warns of a press that always fails while the others of its goal arrive`() throws {
        var bench = try CoreBench()
        bench.learn([goal("soon", in: 300, bench)])
        for id in ["1", "2"] { bench.press(.make(id, goal: "soon")) }
        try bench.commit()
        for _ in 0..<2 {
            bench.deliver(bench.number("1"), .unclear("status 500"))
            bench.pass(seconds: 5)
        }
        try bench.commit { $0.deliver($0.number("2"), .delivered(.created, datapoint: "d2")) }
        expect(bench.state("2"), is: .delivered)
        expect(risks(bench) == ["soon 299"] && bench.core.view.pendingEvents == 1)
        let age = bench.core.view.oldestPendingSeconds(at: bench.now) ?? 0
        expect((9...11).contains(age), "\(age)")
        expect(bench.core.view.failingEvents, is: 0, "not yet")
        for _ in 0..<6 {
            bench.pass(seconds: 300)
            bench.deliver(bench.number("1"), .unclear("status 500"))
        }
        expect(
            bench.core.view.failingEvents == 1
                && bench.core.view.eventFaults(at: bench.now).unchangeable == 0)
        expect(bench.state("1"), is: .queued)
        try bench.commit { $0.undo("1") }
        bench.pass(seconds: 300)
        try bench.commit { $0.erase(.erased) }
        expect(bench.state("1") == .undone && bench.core.view.failingEvents == 0)
    }

    @Test func `warns when the token is refused, however early`() throws {
        var bench = try CoreBench(token: .unknown)
        bench.learn([goal("soon", in: 60, bench)])
        try bench.commit { $0.press(.make("1", goal: "soon")) }
        bench.deliver(bench.number("1"), .unauthorized)
        expect(risks(bench), is: ["soon 60"])
        // A press that came under a token nobody has named may be for that goal too.
        bench.connect(.unknown)
        expect(risks(bench), is: ["soon 60"])
        expect(bench.core.view.goalsAtRisk(at: bench.now).map(\.isShown), is: [false])
        expect(bench.core.view.snapshot(at: bench.now).atRisk.isEmpty)
    }

    @Test func `warns of presses while another user's token is connected`() throws {
        var bench = try CoreBench(token: .unknown)
        bench.learn([goal("soon", in: 60, bench)])
        try bench.commit()
        try bench.commit { $0.press(.make("1", goal: "soon")) }
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.connect(.named("bob"))
        expect(risks(bench), is: ["soon 60"])
        expect(bench.core.view.goalsAtRisk(at: bench.now).map(\.isShown), is: [false])
        expect(bench.core.view.snapshot(at: bench.now).atRisk.isEmpty, "its goals are not bob's")
    }

    @Test func `warns of a press that is to leave another goal first`() throws {
        var bench = try CoreBench()
        bench.learn([goal("old", in: 10_000, bench), goal("soon", in: 60, bench)])
        try bench.commit { $0.press(.make("1", goal: "old")) }
        bench.deliver(1, .unclear("status 500"))
        try bench.commit { $0.retry("1", to: "soon") }
        bench.pass(seconds: 10)
        bench.erase(.unclear("status 500"))
        expect(risks(bench), is: ["soon 59"])
        try bench.restart()
        bench.learn([goal("old", in: 10_000, bench), goal("soon", in: 60, bench)])
        expect(risks(bench).isEmpty, "the deletion is sent for the first time")
        bench.erase(.unclear("status 500"))
        expect(risks(bench), is: ["soon 60"])
        bench.pass(seconds: 10)
        bench.erase(.erased)
        bench.pass(seconds: 61)
        try bench.commit { $0.erase(.erased) }
        expect(bench.sent.last?.goal == .known("soon") && risks(bench).isEmpty)
    }

    @Test func `warns of a press in an open merge window`() throws {
        var bench = try CoreBench()
        bench.learn([goal("soon", in: 60, bench)])
        let preset = try require(PresetName("tally"))
        let rule = PresetOptions(preset: preset, mergeSeconds: 3_000)
        try bench.commit { $0.press(.make("1", goal: "soon", rule: rule)) }
        expect(bench.sent.isEmpty)
        expect(risks(bench), is: ["soon 60"])
    }

    @Test func `stays in view after the deadline until the press is delivered`() throws {
        var bench = try CoreBench()
        bench.learn([goal("soon", in: 10, bench)])
        try bench.commit { $0.press(.make("1", goal: "soon")) }
        bench.deliver(1, .unreachable("down"))
        bench.pass(seconds: 15 * 60)
        expect(risks(bench), is: ["soon -5"])
        // Beeminder has set the next deadline, and the press is late all the same.
        bench.learn([goal("soon", in: 10_000, bench)])
        expect(risks(bench), is: ["soon -5"])
        bench.learn([goal("soon", in: 10_000, bench)])
        expect(risks(bench), is: ["soon -5"])
        bench.pass(seconds: 400)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        expect(risks(bench).isEmpty)
        bench.learn([goal("soon", in: 10_000, bench)])
        expect(bench.core.goals.missedDeadline(of: .known("soon")) == nil)
    }
}

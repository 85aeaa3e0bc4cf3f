import Testing

@testable import BeemedDomain

/// Merged datapoints: that they stay on one day, and what people do with them at Beeminder.
struct MergedDayTests {
    private func press(_ id: String) -> Press {
        .make(id, rule: PresetOptions(preset: .known("glass"), mergeSeconds: 3_600))
    }

    private func goal(deadline: Int? = nil, _ recent: [GoalDatapoint]? = nil) -> Goal {
        var goal = Goal(slug: .known("pushups"))
        goal.deadline = deadline
        goal.recentDatapoints = recent
        return goal
    }

    @Test func `a press joins no datapoint of the day before at a new deadline`() throws {
        var bench = try CoreBench(now: Moment.noon, token: .unknown)
        try bench.commit { $0.learn([goal(deadline: 0)]) }
        try bench.commit { $0.press(press("1")) }
        // The day ends ten minutes from now instead of twelve hours.
        bench.learn([goal(deadline: -43_200 + 600)])
        bench.pass(seconds: 1_200)
        try bench.commit { $0.press(press("2")) }
        expect(bench.sent.map(\.requestID), is: ["button.1"])
        expect(bench.state("2"), is: .queued, "it leads a datapoint of its own")
    }

    @Test func `a list with the same deadline leaves a window open`() throws {
        var bench = try CoreBench(now: Moment.noon, token: .unknown)
        try bench.commit { $0.learn([goal(deadline: 0)]) }
        try bench.commit { $0.press(press("1")) }
        bench.learn([goal(deadline: 0)])
        try bench.commit { $0.press(press("2")) }
        expect(bench.state("2") == .merged && bench.sent.isEmpty)
    }

    /// The clock shows ten minutes before midnight, and may be wrong.
    @Test func `presses are not merged before the clock was compared with Beeminder's`() throws {
        let late = Moment(
            wall: Moment.noon.wall.adding(43_200 - 600),
            monotonic: Monotonic(milliseconds: 0))
        var bench = try CoreBench(now: late, asksUpstreamTime: true)
        bench.press(press("1"))
        try bench.commit { $0.press(press("2")) }
        // It is ten minutes behind: both presses are of the next day, or of two.
        for _ in 0..<2 {
            bench.apply(
                .receivedTime(UpstreamTime(bench.now.wall.adding(600), at: bench.now.monotonic)))
        }
        try bench.commit()
        bench.deliver(bench.number("1"), Outcome.created)
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.2"])
        bench.deliver(bench.number("2"), Outcome.created)
        bench.press(press("3"))
        try bench.commit { $0.press(press("4")) }
        expect(bench.state("4"), is: .merged, "the clock is known now")
    }

    @Test func `the rest of a datapoint that was deleted at Beeminder is sent at an undo`() throws {
        var bench = try CoreBench(now: Moment.noon, token: .unknown)
        try bench.commit { $0.learn([goal([])]) }
        for id in ["1", "2", "3"] { bench.press(press(id)) }
        try bench.commit()
        bench.apply(.flushRequested)
        try bench.commit { $0.deliver($0.number("1"), Outcome.created) }
        let point = GoalDatapoint(
            id: "d1", at: Moment.noon.wall.seconds, value: 3, requestID: "button.1")
        bench.learn([goal([point])])
        bench.learn([goal([])])
        try bench.commit { $0.undo("2") }
        expect(bench.sent.map(\.value), is: [3, 2])
        try bench.commit { $0.deliver($0.number("1"), Outcome.created) }
        expect(bench.state("2") == .undone && bench.view("2")?.isBeingErased == false)
        expect(bench.core.view.pendingEvents, is: 0)
    }
}

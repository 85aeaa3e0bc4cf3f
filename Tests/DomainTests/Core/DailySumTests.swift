import Testing

@testable import BeemedDomain

/// The sums of the values logged day by day, as the web page draws them.
struct DailySumTests {
    private static let day: Int64 = 86_400

    private func press(_ id: String, _ value: Double, ago seconds: Int64) -> Press {
        .make(id, value: value, time: .timestamp(Moment.noon.wall.adding(-seconds)))
    }

    private func sums(_ bench: inout CoreBench, days: Int = 3) -> [Double]? {
        bench.core.view.dailyValues(days: days, at: bench.now)[.known("pushups")]
    }

    @Test func `each press counts on its own day, and those of before do not`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn()
        for (number, days) in [0, 0, 1, 2, 3].enumerated() {
            let ago = Int64(days) * DailySumTests.day
            bench.press(press("\(number)", Double(number + 1), ago: ago))
        }
        expect(sums(&bench), is: [0, 0, 0], "nothing is on the disk yet")
        try bench.commit()
        expect(sums(&bench), is: [4, 3, 3])
        expect(sums(&bench, days: 5), is: [0, 5, 4, 3, 3])
        expect(sums(&bench, days: 1), is: [3])
    }

    @Test func `the sum of decimal values is a decimal value`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn()
        bench.press(press("1", 0.1, ago: 0))
        try bench.commit { $0.press(press("2", 0.2, ago: 0)) }
        expect(sums(&bench, days: 1), is: [0.3])
    }

    @Test func `a day ends at the goal's deadline`() throws {
        var bench = try CoreBench(now: Moment.noon)
        var goal = Goal(slug: .known("pushups"))
        goal.deadline = 6 * 3_600
        bench.learn([goal])
        // Noon, and the four o'clock in the morning that still was yesterday.
        bench.press(press("1", 1, ago: 0))
        try bench.commit { $0.press(press("2", 2, ago: 8 * 3_600)) }
        expect(sums(&bench), is: [0, 2, 1])
    }

    @Test func `what was refused or taken back does not count, what is elsewhere does`() throws {
        var bench = try CoreBench(now: Moment.noon)
        var goal = Goal(slug: .known("pushups"))
        goal.recentDatapoints = [
            GoalDatapoint(
                id: "p1", at: Moment.noon.wall.seconds - DailySumTests.day, value: 10)
        ]
        bench.learn([goal])
        bench.press(press("1", 1, ago: 0))
        bench.press(press("2", 2, ago: 0))
        try bench.commit { $0.press(press("3", 4, ago: 0)) }
        expect(sums(&bench), is: [0, 10, 7])
        bench.undo("2")
        try bench.commit { $0.deliver($0.number("1"), .refused(status: 422, why: "no")) }
        expect(sums(&bench), is: [0, 10, 4])
    }

    @Test func `nobody is shown another user's days`() throws {
        var bench = try CoreBench(now: Moment.noon, token: .unknown)
        bench.learn()
        try bench.commit { $0.press(press("1", 1, ago: 0)) }
        expect(sums(&bench), is: [0, 0, 1])
        bench.connect(.unknown)
        expect(sums(&bench) == nil)
    }
}

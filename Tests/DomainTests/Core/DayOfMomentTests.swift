import Testing

@testable import BeemedDomain

/// Moments that say on which day of its goal a press is.
struct DayOfMomentTests {
    /// 2025-10-09 08:53:20 UTC; in New York it is 04:53.
    private func bench(_ timezone: String? = "America/New_York", deadline: Int = 0) throws
        -> CoreBench
    {
        var goal = Goal(slug: .known("pushups"))
        goal.deadline = deadline
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.learn([goal], timezone: timezone) }
        return bench
    }

    /// 2025-10-09 00:00 UTC.
    private static let midnight: Int64 = 1_759_968_000

    @Test(arguments: [
        (3 * 3_600 + 1_800, 0, "20251008"),  // 23:30 of the day before in New York
        (4 * 3_600, 0, "20251009"), (8 * 3_600, 0, "20251009"),
        (5 * 3_600, 3 * 3_600, "20251008"),  // 1:00, and the day ends at 3:00
        (7 * 3_600, 3 * 3_600, "20251009"), (20 * 3_600, 0, "20251009"),
        (22 * 3_600, -4 * 3_600, "20251009"), (23 * 3_600 + 3_600 + 60, -4 * 3_600, "20251010"),
        (28 * 3_600, 0, "20251010"),
    ])
    func `the day is that of the goal in the user's zone`(
        _ seconds: Int, _ deadline: Int, _ day: String
    ) throws {
        var bench = try bench(deadline: deadline)
        let moment = UnixTime(DayOfMomentTests.midnight + Int64(seconds))
        let replyID = try bench.commit { $0.press(.make("1", day: .at(moment))) }
        let event = try require(bench.acceptance(replyID)?.event)
        expect(event.daystamp?.description, is: day)
        expect(event.at, is: moment)
        let again = bench.press(.make("1", day: .at(moment)))
        expect(bench.acceptance(again)?.isDuplicate, is: true)
        let other = bench.press(.make("1", day: .at(moment.adding(1))))
        expect(bench.refusal(other), is: "conflict")
    }

    @Test(arguments: [
        (-36 * 86_400, false), (-34 * 86_400, true), (86_400, true), (2 * 86_400, false),
    ])
    func `it is from 35 days back to tomorrow`(_ offset: Int, _ isTaken: Bool) throws {
        for timezone in ["America/New_York", nil] {
            var bench = try timezone == nil ? CoreBench() : bench(timezone)
            let replyID = bench.press(.make("1", day: .at(bench.now.wall.adding(Int64(offset)))))
            try bench.commit()
            expect((bench.acceptance(replyID) != nil) == isTaken)
        }
    }

    @Test func `while nobody knows the user's days the moment itself is sent`() throws {
        var bench = try CoreBench()
        let moment = UnixTime(DayOfMomentTests.midnight + 12_600)
        let replyID = try bench.commit { $0.press(.make("1", day: .at(moment))) }
        let event = try require(bench.acceptance(replyID)?.event)
        expect(event.daystamp == nil && event.at == moment)
        let again = bench.press(.make("1", day: .at(moment)))
        expect(bench.acceptance(again)?.isDuplicate, is: true)
    }

    @Test func `a time beside it must be of that day`() throws {
        var bench = try bench()
        let moment = UnixTime(DayOfMomentTests.midnight + 12_600)
        for (offset, isTaken) in [(-3_600, true), (3_600, false)] as [(Int64, Bool)] {
            let time = PressTime.timestamp(moment.adding(offset))
            let press = Press.make("\(offset)", time: time, day: .at(moment))
            let replyID = try bench.commit { $0.press(press) }
            expect((bench.acceptance(replyID)?.event.at == moment.adding(offset)) == isTaken)
            guard isTaken else { continue }
            let again = bench.press(press)
            expect(bench.acceptance(again)?.isDuplicate, is: true)
        }
    }
}

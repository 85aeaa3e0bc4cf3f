import Foundation
import Testing

@testable import BeemedDomain

/// Presses that name their day.
struct DayTests {
    /// 2025-10-09 08:53:20 UTC.
    private static let today = Daystamp(number: 20_370)

    private func book(_ timezone: String?, deadline: Int = 0) -> GoalBook {
        var book = GoalBook()
        var goal = Goal(slug: .known("pushups"))
        goal.deadline = deadline
        book.replace(
            [goal], user: UpstreamUser(name: "alice", timezone: timezone),
            at: UnixTime(1_760_000_000))
        return book
    }

    private func press(
        _ day: Daystamp, _ id: String = "1", time: PressTime = .now
    ) -> Press {
        .make(id, time: time, day: .on(day))
    }

    @Test func `counts days as the calendar does`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try require(TimeZone(secondsFromGMT: 0))
        for number in stride(from: Int64(-300_000), through: 2_900_000, by: 997) {
            let date = Date(timeIntervalSince1970: Double(number) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            guard date > Date(timeIntervalSince1970: -12_219_292_800) else { continue }
            let day = Daystamp(number: number)
            expect(day.parts == (parts.year, parts.month, parts.day))
            let (year, month, date2) = day.parts
            expect(Daystamp(year: year, month: month, day: date2), is: day)
            expect(Daystamp(day.description), is: day)
        }
        expect(Daystamp("20240229") != nil)
        expect(Daystamp("20230229") == nil)
        expect(Daystamp("21000229") == nil)
    }

    @Test(
        arguments: [
            (.ago(days: 0), 0), (.ago(days: 1), -1), (.latest(month: nil, day: 9), 0),
            (.latest(month: nil, day: 10), 1), (.latest(month: nil, day: 11), -28),
            (.latest(month: 10, day: 8), -1), (.latest(month: 12, day: 25), -288),
        ] as [(PressDay, Int64)])
    func `finds the day that is meant`(_ day: PressDay, _ distance: Int64) {
        let found = day.resolved(today: DayTests.today)
        expect(found, is: DayTests.today.adding(days: distance))
    }

    @Test func `a day counted from today is a time ago while days are unknown`() throws {
        var bench = try CoreBench()
        let press = Press.make("1", day: .ago(days: 1))
        let replyID = try bench.commit { $0.press(press) }
        let event = try require(bench.acceptance(replyID)?.event)
        expect(event.daystamp == nil && event.at == bench.now.wall.adding(-86_400))
        var known = try CoreBench(goals: book("UTC"), token: .unknown)
        try known.commit { $0.learn() }
        let other = try known.commit { $0.press(press) }
        expect(known.acceptance(other)?.event.daystamp, is: DayTests.today.adding(days: -1))
    }

    @Test(arguments: [nil, "Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
    func `sends the day and no time, the same in every attempt`(_ timezone: String?) throws {
        var bench = try CoreBench(goals: book(timezone))
        let yesterday = DayTests.today.adding(days: -2)
        let replyID = try bench.commit { $0.press(press(yesterday)) }
        expect(bench.acceptance(replyID) != nil)
        bench.deliver(1, .unclear("no answer"))
        bench.pass(seconds: 3_600)
        expect(bench.sent.count, is: 2)
        expect(Set(bench.sent.map { "\($0.parameters)" }).count, is: 1)
        for outgoing in bench.sent {
            let names = outgoing.parameters.map(\.name)
            expect(names, is: ["value", "daystamp", "comment", "requestid"])
            expect(outgoing.parameters[1].value, is: "20251007")
        }
        let together = DatapointBatch(.known("pushups"), bench.sent).encoded
        expect(together.contains(#""daystamp":"20251007""#))
        expect(!together.contains("timestamp"))
    }

    @Test(arguments: [0, -61_200, 21_600])
    func `counts it into that day of the goal, and not into today`(_ deadline: Int) throws {
        var bench = try CoreBench(goals: book("America/New_York", deadline: deadline))
        let zone = try require(Zone(named: "America/New_York"))
        let goalDay = GoalDay(zone: zone, deadline: deadline)
        let today = Daystamp(number: goalDay.number(of: bench.now.wall))
        for distance in -3...1 {
            let day = today.adding(days: Int64(distance))
            try bench.commit { $0.press(press(day, "\(distance + 9)")) }
            let at = try require(bench.view("\(distance + 9)")?.at)
            expect(goalDay.number(of: at), is: day.number)
            if distance == 0 { expect(at, is: bench.now.wall) }
        }
        expect(bench.core.view.overview(at: bench.now).goals.first?.today, is: 1)
    }

    @Test(arguments: [(-35, true), (-36, false), (1, true), (2, false), (0, true)])
    func `takes days from 35 back to tomorrow`(_ distance: Int64, _ isTaken: Bool) throws {
        var bench = try CoreBench(goals: book("UTC"))
        let replyID = try bench.commit { $0.press(press(DayTests.today.adding(days: distance))) }
        expect((bench.acceptance(replyID) != nil) == isTaken)
        guard !isTaken else { return }
        guard case .refused(.unusableTime(.day))? = bench.replies[replyID]
        else { throw Unexpected("not refused for its day") }
    }

    @Test func `refuses a time that is of another day`() throws {
        var bench = try CoreBench(goals: book("UTC"))
        let now = bench.now.wall
        let day = DayTests.today
        let same = bench.press(press(day, "1", time: .timestamp(now.adding(-60))))
        let other = bench.press(press(day, "2", time: .timestamp(now.adding(-86_400))))
        let aged = bench.press(press(day.adding(days: -1), "3", time: .age(seconds: 86_400)))
        let wrong = bench.press(press(day.adding(days: -1), "4", time: .age(seconds: 60)))
        try bench.commit()
        expect(bench.acceptance(same) != nil)
        expect(bench.acceptance(aged) != nil)
        for replyID in [other, wrong] {
            guard case .refused(.unusableTime(.otherDay))? = bench.replies[replyID]
            else { throw Unexpected("not refused for two days") }
        }
    }

    @Test func `knows the same press again by its day`() throws {
        var bench = try CoreBench()
        bench.press(press(DayTests.today))
        let again = bench.press(press(DayTests.today))
        let other = bench.press(press(DayTests.today.adding(days: -1)))
        let none = try bench.commit { $0.press(.make("1")) }
        expect(bench.acceptance(again)?.isDuplicate, is: true)
        for replyID in [other, none] {
            expect(bench.refusal(replyID), is: "conflict")
        }
    }

    @Test func `looks for tomorrow's press among today's datapoints`() throws {
        var bench = try CoreBench(goals: book("UTC"))
        try bench.commit { $0.press(press(DayTests.today.adding(days: 1))) }
        expect(bench.sent.allSatisfy { $0.at <= bench.now.wall })
        bench.deliver(1, .unclear("no answer"))
        try bench.commit { $0.undo("1") }
        expect(bench.deletions.allSatisfy { $0.at <= bench.now.wall })
        expect(bench.deletions.count, is: 1)
    }

    @Test func `takes a day also while the relay's clock is not set`() throws {
        let early = Moment(wall: UnixTime(86_400), monotonic: Monotonic(milliseconds: 0))
        var bench = try CoreBench(now: early)
        let replyID = try bench.commit { $0.press(press(DayTests.today)) }
        expect(bench.acceptance(replyID)?.state, is: .held)
        bench.now.wall = UnixTime(1_760_000_000)
        try bench.commit { $0.tellTime() }
        expect(bench.sent.map(\.daystamp), is: [DayTests.today])
    }
}

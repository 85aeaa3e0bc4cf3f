import Foundation
import Testing

@testable import BeeminderSimulator

struct DayRuleTests {
    private func rule(_ zone: String, _ deadline: Int) throws -> DayRule {
        DayRule(zone: try require(TimeZone(identifier: zone)), deadline: deadline)
    }

    @Test func `a moment has its day, and a day its last second`() throws {
        // Gives a moment its day.
        for (zone, deadline, timestamp, day) in [
            ("America/New_York", 0, 1_769_380_723, "20260125"),
            ("America/New_York", 0, 1_768_971_599, "20260120"),
            ("America/New_York", 0, 1_768_971_600, "20260121"),
            // 3:00 at night still counts for the day before, for a night owl.
            ("America/New_York", 10_800, 1_768_982_399, "20260120"),
            ("America/New_York", 10_800, 1_768_982_400, "20260121"),
            // 22:45 is tomorrow already, for an early bird.
            ("Asia/Kolkata", -4_500, 1_514_654_099, "20171230"),
            ("Asia/Kolkata", -4_500, 1_514_654_100, "20171231"),
            ("GMT", 0, -1, "19691231"),
        ] as [(String, Int, Int, String)] {
            try expect(rule(zone, deadline).day(of: timestamp).daystamp, is: day, "\(zone)")
        }
        // Gives a day its last second.
        for (zone, deadline, timestamp, day) in [
            ("America/New_York", 0, 1_768_971_599, "20260120"),
            ("Asia/Kolkata", -4_500, 1_514_654_099, "20171230"),
            ("Asia/Kolkata", -3_000, 1_527_961_199, "20180602"),
            // The days on which the clocks change have 23 and 25 hours.
            ("America/New_York", 0, 1_773_028_799, "20260308"),
            ("America/New_York", 0, 1_793_595_599, "20261101"),
        ] as [(String, Int, Int, String)] {
            let day = try require(CivilDay(daystamp: day))
            try expect(rule(zone, deadline).lastSecond(of: day), is: timestamp, "\(zone)")
        }
        // Ends each day of the year where the next begins.
        for zone in ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata"] {
            for deadline in [-61_200, -4_500, 0, 5_400, 21_600] {
                let rule = try rule(zone, deadline)
                let first = try require(CivilDay(daystamp: "20260101"))
                for day in (0..<366).map(first.advanced(by:)) {
                    let last = rule.lastSecond(of: day)
                    expect(rule.day(of: last), is: day, "\(zone)")
                    // Where an hour comes twice, that second is followed by its own day once more.
                    let next = rule.day(of: last + 1)
                    expect(next == day.advanced(by: 1) || rule.day(of: last + 7_200) > day)
                }
            }
        }
    }

    @Test func `days are read and counted as the calendar does`() {
        // Reads a daystamp.
        for (text, isOne) in [
            ("20260125", true), ("2026-01-25", true), ("20240229", true), ("20260229", false),
            ("20261301", false), ("2026012", false), ("2026-1-25", false), ("+2026125", false),
            ("20260100", false), ("2026012５", false), ("", false),
        ] as [(String, Bool)] {
            expect((CivilDay(daystamp: text) != nil) == isOne, "\(text)")
        }
        part("counts days as the calendar does") {
            expect(
                CivilDay(number: 0).dashed == "1970-01-01" && CivilDay(number: 0).weekday == "Thu")
            expect(CivilDay(daystamp: "20260125")?.weekday, is: "Sun")
            expect(CivilDay(daystamp: "20000301")?.advanced(by: -1).daystamp, is: "20000229")
            for number in -1_000...60_000 {
                let (year, month, date) = CivilDay(number: number).parts
                expect(
                    year < 1970 || CivilDay(year: year, month: month, date: date)?.number == number)
            }
        }
    }
}

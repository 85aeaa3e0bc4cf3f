import BeemedDomain
import Foundation
import Testing

@testable import RelayHealth

/// Civil days, and the days of a goal whose deadline is not midnight.
struct RuleDayTests {
    private func bench(deadline: Int, _ days: String? = nil) throws -> HealthBench {
        var bench = try HealthBench()
        bench.goals = #"[{"slug":"walk","deadline":\#(deadline)}]"#
        choose(days, &bench)
        return bench
    }

    private func choose(_ days: String?, _ bench: inout HealthBench) {
        let member = days.map { #","days":"\#($0)""# } ?? ""
        bench.rule = #"{"metric":"steps","goal":"walk"\#(member)}"#
    }

    private static func sample(_ time: String, _ value: Int) -> String {
        #"{"metric":"steps","value":\#(value),"start":"\#(time)"}"#
    }

    /// The deadline in hours, whose days, the time of a sample, and its day.
    static let rows: [(Int, String?, String, String)] = [
        (3, nil, "2026-11-22T01:00:00+01:00", "20261122"),
        (3, "civil", "2026-11-22T01:00:00+01:00", "20261122"),
        (3, "goal", "2026-11-22T01:00:00+01:00", "20261121"),
        (3, "goal", "2026-11-22T02:59:59+01:00", "20261121"),
        (3, "goal", "2026-11-22T03:00:00+01:00", "20261122"),
        (3, "goal", "2026-11-22T01:00:00", "20261121"),
        (3, "goal", "2026-11-22T00:00:00Z", "20261121"),
        (3, "goal", "2026-11-21 18:00:00 -0800", "20261122"),
        (-6, "goal", "2026-11-21T17:59:59+01:00", "20261121"),
        (-6, "goal", "2026-11-21T18:00:00+01:00", "20261122"),
        (-6, "civil", "2026-11-21T18:00:00+01:00", "20261121"),
        (0, "goal", "2026-11-22T00:00:00+01:00", "20261122"),
    ]

    @Test func `the day of a sample`() throws {
        // A sample is of the day that the rule asks for.
        for index in Self.rows.indices {
            let (hours, days, time, day) = RuleDayTests.rows[index]
            let bench = try bench(deadline: hours * 3_600, days)
            try expect(bench.days(RuleDayTests.sample(time, 5)), is: [day: 5], "\(time) \(hours)")
        }
        part("the total of a day stays of its civil day") {
            let bench = try bench(deadline: 3 * 3_600, "goal")
            try expect(
                bench.days(#"{"metric":"steps","value":7,"date":"2026-11-21"}"#),
                is: ["20261121": 7])
            try expect(bench.days(#"{"metric":"steps","value":8}"#), is: ["20261122": 8])
            let export = HealthBench.export([("2026-11-20 00:00:00 +0100", "9")])
            try expect(bench.days(export, summary: "Days"), is: ["20261120": 9])
            let daily = HealthBench.connect([("2026-11-18T23:00:00Z", "2026-11-19T23:00:00Z", 6)])
            try expect(bench.days(daily), is: ["20261119": 6])
            let today = HealthBench.connect([("2026-11-18T23:00:00Z", "2026-11-19T04:00:00Z", 6)])
            try expect(bench.days(today), is: ["20261119": 6])
        }
        part("a day that was counted does not fall when the choice is changed") {
            var bench = try bench(deadline: 3 * 3_600)
            let (night, noon) = ("2026-11-22T01:00:00+01:00", "2026-11-22T11:00:00+01:00")
            _ = try bench.read(RuleDayTests.sample(night, 100))
            try expect(bench.days(RuleDayTests.sample(noon, 500)), is: ["20261122": 600])
            choose("goal", &bench)
            let after = try bench.read(
                "[\(RuleDayTests.sample(night, 100)),\(RuleDayTests.sample(noon, 550))]")
            expect(after.days.map(\.total.day.description), is: ["20261121", "20261122"])
            expect(after.days.map(\.total.value), is: [100, 550])
            expect(after.days.map(\.total.isPartial), is: [false, true])
            let later = try bench.read(RuleDayTests.sample("2026-11-22T11:30:00+01:00", 300))
            expect(later.days.map(\.total.value), is: [850])
            let whole = try bench.read(#"{"metric":"steps","value":500,"date":"2026-11-22"}"#)
            expect(whole.days.map(\.total.isPartial), is: [false], "its whole value is known again")
            choose("civil", &bench)
            try expect(
                bench.read(RuleDayTests.sample(noon, 1)).days.map(\.total.isPartial), is: [true])
        }
    }
}

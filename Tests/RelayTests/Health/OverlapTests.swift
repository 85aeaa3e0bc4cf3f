import Testing

@testable import RelayHealth

/// The same time of a day counts once, however it is cut into pieces.
struct OverlapTests {
    /// Midnights and hours of Berlin in November.
    private static let midnight = "2026-11-20T23:00:00Z"
    private static let next = "2026-11-21T23:00:00Z"
    private static let day = "20261121"

    private static func at(_ hour: Int) -> String {
        hour == 0 ? midnight : "2026-11-21T\(hour < 11 ? "0" : "")\(hour - 1):00:00Z"
    }

    /// A record from one hour to another one, and its steps.
    typealias Span = (from: Int, to: Int?, count: Int)

    private static func record(_ span: Span) -> (start: String, end: String, count: Int) {
        (at(span.from), span.to.map(at) ?? next, span.count)
    }

    /// Spans that come one by one, and the day's value after each.
    static let rows: [(name: String, spans: [Span], values: [Double])] = [
        (
            "a day that is cut at the hour of the sync",
            [(0, nil, 9_000), (10, nil, 700), (11, nil, 650)], [9_000, 9_000, 9_000]
        ),
        (
            "a part that comes before the whole", [(10, nil, 700), (0, nil, 9_000)],
            [700, 9_000]
        ),
        (
            "a part of a part, on the first syncs", [(10, nil, 700), (11, nil, 650)],
            [700, 700]
        ),
        ("today grows", [(0, 8, 500), (0, 9, 900), (0, 12, 4_000)], [500, 900, 4_000]),
        ("an older sync comes late", [(0, 12, 4_000), (0, 9, 900)], [4_000, 4_000]),
        ("the whole is corrected downwards", [(0, nil, 9_000), (0, nil, 8_800)], [9_000, 8_800]),
        (
            "neither covers the other: the known one stays", [(0, 12, 4_000), (6, 18, 3_000)],
            [4_000, 4_000]
        ),
        (
            "hours side by side are added", [(8, 9, 100), (9, 10, 200), (12, 13, 300)],
            [100, 300, 600]
        ),
        (
            "a day after its hours", [(8, 9, 100), (9, 10, 200), (0, nil, 5_000)],
            [100, 300, 5_000]
        ),
    ]

    @Test func `parts and wholes of a day`() throws {
        // A part never replaces or raises a whole.
        for index in Self.rows.indices {
            let row = OverlapTests.rows[index]
            for preset in ["%", #"{"type":"health_data.synced","data":%}"#] {
                let bench = try HealthBench()
                var values: [Double?] = []
                for span in row.spans {
                    var body = HealthBench.connect([OverlapTests.record(span)])
                    if preset != "%" {
                        body = body.replacing(#""steps":["#, with: #""records":["#)
                            .replacing(#"{"count""#, with: #"{"type":"steps","count""#)
                        body = preset.replacing("%", with: body)
                    }
                    values.append(try bench.days(body)[OverlapTests.day])
                }
                expect(values, is: row.values, "\(row.name) \(preset)")
            }
        }
        // A cut day that is called a whole one replaces nothing that says more.
        // The oldest day of versions up to 1.9.19 begins at midnight by its label only.
        for (version, value) in [
            ("1.9.19", 9_000.0), ("1.9.2", 9_000), ("1.8", 9_000), ("1.9.20", 700), ("1.10.0", 700),
            ("2.0", 700),
        ] as [(String, Double)] {
            let bench = try HealthBench()
            let whole = HealthBench.connect(
                [(OverlapTests.midnight, OverlapTests.next, 9_000)], version: version)
            try expect(bench.days(whole), is: [OverlapTests.day: 9_000], "\(version)")
            let cut = HealthBench.connect(
                [
                    (OverlapTests.midnight, OverlapTests.next, 700),
                    (OverlapTests.next, "2026-11-22T11:00:00Z", 3_000),
                ], version: version)
            try expect(bench.days(cut), is: [OverlapTests.day: value, "20261122": 3_000])
            let more = cut.replacing(":700,", with: ":9100,")
            try expect(bench.days(more)[OverlapTests.day], is: 9_100, "\(version)")
            let today = cut.replacing(":3000,", with: ":2900,")
            try expect(bench.days(today)["20261122"], is: 2_900, "only the oldest day is cut")
        }
        part("the day's total takes the place of what goes on behind midnight") {
            let bench = try HealthBench()
            let night = HealthBench.connect([("2026-11-21T22:30:00Z", "2026-11-21T23:30:00Z", 300)])
            let whole = HealthBench.connect([(OverlapTests.midnight, OverlapTests.next, 9_000)])
            for (body, value) in [(night, 300.0), (whole, 9_000), (night, 9_000)] {
                try expect(bench.days(body), is: [OverlapTests.day: value])
            }
        }
        part("a day that comes in two resolutions is one day") {
            let daily = HealthBench.connect([(OverlapTests.midnight, OverlapTests.next, 9_000)])
            let hours = (7..<23).map { OverlapTests.record((from: $0, to: $0 + 1, count: 500)) }
            let phone = HealthBench.connect(hours, origin: "com.phone")
            let watch = HealthBench.connect(hours, origin: "com.watch")
            for (bodies, value) in [
                ([daily, phone, watch], 9_000.0), ([phone, daily], 9_000),
                ([phone, watch], 16_000),
                ([phone, watch, daily, phone], 9_000),
                ([HealthBench.connect(hours), daily], 9_000),
                ([daily, HealthBench.connect(hours)], 9_000),
            ] {
                let bench = try HealthBench()
                let values = try bodies.map { try bench.days($0)[OverlapTests.day] }
                expect(values.last, is: value)
            }
        }
        part("hours do not lower the day that Health Auto Export has summarised") {
            let bench = try HealthBench()
            let zone = ":00:00 +0100"
            let day = HealthBench.export([("2026-11-21 00\(zone)", "9000")])
            let last = HealthBench.export([("2026-11-21 20\(zone)", "300")])
            try expect(bench.days(day, summary: "Days"), is: [OverlapTests.day: 9_000])
            try expect(bench.days(last, summary: "Hours"), is: [OverlapTests.day: 9_000])
            let all = HealthBench.export(
                (8..<20).map { ("2026-11-21 \($0 < 10 ? "0" : "")\($0)\(zone)", "800") })
            try expect(
                bench.days(all, summary: "Hours"), is: [OverlapTests.day: 9_600], "it has grown")
            try expect(bench.days(last, summary: "Hours"), is: [OverlapTests.day: 9_900])
            try expect(bench.days(day, summary: "Days"), is: [OverlapTests.day: 9_000])
        }
        part("an export without a summary does not lose a day to its first hour") {
            let bench = try HealthBench()
            let first = HealthBench.export([("2026-11-21 00:00:00 +0100", "40")])
            let hours = HealthBench.export(
                (0..<3).map { ("2026-11-21 0\($0):00:00 +0100", $0 == 0 ? "40" : "100") })
            try expect(bench.days(hours), is: [OverlapTests.day: 240])
            try expect(bench.days(first), is: [OverlapTests.day: 240])
            let whole = HealthBench.export([("2026-11-21 00:00:00 +0100", "9000")])
            try expect(bench.days(whole), is: [OverlapTests.day: 9_000])
        }
        part("a workout that is corrected is one, and others are added") {
            var bench = try HealthBench()
            bench.rule = #"{"metric":"workouts","goal":"run","unit":"min"}"#
            func workout(_ start: String, _ end: String, _ seconds: Int, _ name: String = "Run")
                -> String
            {
                #"{"data":{"workouts":[{"name":"\#(name)","start":"2026-11-21 \#(start):00 +0100","#
                    + #""end":"2026-11-21 \#(end):00 +0100","duration":\#(seconds)}]}}"#
            }
            try expect(bench.days(workout("07:00", "07:30", 1_800))[OverlapTests.day], is: 30)
            try expect(bench.days(workout("07:00", "07:25", 1_500))[OverlapTests.day], is: 25)
            try expect(bench.days(workout("07:25", "07:55", 1_800))[OverlapTests.day], is: 55)
            let yoga = workout("07:00", "07:30", 1_800, "Yoga")
            try expect(bench.days(yoga)[OverlapTests.day], is: 85)
        }
        part("more comparisons than a day can need are refused") {
            let bench = try HealthBench()
            let spans = (0..<1_999).map {
                (start: "2026-11-21T00:00:00Z", end: "2026-11-21T00:00:0\($0 % 9 + 1)Z", count: 1)
            }
            let one = HealthBench.connect(spans, origin: "a")
            try expect(bench.days(one)[OverlapTests.day], is: 1)
            let others = (0..<6_000).map { index in
                let source = index % 1_990
                let minute = "2026-11-21T\(10 + source % 10):\(10 + source / 10 % 50)"
                return #"{"count":1,"start_time":"\#(minute):00Z","end_time":"\#(minute):01Z","#
                    + #""metadata":{"data_origin":"s\#(source)"}}"#
            }
            let many = #"{"app_version":"2","steps":[\#(others.joined(separator: ","))]}"#
            try expect(bench.read(many).days.map(\.ignored), is: ["samples"])
        }
    }
}

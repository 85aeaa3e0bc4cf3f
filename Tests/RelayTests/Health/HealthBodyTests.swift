import Foundation
import Testing

@testable import BeemedDomain
@testable import RelayHealth
@testable import RelayTrunk

/// The senders' bodies, and what rules make of them.
struct HealthBodyTests {
    private let folder = TemporaryFolder()

    private func read(
        _ body: String, _ rules: [String: String], isDryRun: Bool = false,
        goals: Set<String>? = nil, summary: String? = nil
    ) throws -> HealthReading {
        try folder.make()
        var book = RuleBook()
        for (name, rule) in rules {
            book[name] = try JSONDecoder().decode(HealthRule.self, from: Data(rule.utf8))
        }
        let reading = try HealthReading(
            HealthReading.Job(
                bytes: Array(body.utf8),
                source: HealthBody.Source(
                    calendar: Berlin.calendar(), now: Berlin.noon,
                    summary: summary),
                rules: book, goals: goals, store: RelayStore(folder: folder.path),
                isDryRun: isDryRun))
        return try require(reading)
    }

    private func values(_ reading: HealthReading) -> [String: Double] {
        var values: [String: Double] = [:]
        for day in reading.days where day.ignored == nil {
            values[day.total.day.description] = day.total.value
        }
        return values
    }

    @Test(arguments: SenderCase.all) func `means the same days, however often it comes`(
        _ row: SenderCase
    ) throws {
        for _ in 0..<2 {
            let reading = try read(row.body, ["rule": row.rule], summary: row.summary)
            expect(values(reading), is: row.days)
        }
    }

    @Test func `a body that is refused`() {
        each(
            Self.init,
            [
                Self.`says which value is no number`, Self.`what no sender sends is refused whole`,
                Self.`more than 2,000 days of metrics are refused`,
            ])
    }

    private func `says which value is no number`() throws {
        let rows: [(String, String)] = [
            (#"{"metric":"steps","value":"9.432,5"}"#, "'value' is '9.432,5'"),
            (#"{"metric":"steps","value":null}"#, "'value' is missing"),
            (#"[{"metric":"steps"}]"#, "'value' is missing"),
        ]
        for (body, words) in rows {
            let failure = #expect(throws: Problem.self) { try read(body, [:]) }
            expect(failure?.detail.contains(words) == true, "\(failure?.detail ?? "")")
        }
    }

    @Test func `samples of a day are added or replaced`() {
        each(
            Self.init,
            [
                Self.`hours that come one by one are added, and an hour that grows is replaced`,
                Self.`another grouping of the same steps replaces them`,
                Self.`another grouping replaces nothing at other times, nor does a lone hour`,
                Self.`a night that is scored anew is one night`,
                Self.`a test keeps no samples, and no number of a phase is too large`,
            ])
    }

    private func `hours that come one by one are added, and an hour that grows is replaced`() throws
    {
        let steps = [("00:00", 10), ("08:00", 100), ("09:00", 50), ("09:00", 70)]
        try expect(steps.map { try sum([$0], "Hours") }, is: [10, 110, 160, 180])
        try expect(sum([("00:00", 500)], "Days"), is: 500, "a total of the day replaces its hours")
    }

    /// The day's value after these steps of the day; nil if another day has a value, too.
    private func sum(_ items: [(String, Int)], _ summary: String?) throws -> Double? {
        let body = HealthBench.export(
            items.map { ("2026-11-22 \($0):00 +0100", "\($1)") })
        let rules = ["walk": #"{"metric":"steps","goal":"walk"}"#]
        let days = values(try read(body, rules, summary: summary))
        return days.count == 1 ? days["20261122"] : nil
    }

    private func `another grouping of the same steps replaces them`() throws {
        try expect(sum([("00:00", 8_000)], "Days"), is: 8_000)
        try expect(sum([("08:00", 3_000), ("09:00", 5_000)], "Hours"), is: 8_000)
        let minutes = [("08:10", 1_000), ("08:11", 2_000), ("09:30", 5_000)]
        try expect(sum(minutes, "Minutes"), is: 8_000)
        try expect(sum([("00:00", 8_100)], "Days"), is: 8_100)
    }

    private func `another grouping replaces nothing at other times, nor does a lone hour`() throws {
        try expect(sum([("00:00", 400)], nil), is: 400)
        try expect(sum([("01:00", 50)], nil), is: 450)
        try expect(sum([("08:00", 3_000), ("09:00", 4_000)], "Hours"), is: 7_450)
        try expect(sum([("09:59", 20), ("10:07", 20)], "Minutes"), is: 7_470)
        try expect(sum([("10:00", 300)], "Hours"), is: 7_750)
    }

    private func `a night that is scored anew is one night`() throws {
        let rules = ["sleep": #"{"metric":"sleep","goal":"sleep","unit":"h"}"#]
        func sleep(_ seconds: Int, _ end: String = "06:00") throws -> Double? {
            let body =
                #"{"app_version":"1","sleep":[{"session_end_time":"2026-11-22T\#(end):00Z","#
                + #""duration_seconds":\#(seconds)}]}"#
            return values(try read(body, rules))["20261122"]
        }
        try expect(sleep(28_800), is: 8)
        try expect(sleep(27_000), is: 7.5)
        try expect(sleep(1_800, "13:00"), is: 8, "a nap is another one")
    }

    private func `a test keeps no samples, and no number of a phase is too large`() throws {
        let rules = ["walk": #"{"metric":"steps","goal":"walk"}"#]
        func steps(_ count: Int, _ hour: Int, _ more: String = "") throws -> Double? {
            let body =
                #"{"app_version":"1",\#(more)"steps":[{"count":\#(count),"#
                + #""start_time":"2026-11-22T0\#(hour):00:00Z","#
                + #""end_time":"2026-11-22T0\#(hour):30:00Z"}]}"#
            return values(try read(body, rules))["20261122"]
        }
        try expect(steps(5_000, 7, #""test":true,"#), is: 5_000)
        try expect(steps(200, 8), is: 200)
        let phases =
            #"{"stage":"duration_seconds","duration_seconds":1e300},"#
            + String(
                repeating: #"{"stage":"duration_seconds","duration_seconds":1e15},"#, count: 9_500)
            + #"{"stage":"deep","duration_seconds":60}"#
        for (own, days) in [(#""duration_seconds":3600,"#, ["20261122": 3_600.0]), ("", [:])] {
            let body =
                #"{"app_version":"1","sleep":[{"session_end_time":"2026-11-22T06:00:00Z",\#(own)"#
                + "\"stages\":[\(phases)]}]}"
            let night = try read(body, ["s": #"{"metric":"sleep","goal":"sleep","unit":"s"}"#])
            expect(values(night), is: days)
        }
    }

    @Test func `the day and the metric of a sample`() {
        each(
            Self.init,
            [
                Self.`a moment in UTC is of the user's day, however UTC is written`,
                Self.`a source of many accents is cut`,
                Self.`all spellings of a metric are one day`,
                Self.`another meaning of a rule begins with no samples`,
            ])
    }

    private func `a moment in UTC is of the user's day, however UTC is written`() throws {
        for (time, day) in [
            ("2026-11-21T23:30:00Z", "20261122"), ("2026-11-21T23:30:00+00:00", "20261122"),
            // A phone in London, as Health Auto Export writes it.
            ("2026-11-21 23:30:00 +0000", "20261121"), ("2026-11-21T23:30:00+01:00", "20261121"),
        ] {
            let body = #"{"metric":"water","value":1,"start":"\#(time)"}"#
            let reading = try read(
                body, ["water": #"{"metric":"water","goal":"water"}"#], isDryRun: true)
            expect(values(reading), is: [day: 1], "\(time)")
        }
    }

    private func `a source of many accents is cut`() throws {
        let source = "a" + String(repeating: "\u{301}", count: 100_000)
        let body =
            #"{"metric":"water","value":1,"start":"2026-11-22T08:00:00Z","source":"\#(source)"}"#
        _ = try read(body, ["water": #"{"metric":"water","goal":"water"}"#])
        let file = "\(folder.path)/health/water-20261122.json"
        try expect(Data(contentsOf: URL(fileURLWithPath: file)).count < 1_000)
    }

    private func `all spellings of a metric are one day`() throws {
        let names = (0..<500).map { "steps" + String(repeating: "!", count: $0) } + ["step_count"]
        let items = names.map { #"{"metric":"\#($0)","value":1,"start":"2026-11-22T08:00:00Z"}"# }
        let body = "[\(items.joined(separator: ","))]"
        let reading = try read(body, ["walk": #"{"metric":"steps","goal":"walk"}"#])
        expect(reading.days.map(\.total.value), is: [1])
        expect(reading.newest.count == 2 && reading.unmapped.isEmpty)
    }

    private func `another meaning of a rule begins with no samples`() throws {
        let body = #"{"metric":"water","value":1,"unit":"L","start":"2026-11-22T08:00:00+01:00"}"#
        let other = #"{"metric":"water","value":1,"unit":"L","start":"2026-11-22T09:00:00+01:00"}"#
        let liters = ["water": #"{"metric":"water","goal":"water","unit":"L"}"#]
        expect(values(try read(body, liters)), is: ["20261122": 1])
        expect(values(try read(other, liters)), is: ["20261122": 2])
        let milliliters = ["water": #"{"metric":"water","goal":"water","unit":"ml"}"#]
        expect(values(try read(body, milliliters)), is: ["20261122": 1_000])
    }

    @Test func `samples that are kept`() {
        each(
            Self.init,
            [
                Self.`a dry run keeps no samples`, Self.`at most 2,000 samples of a day are kept`,
                Self.`samples of days that cannot be revised any more are removed`,
            ])
    }

    private func `a dry run keeps no samples`() throws {
        let rules = ["water": #"{"metric":"water","goal":"water"}"#]
        let body = #"{"metric":"water","value":1,"start":"2026-11-22T08:00:00+01:00"}"#
        expect(values(try read(body, rules, isDryRun: true)), is: ["20261122": 1])
        expect(!FileManager.default.fileExists(atPath: folder.path + "/health"))
    }

    private func `at most 2,000 samples of a day are kept`() throws {
        func body(_ range: Range<Int>) -> String {
            "["
                + range.map { index in
                    let time = "2026-11-22T00:00:00.\(index)+01:00"
                    let second = index % 60
                    let minute = index / 60 % 60
                    return
                        #"{"metric":"water","value":1,"source":"\#(time.count)-\#(index)","start":"#
                        + #""2026-11-22T0\#(index / 3_600):\#(minute / 10)\#(minute % 10):"#
                        + #"\#(second / 10)\#(second % 10)+01:00"}"#
                }.joined(separator: ",") + "]"
        }
        let rules = ["water": #"{"metric":"water","goal":"water"}"#]
        expect(values(try read(body(0..<2_000), rules)), is: ["20261122": 2_000])
        let more = try read(body(2_000..<2_001), rules)
        expect(more.days.map(\.ignored), is: ["samples"])
        expect(values(try read(body(0..<1), rules)), is: ["20261122": 2_000])
    }

    private func `samples of days that cannot be revised any more are removed`() throws {
        let rules = ["water": #"{"metric":"water","goal":"water"}"#]
        let body = #"{"metric":"water","value":1,"date":"2026-11-22"}"#
        _ = try read(body, rules)
        let old = folder.path + "/health/water-20261001.json"
        try Data("{}".utf8).write(to: URL(fileURLWithPath: old))
        _ = try read(body, rules)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/health")
        expect(left, is: ["water-20261122.json"])
    }

    @Test func `what is told of a body`() {
        each(
            Self.init,
            [
                Self.`what has no rule is named, and days that are too old are not kept`,
                Self.`says why a day has no value`,
                Self.`a sender of other goals learns neither a rule nor its goal`,
                Self.`a visit is a press, and its leaving only for a rule that says so`,
            ])
    }

    private func `what has no rule is named, and days that are too old are not kept`() throws {
        let body = #"""
            [{"metric":"vo2_max","value":48,"date":"2026-11-22"},
            {"metric":"steps","value":1,"date":"2026-09-01"}]
            """#
        let reading = try read(body, ["walk": #"{"metric":"step_count","goal":"walk"}"#])
        expect(reading.unmapped, is: ["vo2_max"])
        expect(reading.days.map(\.ignored), is: ["day"])
    }

    private func `says why a day has no value`() throws {
        let body = #"{"metric":"steps","value":1,"unit":"km","date":"2026-11-22"}"#
        for (rule, why) in [
            (#"{"metric":"steps","goal":"walk","unit":"kg"}"#, "unit"),
            (#"{"metric":"steps","goal":"walk","field":"deep"}"#, "field"),
        ] {
            let reading = try read(body, ["walk": rule], goals: ["walk"])
            expect(reading.days.map(\.ignored), is: [why])
        }
    }

    private func `a sender of other goals learns neither a rule nor its goal`() throws {
        let rules = ["secret": #"{"metric":"steps","goal":"other"}"#]
        for (body, name) in [
            (#"{"metric":"step_count","value":1}"#, "step_count"),
            (#"{"_type":"transition","event":"enter","desc":"Steps","tst":1795345000}"#, "Steps"),
        ] {
            let reading = try read(body, rules, goals: ["walk"])
            expect(reading.days.isEmpty && reading.visits.isEmpty)
            expect(reading.unmapped, is: [name])
            try expect(read(body, rules, goals: ["other"]).unmapped, is: [])
        }
    }

    private func `a visit is a press, and its leaving only for a rule that says so`() throws {
        let rules = [
            "in": #"{"metric":"Gym","goal":"gym"}"#,
            "out": #"{"metric":"gym","goal":"home","when":"leave"}"#,
        ]
        let body = #"{"_type":"transition","event":"enter","desc":"gym","tst":1795345000}"#
        try expect(read(body, rules).visits.map(\.rule.description), is: ["in"])
        let leave = body.replacing("enter", with: "leave")
        try expect(read(leave, rules).visits.map(\.rule.description), is: ["out"])
        let place = #"{"_type":"location","lat":1,"lon":2,"tst":1795345000}"#
        try expect(read(place, rules).visits.isEmpty)
    }

    private func `what no sender sends is refused whole`() throws {
        let rows: [String] = [
            "", "+1", "[1]", "{}", #"{"goal":"water"}"#, #"{"metric":"steps"}"#,
            #"{"metric":"steps","value":"many","date":"2026-11-22"}"#,
            #"{"metric":"steps","value":1,"date":"22.11."}"#, #"{"data":{"metrics":"x"}}"#,
            #"[{"metric":"steps","value":5,"start":"x"},{"metric":"steps","value":"?"}]"#,
            #"{"data":7}"#, #"{"a":[1,2]}"#, "null",
        ]
        for body in rows {
            #expect(throws: Problem.self) { try read(body, [:]) }
        }
    }

    private func `more than 2,000 days of metrics are refused`() throws {
        func body(_ count: Int) -> String {
            "["
                + (0..<count).map { #"{"metric":"m\#($0)","value":1,"date":"2026-11-22"}"# }
                .joined(separator: ",") + "]"
        }
        try expect(read(body(2_000), [:]).newest.count, is: 2_000)
        #expect(throws: Problem.self) { try read(body(2_001), [:]) }
    }
}

/// Units and names of metrics.
struct HealthUnitTests {
    static let conversions: [(Double, String, String, Double?)] = [
        (2_092, "kJ", "kcal", 500), (1, "km", "mi", 0.621_371), (1_500, "m", "km", 1.5),
        (70, "kg", "lb", 154.323_584), (8, "oz", "g", 226.796_185), (1, "L", "ml", 1_000),
        (1, "L", "fl oz", 33.814_023), (1, "fl_oz_us", "mL", 29.573_53), (90, "min", "hr", 1.5),
        (7_200, "s", "h", 2), (37, "degC", "°F", 98.6), (98.6, "°F", "°C", 37),
        (0.5, "fraction", "%", 50), (97, "%", "fraction", 0.97),
        (5, "mmol/L", "mg/dL", 90.078), (90.078, "mg/dL", "mmol/L", 5),
        (1, "kg", "km", nil), (1, "count", "kcal", nil), (5, "count/min", "bpm", 5),
    ]

    @Test func `units and names`() throws {
        // Converts.
        for (value, from, to, result) in Self.conversions {
            let (from, to) = (try require(HealthUnit(from)), try require(HealthUnit(to)))
            let converted = from.convert(value, to: to)
            expect((converted == nil) == (result == nil), "\(value)")
            if let converted, let result { expect(abs(converted - result) < 1e-6 * max(1, result)) }
        }
        part("names of the same metric are the same") {
            for (one, other) in [
                ("steps", "STEP_COUNT"), ("stepCount", "steps"),
                ("HKQuantityTypeIdentifierStepCount", "step_count"), ("Heart Rate", "heart_rate"),
                ("activeCalories", "active_energy"), ("exercise", "workouts"),
                ("my thing", "My-Thing"),
            ] { expect(HealthMetric.isSame(one, other), "\(one) \(other)") }
            for (one, other) in [("steps", "distance"), ("reading", "read"), ("weight", "height")] {
                expect(!HealthMetric.isSame(one, other), "\(one) \(other)")
            }
        }
    }
}

import BeemedDomain
import Testing

@testable import RelayHealth
@testable import RelayTrunk

/// Dates and numbers that are read, as phones of all regions write them, and the reports of
/// elements that cannot be read.
struct UnreadTests {
    /// Times that are 14:30 of November 22 in Berlin.
    static let afternoons = [
        "2026-11-22 14:30:00 +0100", "2026-11-22 2:30:00 PM +0100",
        "2026-11-22 2:30:00\u{202F}PM +0100", "2026-11-22 2:30:00 p.m. +0100",
        "2026-11-22 2:30:00 p.\u{A0}m. +0100", "2026-11-22 2:30:00\u{202F}p.\u{202F}m. +0100",
        "2026-11-22 2:30:00 pm +0100", "2026-11-22 2:30:00 오후 +0100", "2026-11-22 오후 2:30:00 +0100",
        "2026-11-22 下午2:30:00 +0100", "2026-11-22 2:30:00 下午 +0100", "2026-11-22 午後2:30:00 +0100",
        "2026-11-22 2:30:00 μ.μ. +0100", "2026-11-22 2:30:00 em +0100",
        "2026-11-22 2:30:00 ip. +0100", "2026-11-22 2:30:00 ÖS +0100",
        "2026-11-22 2:30:00 CH +0100", "2026-11-22 2:30:00 пп +0100", "٢٠٢٦-١١-٢٢ ١٤:٣٠:٠٠ +٠١٠٠",
        "٢٠٢٦-١١-٢٢ ٢:٣٠:٠٠ م +٠١٠٠", "\u{200F}٢٠٢٦-١١-٢٢ ٢:٣٠:٠٠\u{A0}م +٠١٠٠",
        "۲۰۲۶-۱۱-۲۲ ۱۴:۳۰:۰۰ +۰۱۰۰", "२०२६-११-२२ १४:३०:०० +०१००", "2026-11-22 14:30:00 GMT+01:00",
        "2026-11-22T13:30:00Z", "2026-11-22T13:30:00 UTC", "2026-11-22, 14:30",
        "2026-11-22T14:30:00.250+01:00",
    ]

    @Test func `times of all regions`() throws {
        // Each is half past two in the afternoon.
        for text in Self.afternoons {
            let time = try require(SampleTime(text, try HealthBench().calendar()))
            expect(time.day.description, is: "20261122", "\(text)")
            expect(time.second, is: 52_200, "\(text)")
            expect(time.moment, is: UnixTime(1_795_354_200), "\(text)")
        }
        // Each is midnight.
        for text in [
            "2026-11-22 12:00:00 오전 +0100", "2026-11-22 12:00:00 a. m. +0100",
            "2026-11-22 ١٢:٠٠:٠٠ ص +0100", "2026-11-22 00:00:00 +0100",
        ] {
            expect(SampleTime(text, try HealthBench().calendar())?.second, is: 0, "\(text)")
        }
        // None of these is guessed.
        for text in Self.unknown {
            expect(SampleTime(text, try HealthBench().calendar()) == nil, "\(text)")
        }
    }

    /// A guess would be worse: the order of day and month, other calendars, unknown words.
    static let unknown = [
        "", "22.11.2026", "11/22/2026 2:30 PM", "22/11/2026", "2569-11-22 14:30:00 +0700",
        "1405-09-01 14:30:00 +0330", "0008-11-22", "2026-11-22 2:30:00 brillig +0100",
        "2026-11-22 14:30:00 PM +0100", "2026-11-22 25:00:00 +0100", "2026-13-22", "2026-02-30",
        "2026-11-221 14:30:00", "2026-11-22 14:30:00 +9900", "2026-11-22 2:30:00 p.m. a.m.",
        "1795354200", "yesterday", "2026年11月22日", "2026-11-22 +0100",
        "2026-11-22 14:30:00 Z+0100", String(repeating: "2026-11-22 ", count: 50),
    ]

    @Test func `days and quantities`() throws {
        // A day under another name is told its own, and is not today.
        for member in [
            #""timestamp":"2026-11-20T22:50:00Z""#, #""time":1795354200"#, #""day":"2026-11-20""#,
            #""dat":"2026-11-20""#, #""StartDate":"yesterday""#, #""age":8200"#, #""x":"20261120""#,
            #""start":"2026-11-20T10:00:00Z","date":"2026-11-21""#,
        ] {
            let problem = #expect(throws: Problem.self) {
                try HealthBench().read(#"{"metric":"steps","value":8200,\#(member)}"#)
            }
            expect(problem?.detail.contains("'date'") == true, "\(problem?.detail ?? "")")
        }
        part("what is no time may stand beside a value of today") {
            let body = #"{"metric":"steps","value":82,"device":"phone","battery":97,"room":"2nd"}"#
            try expect(HealthBench().days(body), is: ["20261122": 82])
        }
        // A quantity as a text is read.
        for (qty, value) in [
            ("\"8123\"", 8_123.0), ("\"8123.5\"", 8_123.5), ("\"٨١٢٣\"", 8_123),
            ("\"٨١٢٣٫٥\"", 8_123.5), ("\"72,5\"", 72.5), ("\" 7 \"", 7), ("8123", 8_123),
        ] as [(String, Double)] {
            let body = HealthBench.export([("2026-11-21 00:00:00 +0100", qty)])
            let reading = try HealthBench().read(body, summary: "Days")
            expect(reading.days.map(\.total.value), is: [value], "\(qty)")
            expect(reading.body.unread.isEmpty, "\(qty)")
        }
        // A quantity that may mean two numbers is told.
        for qty in [
            "\"8,123\"", "\"9.432,5\"", "\"many\"", "\"\"", "true", "\"1 234\"", "null", "\"0x5\"",
        ] {
            let body = HealthBench.export(
                [("2026-11-20 00:00:00 +0100", "5"), ("2026-11-21 00:00:00 +0100", qty)])
            let reading = try HealthBench().read(body, summary: "Days")
            expect(reading.days.map(\.total.value), is: [5], "\(qty)")
            expect(reading.body.unread.map(\.position), is: ["data.metrics[0].data[1]"], "\(qty)")
            expect(reading.body.unread.first?.reason.contains("'qty'"), is: true, "\(qty)")
        }
    }

    /// A body, where the element is that cannot be read, and a word of the reason.
    static let bodies: [(String, String, String)] = [
        (
            HealthBench.export([("22/11/2026 2:30 م", "5")]), "data.metrics[0].data[0]",
            "'date' is '22/11/2026 2:30 م'"
        ),
        (
            #"{"data":{"metrics":[{"name":"step_count","data":[{"qty":5}]}]}}"#,
            "data.metrics[0].data[0]", "'date' is missing"
        ),
        (
            #"{"data":{"metrics":[{"name":"step_count"}]}}"#, "data.metrics[0]", "'data'"
        ),
        (
            #"{"data":{"metrics":[{"name":"sleep_analysis","data":[{"date":"x","asleep":7}]}]}}"#,
            "data.metrics[0].data[0]", "'date' is 'x'"
        ),
        (
            #"{"data":{"metrics":[{"name":"sleep_analysis","data":[{"startDate":"2026-11-21 "#
                + #"22:30:00 +0100","endDate":"?","qty":1}]}]}}"#,
            "data.metrics[0].data[0]", "'endDate' is '?'"
        ),
        (
            #"{"data":{"workouts":[{"name":"Run","start":"gestern","duration":60}]}}"#,
            "data.workouts[0]", "'start' is 'gestern'"
        ),
        (
            #"{"app_version":"2","steps":[{"count":5,"start_time":"heute"}]}"#, "steps[0]",
            "'start_time' is 'heute'"
        ),
        (
            #"{"steps":[{"count":5,"start_time":"heute"}]}"#, "steps[0]",
            "'start_time' is 'heute'"
        ),
        (
            #"{"app_version":"2","steps":[{"count":"viele","start_time":"2026-11-22T08:00:00Z"}]}"#,
            "steps[0]", "'count' is 'viele'"
        ),
        (
            #"{"app_version":"2","sleep":[{"duration_seconds":5,"#
                + #""start_time":"2026-11-21T22:00:00Z"}]}"#,
            "sleep[0]", "'session_end_time' is missing"
        ),
        (
            #"{"type":"sleep.created","data":{"start_time":"2026-11-21T22:00:00Z","#
                + #""end_time":"2026-11-22T06:00:00Z","stages":{"deep_minutes":95}}}"#,
            "data", "'sleep_duration_seconds' is missing"
        ),
        (
            #"{"type":"health_data.synced","data":{"records":[{"type":"steps","count":5}]}}"#,
            "data.records[0]", "'start_time' is missing"
        ),
        (
            #"{"type":"steps.created","data":{"samples":[{"timestamp":"x","value":5}]}}"#,
            "data.samples[0]", "'timestamp' is 'x'"
        ),
        (
            #"{"type":"workout.created","data":{"start_time":5,"end_time":6}}"#, "data",
            "'start_time' is 5"
        ),
        (
            #"[{"metric":"steps","value":5},{"metric":"steps","value":5,"date":"22.11."}]"#,
            "[1]", "'date' is '22.11.'"
        ),
        (
            #"[{"metric":"steps","value":5},{"metric":"steps","value":"5,000"}]"#, "[1]", "'5,000'"
        ),
    ]

    @Test func `what is told of elements that cannot be read`() throws {
        // An element is told with its position and the reason.
        for index in Self.bodies.indices {
            let (body, position, words) = UnreadTests.bodies[index]
            let unread = try HealthBench().read(body).body.unread
            expect(unread.map(\.position), is: [position], "\(body)")
            expect(unread.first?.reason.contains(words), is: true, "\(unread)")
        }
        part("at most 20 elements are named, all are counted, and texts are cut") {
            let long = String(repeating: "x\u{301}", count: 10_000)
            let body = HealthBench.export((0..<500).map { _ in (long, "5") })
            let reading = try HealthBench().read(body)
            expect(reading.body.unread.count == 20 && reading.body.unreadCount == 500)
            for element in reading.body.unread { expect(element.reason.utf8.count < 300) }
        }
    }
}

import Foundation

@testable import BeemedDomain
@testable import RelayHealth
@testable import RelayTrunk

/// Reads bodies of health data, one after the other, into the same folder of samples.
struct HealthBench {
    let folder = TemporaryFolder()
    var now = Berlin.noon
    /// The user's zone, and the goals as they are saved.
    var zone = "Europe/Berlin"
    var goals = "[]"
    var rule = #"{"metric":"steps","goal":"walk"}"#

    init() throws {
        try folder.make()
    }

    func calendar() throws -> GoalCalendar {
        let saved = #"{"timezone":"\#(zone)","goals":\#(goals)}"#
        let book = try JSONDecoder().decode(GoalBook.self, from: Data(saved.utf8))
        return GoalCalendar(book, nil, hasNoUser: false)
    }

    func job(
        _ body: String, summary: String? = nil, known: HealthReading.KnownDays = .all
    ) throws -> HealthReading.Job {
        var book = RuleBook()
        book["walk"] = try JSONDecoder().decode(HealthRule.self, from: Data(rule.utf8))
        return HealthReading.Job(
            bytes: Array(body.utf8),
            source: HealthBody.Source(calendar: try calendar(), now: now, summary: summary),
            rules: book, goals: nil, store: RelayStore(folder: folder.path),
            known: known)
    }

    /// Nil when its days cannot be known yet.
    func reading(
        _ body: String, summary: String? = nil, known: HealthReading.KnownDays = .all
    ) throws -> HealthReading? {
        try HealthReading(
            try job(body, summary: summary, known: known))
    }

    func read(_ body: String, summary: String? = nil) throws -> HealthReading {
        try require(try reading(body, summary: summary))
    }

    /// The values by day.
    func days(_ body: String, summary: String? = nil) throws -> [String: Double] {
        var values: [String: Double] = [:]
        for day in try read(body, summary: summary).days where day.ignored == nil {
            values[day.total.day.description] = day.total.value
        }
        return values
    }

    /// Health Auto Export's items of a metric: times of the zone +0100, and values as JSON.
    static func export(
        _ items: [(date: String, qty: String)], source: String = "Watch",
        metric: String = "step_count"
    ) -> String {
        let list = items.map { date, qty in
            #"{"date":"\#(date)","qty":\#(qty),"source":"\#(source)"}"#
        }
        return #"{"data":{"metrics":[{"name":"\#(metric)","units":"count","data":["#
            + list.joined(separator: ",") + "]}]}}"
    }

    /// HC Webhook's records of steps.
    static func connect(
        _ records: [(start: String, end: String, count: Int)], version: String = "1.10.0",
        origin: String? = nil
    ) -> String {
        let metadata = origin.map { #","metadata":{"data_origin":"\#($0)"}"# } ?? ""
        let list = records.map { start, end, count in
            #"{"count":\#(count),"start_time":"\#(start)","end_time":"\#(end)"\#(metadata)}"#
        }
        return #"{"app_version":"\#(version)","steps":[\#(list.joined(separator: ","))]}"#
    }
}

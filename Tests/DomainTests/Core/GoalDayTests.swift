import Foundation
import Testing

@testable import BeemedDomain

/// The days of goals beside the hours that clocks skip or show twice, in all time zones.
struct GoalDayTests {
    @Test(arguments: [
        ("Europe/Berlin", "Europe/Berlin" as String?), ("UTC", "UTC"), ("Nowhere", nil), ("", nil),
    ])
    func `a zone that is not in the database is unknown`(_ name: String, _ zone: String?) {
        var book = GoalBook()
        book.learn(UpstreamUser(name: "alice", timezone: name))
        expect(book.zone?.name, is: zone)
        // A name that means nothing changes nothing.
        book.replace([], user: UpstreamUser(name: "alice", timezone: "Asia/Tokyo"), at: UnixTime(0))
        book.replace([], user: UpstreamUser(name: "alice", timezone: name), at: UnixTime(0))
        expect(book.zone?.name, is: zone ?? "Asia/Tokyo")
        expect(book.unknownZone, is: (zone == nil ? name : nil))
    }

    /// From 7 a.m. of the day before to 6 a.m., as Beeminder allows them, and some between.
    private static let deadlines = [
        -61_200, -36_000, -7_200, -5_400, -4_500, -3_600, -1, 0, 1, 1_800, 3_599, 3_600, 5_400,
        7_199, 7_200, 9_000, 10_799, 10_800, 21_600,
    ]

    /// When the clocks of a zone are changed in 2025 and 2026.
    private static func changes(_ zone: TimeZone) -> [Date] {
        var date = Date(timeIntervalSince1970: 1_735_689_600)
        var all: [Date] = []
        while let next = zone.nextDaylightSavingTimeTransition(after: date),
            next.timeIntervalSince1970 < 1_798_761_600
        {
            all.append(next)
            date = next
        }
        return all
    }

    /// Zones, and when their clocks are changed: of those whose clocks are changed alike one alone,
    /// unless all are wanted.
    private static let clockChanges: [(zone: TimeZone, instants: [Int64])] = {
        var known: Set<[Int64]> = []
        var all: [(zone: TimeZone, instants: [Int64])] = []
        for zone in TimeZone.knownTimeZoneIdentifiers.compactMap({ TimeZone(identifier: $0) }) {
            let dates = changes(zone)
            let instants = dates.map { Int64($0.timeIntervalSince1970) }
            let before = dates.map { Int64(zone.secondsFromGMT(for: $0.addingTimeInterval(-1))) }
            let after = dates.map { Int64(zone.secondsFromGMT(for: $0)) }
            let isNew = known.insert(instants + before + after).inserted
            if isNew || Thorough.isOn { all.append((zone, instants)) }
        }
        return all
    }()

    /// The first second of the day whose midnight is so many days from 1970-01-01, as the calendar
    /// has it.
    private static func start(_ day: Int64, _ deadline: Int, _ calendar: Calendar) throws -> Int64 {
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = try require(TimeZone(secondsFromGMT: 0))
        let onWall = Date(timeIntervalSince1970: Double(day * 86_400 + Int64(deadline)))
        let names: Set<Calendar.Component> = [.year, .month, .day, .hour, .minute, .second]
        let parts = utc.dateComponents(names, from: onWall)
        return Int64(try require(calendar.date(from: parts)).timeIntervalSince1970)
    }

    /// Each deadline at each instant; in a run that is not CI's a third of them at each.
    private static func pairs(_ instants: [Int64]) -> [(instant: Int64, deadline: Int)] {
        instants.enumerated().flatMap { place, instant in
            deadlines.enumerated()
                .filter { Thorough.isEveryPlace || ($0.offset + place) % 3 == 0 }
                .map { (instant, $0.element) }
        }
    }

    @Test func `begins a day when the calendar shows the deadline, in every time zone`() throws {
        var compared = 0
        for (zone, instants) in Self.clockChanges {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let own = try require(Zone(named: zone.identifier))
            for (instant, deadline) in Self.pairs(instants) {
                let rule = GoalDay(zone: own, deadline: deadline)
                let day = rule.number(of: UnixTime(instant))
                for day in day...(day + 1) {
                    compared += 1
                    let start = try Self.start(day, deadline, calendar)
                    expect(
                        rule.start(of: day).seconds, is: start,
                        "\(zone.identifier), deadline \(deadline), day \(day)")
                }
            }
        }
        expect(compared > 1_000)
    }

    @Test func `counts every moment to one day, and the days in order`() throws {
        var wrong: [String] = []
        for (zone, instants) in Self.clockChanges {
            let own = try require(Zone(named: zone.identifier))
            for (instant, deadline) in Self.pairs(instants) {
                let rule = GoalDay(zone: own, deadline: deadline)
                var last = rule.number(of: UnixTime(instant - 14_400))
                for time in stride(from: instant - 14_400, through: instant + 14_400, by: 900) {
                    let time = UnixTime(time)
                    let day = rule.number(of: time)
                    let bounds = rule.bounds(around: time)
                    let isRight =
                        day >= last && bounds.contains(time)
                        && rule.number(of: bounds.lowerBound) == day
                        && rule.number(of: bounds.upperBound) == day + 1
                    if !isRight { wrong.append("\(zone.identifier), \(deadline), \(time)") }
                    last = day
                }
            }
        }
        expect(wrong, is: [])
    }
}

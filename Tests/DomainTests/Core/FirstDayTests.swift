import Foundation
import Testing

@testable import BeemedDomain

/// Days before a goal began have no datapoints: one there derails a do-less goal at once. And days
/// of which a part is unknown.
struct FirstDayTests {
    private static func goal(initday: Int64?, queued: Bool? = nil, deadline: Int = 0) throws -> Goal
    {
        var members: [String: Any] = ["slug": "pushups", "deadline": deadline]
        members["initday"] = initday ?? NSNull()
        if let queued { members["queued"] = queued }
        let data = try JSONSerialization.data(withJSONObject: members)
        return try JSONDecoder().decode(Goal.self, from: data)
    }

    /// Noon of the bench's day in a zone that many hours east of UTC.
    private static func noon(_ back: Int64, east hours: Int64 = 0) -> Int64 {
        (CoreBench.today.number - back) * 86_400 + (12 - hours) * 3_600
    }

    private func word(
        _ bench: inout CoreBench, _ back: Int64, _ value: Double = 1
    ) throws -> String? {
        let replyID = bench.total(.make(value, day: CoreBench.today.adding(days: -back)))
        try bench.commit()
        return bench.word(replyID)
    }

    static let zones: [(String, Int64)] = [
        ("UTC", 0), ("America/Los_Angeles", -7), ("Pacific/Auckland", 13),
    ]

    @Test(arguments: zones)
    func `a day before the first one is not sent`(_ zone: String, _ hours: Int64) throws {
        var bench = try CoreBench()
        let goal = try FirstDayTests.goal(initday: FirstDayTests.noon(3, east: hours))
        try bench.commit { $0.learn([goal], timezone: zone) }
        try expect(word(&bench, 4), is: "before_goal")
        try expect(word(&bench, 30), is: "before_goal")
        try expect(word(&bench, 3), is: "queued")
        try expect(word(&bench, 2), is: "queued")
        expect(bench.sent.map(\.daystamp), is: [CoreBench.today.adding(days: -3)])
    }

    @Test func `a goal without a graph has no day before the present one`() throws {
        for (queued, back, expected) in [
            (true, 1, "before_goal"), (true, 0, "queued"), (false, 1, "queued"),
        ] as [(Bool, Int64, String)] {
            var bench = try CoreBench()
            try bench.commit { $0.learn([try FirstDayTests.goal(initday: nil, queued: queued)]) }
            try expect(word(&bench, back), is: expected)
        }
    }

    @Test func `a day that was sent is revised, also if the goal begins later by now`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.learn([try FirstDayTests.goal(initday: FirstDayTests.noon(5))]) }
        try expect(word(&bench, 4, 10), is: "queued")
        try bench.commit { $0.learn([try FirstDayTests.goal(initday: FirstDayTests.noon(2))]) }
        try expect(word(&bench, 4, 20), is: "queued")
        try expect(word(&bench, 3), is: "before_goal")
    }

    @Test func `a day that was accepted before the goals were known is not sent`() throws {
        var bench = try CoreBench(token: .unknown)
        let goal = try FirstDayTests.goal(initday: FirstDayTests.noon(3))
        let totals = [5, 4, 3].map {
            DayTotal.make(1, day: CoreBench.today.adding(days: -$0))
        }
        for total in totals { bench.total(total) }
        try bench.commit()
        expect(bench.sent.isEmpty)
        bench.learn([goal])
        for _ in 0..<4 {
            try bench.commit()
            bench.pass(seconds: 1)
        }
        expect(bench.sent.map(\.daystamp), is: [CoreBench.today.adding(days: -3)])
        expect(totals.map { bench.view($0)?.state }, is: [.refused, .refused, .sending])
        guard case .refused(422, let why)? = bench.view(totals[0])?.settlement
        else { throw Unexpected(bench.view(totals[0])) }
        expect(why.contains("before the goal's first"))
    }

    @Test func `the first day is kept with the goals`() throws {
        let goal = try FirstDayTests.goal(initday: 1_688_832_000)
        let saved = try JSONDecoder().decode(Goal.self, from: try JSONEncoder().encode(goal))
        expect(saved.initday, is: 1_688_832_000)
        let odd = #"{"slug":"x","initday":"soon"}"#
        try expect(JSONDecoder().decode(Goal.self, from: Data(odd.utf8)).initday == nil)
    }

    @Test func `a day of which a part is unknown only rises, and begins nothing`() throws {
        var bench = try CoreBench()
        func word(_ value: Double, _ back: Int64 = 0) throws -> String? {
            var total = DayTotal.make(value, day: CoreBench.today.adding(days: -back))
            total.isPartial = true
            let replyID = try bench.commit { $0.total(total) }
            return bench.word(replyID)
        }
        try bench.record(5_000)
        try expect(word(10), is: "partial")
        try expect(word(5_000), is: "unchanged")
        try expect(word(5_010), is: "queued")
        try expect(word(10, 1), is: "partial")
        try expect(bench.said(note: 40), is: "queued")
    }
}

import Foundation
import Testing

@testable import BeemedDomain

/// Goals whose datapoints are readings, such as a weight or an odometer: they are not added.
struct ReadingGoalTests {
    /// A goal as Beeminder describes it.
    private static func goal(_ members: String, recent: [GoalDatapoint] = []) throws -> Goal {
        let json = #"{"slug":"pushups"\#(members.isEmpty ? "" : ",\(members)")}"#
        var goal = try JSONDecoder().decode(Goal.self, from: Data(json.utf8))
        goal.recentDatapoints = recent
        return goal
    }

    private func bench(_ goal: Goal, token: TokenUser? = nil) throws -> CoreBench {
        var bench = try CoreBench(now: Moment.noon, token: token)
        try bench.commit { $0.learn([goal]) }
        return bench
    }

    private func isRefused(_ bench: CoreBench, _ replyID: UInt64) -> Bool {
        if case .refused(.needsValue)? = bench.replies[replyID] { true } else { false }
    }

    private func empty(_ id: String) -> Press {
        var press = Press.make(id)
        press.isValueImplied = true
        return press
    }

    /// Members of goals, in Beeminder's JSON, to which a press is a reading.
    static let readings =
        [
            "last", "first", "min", "max", "mean", "truemean", "uniqmean", "median", "mode",
            "trimmean", "clocky",
        ].map { #""kyoom":false,"aggday":"\#($0)""# } + [
            #""aggday":"sum","odom":true"#, #""aggday":"last","odom":true,"goal_type":"biker""#,
            #""goal_type":"biker""#, #""goal_type":"fatloser""#, #""goal_type":"gainer""#,
            #""goal_type":"inboxer","aggday":null"#,
        ]

    @Test(arguments: readings)
    func `a press without a value is refused where 1 is a reading`(_ members: String) throws {
        var bench = try bench(try Self.goal(members))
        let replyID = try bench.commit { $0.press(empty("1")) }
        expect(isRefused(bench, replyID))
        expect(bench.core.view.pendingEvents, is: 0)
        let given = try bench.commit { $0.press(.make("1", value: 1)) }
        expect(bench.acceptance(given) != nil, "a value of 1 that was sent is what it is")
        let again = bench.press(empty("1"))
        expect(bench.acceptance(again)?.isDuplicate, is: true, "what is known is no new press")
    }

    /// Members of goals, in Beeminder's JSON, to which 1 is one more, or which do not tell.
    static let counts =
        [
            "sum", "truesum", "count", "nonzero", "binary", "triangle", "square", "skatesum",
            "cap1", "named next year",
        ].map { #""aggday":"\#($0)""# } + [
            "", #""odom":null,"aggday":null"#, #""odom":false,"goal_type":"hustler""#,
            #""odom":"maybe","aggday":7"#,
        ]

    @Test(arguments: counts)
    func `a press without a value is taken where 1 is one more, or nothing is known`(
        _ members: String
    ) throws {
        var bench = try bench(try Self.goal(members))
        let replyID = try bench.commit { $0.press(empty("1")) }
        expect(bench.acceptance(replyID)?.event.value, is: 1)
    }

    @Test func `a press without a value waits for the answer of what its goal is`() throws {
        var bench = try bench(Goal(slug: .known("water")))
        let replyID = bench.press(empty("1"))
        expect(bench.replies[replyID] == nil)
        bench.learn([Goal(slug: .known("water")), try Self.goal(#""aggday":"last""#)])
        expect(isRefused(bench, replyID))
    }

    @Test func `before a list is known, or with another user's, it is taken as ever`() throws {
        var unknown = try CoreBench(now: Moment.noon)
        let first = try unknown.commit { $0.press(empty("1")) }
        expect(unknown.acceptance(first) != nil)
        var other = try bench(try Self.goal(#""aggday":"last""#), token: .unknown)
        other.connect(.unknown)
        let second = try other.commit { $0.press(empty("1")) }
        expect(other.acceptance(second) != nil)
    }

    @Test func `a dry run refuses it, too`() throws {
        let bench = try bench(try Self.goal(#""aggday":"min""#))
        var rehearsal = RelayCore.Rehearsal()
        guard
            case .refused(.needsValue(let goal, let why)) = bench.core.rehearse(
                empty("1"), at: bench.now, &rehearsal)
        else { throw Unexpected("taken") }
        expect(goal, is: .known("pushups"))
        expect(why, is: "does not add up its datapoints (aggday 'min')")
    }

    @Test func `what a goal is stays known after a restart`() throws {
        let goal = try Self.goal(#""odom":true,"goal_type":"biker","rate":7,"runits":"w""#)
        let saved = try JSONEncoder().encode(goal)
        try expect(JSONDecoder().decode(Goal.self, from: saved), is: goal)
        expect(!goal.countsPresses)
    }

    /// A day of 3, 1, 1 and 4, in this order, by `aggday`.
    static let days: [(aggday: String, value: Double)] = [
        ("sum", 9), ("truesum", 9), ("count", 4), ("nonzero", 1), ("binary", 1), ("last", 4),
        ("first", 3), ("min", 1), ("max", 4), ("truemean", 2.25), ("mean", 8.0 / 3),
        ("uniqmean", 8.0 / 3), ("median", 2), ("mode", 1), ("trimmean", 2.25), ("clocky", 1),
        ("square", 81), ("triangle", 45), ("cap1", 1), ("skatesum", 5), ("named next year", 4),
    ]

    @Test(arguments: days)
    func `today is what Beeminder makes of the day, and so is the day's bar`(
        _ row: (aggday: String, value: Double)
    ) throws {
        let now = Moment.noon.wall
        let phone = GoalDatapoint(id: "p", at: now.seconds - 100, value: 1)
        let members = #""kyoom":false,"aggday":"\#(row.aggday)","rate":35,"runits":"w""#
        var bench = try bench(try Self.goal(members, recent: [phone]))
        // They come in another order than they were made in, and none is sent yet.
        for (id, value, ago) in [("a", 4.0, 10), ("b", 3.0, 300), ("c", 1.0, 50)] {
            let time = PressTime.timestamp(now.adding(-Int64(ago)))
            bench.press(.make(id, value: value, time: time))
        }
        try bench.commit()
        let shown = try require(bench.core.view.snapshot(at: bench.now).goals.first)
        expect(shown.today == row.value && shown.lastValue == 4)
        let bars = bench.core.view.dailyValues(days: 2, at: bench.now)
        expect(bars[.known("pushups")], is: [0, row.value])
    }

    @Test func `a day without datapoints is 0, and the last value is of another day`() throws {
        let yesterday = GoalDatapoint(id: "p", at: Moment.noon.wall.seconds - 86_400, value: 883)
        var bench = try bench(try Self.goal(#""odom":true,"aggday":"last""#, recent: [yesterday]))
        let shown = try require(bench.core.view.snapshot(at: bench.now).goals.first)
        expect(shown.today == 0 && !shown.isDoneToday && shown.lastValue == 883)
        try bench.commit { $0.press(.make("1", value: 890)) }
        let then = try require(bench.core.view.snapshot(at: bench.now).goals.first)
        expect(then.today == 890 && then.lastValue == 890)
        try bench.commit { $0.undo("1") }
        let last = try require(bench.core.view.snapshot(at: bench.now).goals.first)
        expect(last.today == 0 && last.lastValue == 883)
    }
}

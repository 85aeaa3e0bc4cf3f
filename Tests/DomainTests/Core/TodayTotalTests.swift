import Foundation
import Testing

@testable import BeemedDomain

/// The sum of the values logged today, through the relay and elsewhere.
struct TodayTotalTests {
    private func point(
        _ id: String, _ value: Double, ago seconds: Int64, requestID: String? = nil
    ) -> GoalDatapoint {
        GoalDatapoint(
            id: id, at: Moment.noon.wall.seconds - seconds, value: value,
            requestID: requestID)
    }

    private func goal(
        _ recent: [GoalDatapoint]?, last: GoalDatapoint? = nil, todayta: Bool? = nil
    ) -> Goal {
        var goal = Goal(slug: .known("pushups"))
        goal.id = "5f5d"
        goal.recentDatapoints = recent
        goal.lastDatapoint = last ?? recent?.first
        goal.todayta = todayta
        return goal
    }

    private func shown(_ bench: inout CoreBench) throws -> Snapshot.PinnedGoal {
        try require(bench.core.view.snapshot(at: bench.now).goals.first)
    }

    @Test func `adds what was logged elsewhere, and nothing twice`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn([goal([], todayta: false)])
        try bench.commit { $0.press(.make("1", value: 2)) }
        try expect(shown(&bench).today, is: 2)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        let list = [
            point("d1", 2, ago: 0, requestID: "button.1"), point("p1", 5, ago: 60),
            point("o1", 7, ago: 120, requestID: "other.1"), point("old", 100, ago: 50_000),
        ]
        bench.learn([goal(list, todayta: true)])
        var today = try shown(&bench)
        expect(today.today == 14 && today.isDoneToday)
        expect(today.lastLogged, is: Moment.noon.wall)
        // The phone's is deleted there, and ours is taken back here.
        bench.learn([goal(list.filter { $0.id != "p1" }, todayta: true)])
        try bench.commit { $0.undo("1") }
        bench.learn([goal(list.filter { $0.id != "p1" }, todayta: true)])
        today = try shown(&bench)
        expect(today.today, is: 7)
    }

    /// A press was delivered, and a list has shown it.
    private func listed(_ press: Press) throws -> (CoreBench, GoalDatapoint) {
        var bench = try CoreBench(now: Moment.noon, token: .unknown)
        try bench.commit { $0.learn([goal([], todayta: false)]) }
        try bench.commit { $0.press(press) }
        try bench.commit { $0.deliver($0.number("1"), .delivered(.created, datapoint: "d1")) }
        let own = point("d1", 2, ago: 0, requestID: "button.1")
        bench.learn([goal([own], todayta: true)])
        try expect(shown(&bench).today, is: 2)
        return (bench, own)
    }

    @Test func `a press counts once when its goal is restored under another name`() throws {
        var (bench, own) = try listed(.make("1", value: 2))
        bench.learn([Goal(slug: .known("walk"))])
        var restored = goal([own], todayta: true)
        restored.slug = "situps"
        bench.learn([restored])
        try expect(shown(&bench).today, is: 2)
        own.value = 5
        restored.recentDatapoints = [own]
        bench.learn([restored])
        try expect(shown(&bench).today, is: 5)
    }

    @Test func `a press that is deleted or edited at Beeminder counts as it is there`() throws {
        var (bench, own) = try listed(.make("1", value: 2))
        own.value = 5
        bench.learn([goal([own], todayta: true)])
        try expect(shown(&bench).today, is: 5)
        bench.learn([goal([], todayta: false)])
        let today = try shown(&bench)
        expect(today.today == 0 && !today.isDoneToday && today.lastLogged == nil)
        bench.learn([goal([own], todayta: true)])
        try expect(shown(&bench).today, is: 5)
    }

    @Test func `only what was listed can be deleted, and only if all of its time is`() throws {
        var (bench, own) = try listed(.make("1", value: 2))
        // Not listed yet: a server that never lists anything proves nothing.
        try bench.commit { $0.press(.make("2", value: 4)) }
        try bench.commit { $0.deliver($0.number("2"), .delivered(.created, datapoint: "d2")) }
        let others = (0..<5).map { point("p\($0)", 1, ago: 60 + $0) }
        bench.learn([goal(others, todayta: true)])
        try expect(shown(&bench).today, is: 2 + 4 + 5)
        var busy = goal([], todayta: false)
        busy.queued = true
        bench.learn([busy])
        try expect(shown(&bench).today, is: 2 + 4)
        own.value = 3
        bench.learn([goal([own] + others.dropLast(), todayta: true)])
        try expect(shown(&bench).today, is: 3 + 4 + 4)
        bench.learn([goal([], todayta: false)])
        try expect(shown(&bench).today, is: 4)
    }

    @Test func `a press that is deleted at Beeminder is no first one of its day`() throws {
        let rule = PresetOptions(preset: .known("daily"), oncePerDay: true)
        var (bench, _) = try listed(.make("1", value: 2, rule: rule))
        try bench.commit { $0.press(.make("2", value: 2, rule: rule)) }
        expect(bench.state("2"), is: .guarded)
        bench.learn([goal([], todayta: false)])
        try bench.commit { $0.press(.make("3", value: 2, rule: rule)) }
        expect(bench.state("3") != .guarded)
    }

    @Test func `a press that was deleted at Beeminder is so after a restart`() throws {
        let rule = PresetOptions(preset: .known("daily"), oncePerDay: true)
        var bench = try CoreBench(now: Moment.noon)
        bench.learn([goal([], todayta: false)])
        try bench.commit { $0.press(.make("1", value: 2, rule: rule)) }
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        try bench.restart(now: Moment.noon)
        var busy = goal([], todayta: false)
        busy.queued = true
        let others = (0..<5).map { point("p\($0)", 1, ago: 60 + $0) }
        for list in [busy, goal(nil, todayta: true), goal(others, todayta: true)] {
            bench.learn([list])
            try expect(shown(&bench).isDoneToday, "it may not be among those that are listed")
        }
        bench.learn([goal([], todayta: false)])
        let today = try shown(&bench)
        expect(today.today == 0 && !today.isDoneToday)
        try bench.commit { $0.press(.make("2", value: 2, rule: rule)) }
        expect(bench.state("2") != .guarded)
        // A datapoint that this process has delivered may be too new for a list.
        try bench.commit { $0.deliver($0.number("2"), .delivered(.created, datapoint: "d2")) }
        bench.learn([goal([], todayta: false)])
        try expect(shown(&bench).today, is: 2)
    }

    @Test func `another user's list proves nothing, nor does one at the day's bounds`() throws {
        var (bench, own) = try listed(.make("1", value: 2))
        bench.connect(.named("bob"))
        for _ in 0..<2 { bench.learn([goal([], todayta: false)], user: "bob") }
        bench.connect(.named("alice"))
        for _ in 0..<2 { bench.learn([goal(nil, todayta: true)]) }
        try expect(shown(&bench).today, is: 2)
        bench.pass(seconds: 12 * 3_600 - 300)
        bench.learn([goal(nil, todayta: false)])
        try expect(shown(&bench).today, is: 2, "Beeminder's clock may be ahead")
        own.value = 4
        bench.learn([goal([own], todayta: false)])
        try expect(shown(&bench).today, is: 4)
    }

    @Test func `a press that is there again guards again`() throws {
        let rule = PresetOptions(preset: .known("daily"), oncePerDay: true)
        var (bench, own) = try listed(.make("1", value: 2, rule: rule))
        own.value = 0
        bench.learn([goal([], todayta: false)])
        bench.learn([goal([own], todayta: true)])
        try bench.commit { $0.press(.make("2", value: 2, rule: rule)) }
        expect(bench.state("2"), is: .guarded)
    }

    @Test func `the sum of merged presses at Beeminder is no value of one of them`() throws {
        let rule = PresetOptions(preset: .known("sips"), mergeSeconds: 60)
        var bench = try CoreBench(now: Moment.noon)
        bench.learn([goal([], todayta: false)])
        bench.press(.make("1", value: 2, rule: rule))
        try bench.commit { $0.press(.make("2", value: 4, rule: rule)) }
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        bench.learn([goal([point("d1", 6, ago: 0, requestID: "button.1")], todayta: true)])
        try expect(shown(&bench).today, is: 6)
        bench.learn([goal([], todayta: false)])
        try expect(shown(&bench).today, is: 0)
    }

    @Test func `counts a press for a day once, whatever time Beeminder gives it`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn([goal([], todayta: false)])
        try bench.commit { $0.press(.make("1", value: 2, day: .ago(days: 0))) }
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        // Of a day alone Beeminder makes its last second: half a day from noon.
        let own = point("d1", 2, ago: -43_199, requestID: "button.1")
        bench.learn([goal([own], todayta: true)])
        try expect(shown(&bench).today, is: 2)
    }

    @Test func `tells its own press from another of the same second by the request id`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn([goal([], todayta: false)])
        bench.press(.make("1", value: 2))
        try bench.commit { $0.press(.make("2", value: 3, day: .ago(days: 0))) }
        bench.learn([
            goal([
                point("d1", 2, ago: 0, requestID: "button.1"),
                point("d2", 3, ago: -43_199, requestID: "button.2"),
                point("o1", 7, ago: 0, requestID: "other.1"),
                point("o2", 11, ago: -43_199, requestID: "other.2"), point("o3", 13, ago: 0),
            ])
        ])
        try expect(shown(&bench).today, is: 2 + 3 + 7 + 11 + 13)
    }

    @Test func `remembers more of the day than Beeminder shows at once`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn([goal((0..<5).map { point("a\($0)", 1, ago: 100 + Int64($0)) })])
        bench.learn([goal((0..<5).map { point("b\($0)", 1, ago: 10 + Int64($0)) })])
        try expect(shown(&bench).today, is: 10)
        let saved = try JSONDecoder().decode(
            GoalBook.self, from: JSONEncoder().encode(bench.core.goals))
        expect(saved, is: bench.core.goals)
    }

    @Test func `believes the documented fields where there are no others`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn([goal(nil, last: point("p1", 3, ago: 60), todayta: true)])
        try expect(shown(&bench).today, is: 3)
        bench.learn([goal(nil, todayta: true)])
        try expect(shown(&bench).isDoneToday)
        bench.pass(seconds: 86_400)
        let tomorrow = try shown(&bench)
        expect(!tomorrow.isDoneToday && tomorrow.today == 0)
    }

    @Test func `does not take the goal's first datapoint for something that was done`() throws {
        var bench = try CoreBench(now: Moment.noon)
        var initial = point("i", 1, ago: 60)
        initial.isLogged = false
        bench.learn([goal([initial], todayta: true)])
        let today = try shown(&bench)
        expect(!today.isDoneToday && today.today == 0)
    }

    @Test func `follows a goal that was renamed`() throws {
        var bench = try CoreBench(now: Moment.noon)
        bench.learn([goal([point("p1", 5, ago: 60)])])
        try bench.commit { $0.press(.make("1", value: 2)) }
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        var renamed = goal(
            [point("d1", 2, ago: 0, requestID: "button.1"), point("p1", 5, ago: 60)])
        renamed.slug = "press-ups"
        bench.learn([renamed])
        try expect(shown(&bench).today, is: 7)
        let late = try bench.commit { $0.press(.make("2", value: 1)) }
        expect(bench.acceptance(late) != nil)
        try expect(shown(&bench).today, is: 8)
    }

    @Test func `reads what Beeminder says of a goal's datapoints`() throws {
        let json = #"""
            {"slug":"pushups","todayta":true,"last_datapoint":{"id":"a","timestamp":1760011140,
            "value":1,"requestid":null,"is_initial":false},"recent_data":[{"id":"a",
            "timestamp":1760011140.0,"value":1.5,"comment":"x"},{"id":"b","timestamp":1,"value":2,
            "is_initial":true}]}
            """#
        let goal = try JSONDecoder().decode(Goal.self, from: Data(json.utf8))
        expect(goal.todayta == true && goal.lastDatapoint?.id == "a")
        expect(goal.recentDatapoints?.map(\.value), is: [1.5, 2])
        expect(goal.recentDatapoints?.map(\.isLogged), is: [true, false])
        let odd = #"{"slug":"x","last_datapoint":{"value":"?"},"recent_data":7}"#
        let other = try JSONDecoder().decode(Goal.self, from: Data(odd.utf8))
        expect(other.lastDatapoint == nil && other.recentDatapoints == nil)
    }
}

import Foundation
import Testing

@testable import BeemedDomain

/// Guards, and merged presses.
struct PresetTests {
    private func rule(
        interval: Int64? = nil, daily: Bool = false, merge: Int64? = nil
    ) throws -> PresetOptions {
        PresetOptions(
            preset: try require(PresetName("glass")), minimumInterval: interval,
            oncePerDay: daily, mergeSeconds: merge)
    }

    @Test func `guards a second press that comes too soon, and logs it never`() throws {
        var bench = try CoreBench()
        let rule = try rule(interval: 5)
        let first = bench.press(.make("1", rule: rule))
        let slip = try bench.commit { $0.press(.make("2", rule: rule)) }
        bench.pass(seconds: 6)
        let later = bench.press(.make("3", rule: rule))
        let again = try bench.commit { $0.press(.make("2", rule: rule)) }
        expect(bench.acceptance(first)?.state, is: .queued)
        expect(bench.acceptance(slip)?.state, is: .guarded)
        expect(bench.acceptance(later)?.state, is: .queued)
        expect(bench.acceptance(again)?.isDuplicate, is: true)
        bench.deliver(1, Outcome.created)
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.3"])
        expect(bench.core.view.pendingEvents, is: 1)
    }

    @Test func `remembers over a restart when a preset was used`() throws {
        var bench = try CoreBench()
        bench.learn()
        bench.press(.make("1", rule: try rule(daily: true)))
        try bench.commit { $0.press(.make("2", rule: try rule(daily: true))) }
        try bench.restart()
        bench.learn()
        expect(bench.state("2"), is: .guarded)
        let second = try bench.commit { $0.press(.make("3", rule: try rule(daily: true))) }
        expect(bench.acceptance(second)?.state, is: .guarded)
        bench.pass(seconds: 86_400)
        let tomorrow = try bench.commit { $0.press(.make("4", rule: try rule(daily: true))) }
        expect(bench.acceptance(tomorrow)?.state, is: .queued)
    }

    @Test func `a use for another goal guards nothing`() throws {
        let rule = try rule(interval: 60, daily: true)
        var bench = try CoreBench(token: .unknown)
        bench.learn(["pushups", "run"].map { Goal(slug: .known($0)) }, user: "alice")
        try bench.commit()
        bench.press(.make("1", rule: rule))
        bench.press(.make("2", goal: "run", rule: rule))
        try bench.commit { $0.press(.make("3", goal: "run", rule: rule)) }
        expect(["1", "2", "3"].map { bench.state($0) == .guarded }, is: [false, false, true])
    }

    /// Members of the goal in Beeminder's JSON, and the number of datapoints of two presses.
    @Test(arguments: [
        ("", 1), (#","aggday":"sum""#, 1), (#","aggday":"truesum""#, 1),
        (#","aggday":"count""#, 2), (#","aggday":"last""#, 2), (#","aggday":"max""#, 2),
        (#","goal_type":"fatloser""#, 2), (#","aggday":"sum","odom":true"#, 2),
        (#","aggday":"named next year""#, 2),
    ])
    func `presses become one datapoint only where the goal adds them up`(
        _ members: String, _ count: Int
    ) throws {
        var bench = try CoreBench()
        let json = #"{"slug":"pushups"\#(members)}"#
        bench.learn([try JSONDecoder().decode(Goal.self, from: Data(json.utf8))])
        bench.press(.make("1", rule: try rule(merge: 10)))
        try bench.commit { $0.press(.make("2", rule: try rule(merge: 10))) }
        expect(bench.state("2"), is: (count == 1 ? .merged : .queued))
        bench.pass(seconds: 11)
        bench.deliver(1, Outcome.created)
        expect(bench.sent.map(\.value), is: (count == 1 ? [2] : [1, 1]))
    }

    @Test func `lets a press count again when the one before was taken back`() throws {
        var bench = try CoreBench()
        bench.learn()
        bench.press(.make("1", rule: try rule(daily: true)))
        try bench.commit { $0.undo("1") }
        let second = try bench.commit { $0.press(.make("2", rule: try rule(daily: true))) }
        expect(bench.acceptance(second)?.state, is: .queued)
    }

    @Test func `makes one datapoint of the presses in a window`() throws {
        var bench = try CoreBench()
        let rule = try rule(merge: 60)
        for id in ["1", "2", "3"] { bench.press(.make(id, value: 2, rule: rule)) }
        try bench.commit()
        expect(bench.sent.isEmpty)
        expect(bench.state("2"), is: .merged)
        expect(bench.view("1")?.merges.map(\.requestID), is: ["button.2", "button.3"])
        expect(bench.view("3")?.mergedInto?.requestID, is: "button.1")
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [6])
        bench.deliver(1, Outcome.created)
        try bench.commit { $0.press(.make("4", value: 2, rule: rule)) }
        expect(bench.state("4"), is: .queued)
    }

    @Test func `guards count no press of a refused datapoint until it is sent again`() throws {
        var bench = try CoreBench()
        bench.learn()
        let rule = PresetOptions(
            preset: try require(PresetName("glass")), minimumInterval: 60, mergeSeconds: 600)
        bench.press(.make("1", rule: rule))
        bench.pass(seconds: 61)
        try bench.commit { $0.press(.make("2", rule: rule)) }
        bench.apply(.flushRequested)
        try bench.commit { $0.deliver($0.number("1"), .refused(status: 422, why: "no")) }
        expect(bench.state("2"), is: .refused)
        bench.pass(seconds: 10)
        try bench.commit { $0.press(.make("3", rule: rule)) }
        expect(bench.state("3"), is: .queued)
        try bench.commit { $0.undo("3") }
        try bench.commit { $0.retry("1") }
        try bench.commit { $0.press(.make("4", rule: rule)) }
        expect(bench.state("4"), is: .guarded, "ten seconds after the second one")
    }

    @Test func `keeps pins in their order, and lists the newest events first`() throws {
        var bench = try CoreBench()
        let goals = ["a", "b", "c"].map { Goal(slug: .known($0)) }
        bench.apply(.fetched(.goals(goals, user: "alice")))
        bench.apply(.pinned([.known("c"), .known("gone"), .known("a")]))
        let shown = bench.core.view.snapshot(at: bench.now).goals
        expect(shown.map(\.goal.slug), is: ["c", "a"])
        for id in 1...5 { bench.press(.make("\(id)", goal: id % 2 == 0 ? "a" : "b")) }
        try bench.commit()
        let first = bench.core.view.events(EventFilter(), before: nil, limit: 2)
        expect(first.events.map(\.event.key.id.description), is: ["5", "4"])
        let second = bench.core.view.events(EventFilter(), before: first.next, limit: 9)
        expect(second.events.map(\.event.key.id.description), is: ["3", "2", "1"])
        expect(second.next == nil)
        var filter = EventFilter()
        filter.goal = .known("a")
        filter.states = [.sending]
        let sending = bench.core.view.events(filter, before: nil, limit: 9).events
        expect(sending.map(\.event.key.id.description), is: ["2"])
    }
}

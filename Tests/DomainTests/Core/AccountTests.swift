import Foundation
import Testing

@testable import BeemedDomain

/// Whose presses go to whom, under which names, and when.
struct AccountTests {
    private static let pushups = Goal(slug: .known("pushups"))

    private static func goal(_ slug: String, id: String) -> Goal {
        var goal = Goal(slug: .known(slug))
        goal.id = id
        return goal
    }

    @Test func `a changed datapoint of one user is not sent to another`() throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.learn(user: "alice") }
        let rule = PresetOptions(preset: try require(PresetName("glass")), mergeSeconds: 60)
        for id in ["1", "2"] { bench.press(.make(id, rule: rule)) }
        try bench.commit()
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver($0.number("1"), Outcome.created) }
        try bench.commit { $0.undo("2") }
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.connect(.named("bob"))
        try bench.commit { $0.learn(user: "bob") }
        bench.pass(seconds: 1_000)
        expect(bench.sent.map(\.value), is: [2, 1])
        bench.connect(.named("alice"))
        try bench.commit { $0.learn(user: "alice") }
        bench.pass(seconds: 1_000)
        expect(bench.sent.map(\.value), is: [2, 1, 1])
    }

    @Test func `knows former names of goals over a restart`() throws {
        var bench = try CoreBench(token: .unknown)
        bench.learn([AccountTests.goal("pushups", id: "5f5d")])
        bench.learn([AccountTests.goal("press-ups", id: "5f5d")])
        expect(bench.core.goals.names(of: .known("press-ups")), is: ["press-ups", "pushups"])
        let saved = try JSONEncoder().encode(bench.core.goals)
        try expect(JSONDecoder().decode(GoalBook.self, from: saved), is: bench.core.goals)
    }

    @Test func `knows a goal again that was archived, renamed and restored`() throws {
        var bench = try CoreBench()
        bench.learn([AccountTests.goal("pushups", id: "g1"), AccountTests.goal("water", id: "g2")])
        try bench.commit { $0.press(.make("1")) }
        bench.learn([AccountTests.goal("water", id: "g2")])
        bench.deliver(1, .noSuchGoal)
        expect(bench.state("1"), is: .held)
        bench.learn([AccountTests.goal("press-ups", id: "g1")])
        expect(bench.sent.map(\.goal.description), is: ["pushups", "press-ups"])
        try bench.commit { $0.press(.make("2")) }
        bench.deliver(1, .delivered(.created, datapoint: "d1"))
        expect(bench.sent.last?.goal.description, is: "press-ups", "devices use the old name")
    }

    @Test func `knows a goal again that was archived and renamed, also after a restart`() throws {
        let user = UpstreamUser(name: "alice")
        var book = GoalBook()
        book.replace([AccountTests.goal("pushups", id: "g1")], user: user, at: UnixTime(0))
        book.replace([], user: user, at: UnixTime(1))
        var saved = try JSONDecoder().decode(GoalBook.self, from: JSONEncoder().encode(book))
        expect(saved.current(.known("pushups")).description, is: "pushups")
        saved.replace([AccountTests.goal("press-ups", id: "g1")], user: user, at: UnixTime(2))
        expect(saved.current(.known("pushups")).description, is: "press-ups")
    }

    @Test func `sends a long queue together, and one by one what stayed unclear`() throws {
        var bench = try CoreBench()
        bench.apply(.disconnected)
        bench.connect(.named("alice"))
        for id in 1...50 { bench.press(.make("\(id)", goal: "water")) }
        try bench.commit()
        let all = try require(bench.batches.first)
        expect(all.datapoints.count, is: 50)
        expect(all.datapoints.map(\.requestID), is: (1...50).map { "button.\($0)" })
        var outcomes: [SequenceNumber: Outcome] = [:]
        for outgoing in all.datapoints.dropFirst(2) {
            outcomes[outgoing.number] = Outcome.created
        }
        try bench.commit { $0.apply(.delivered(all, .each(outcomes))) }
        expect(bench.core.view.pendingEvents, is: 2)
        bench.pass(seconds: 10)
        expect(bench.sent.last?.requestID, is: "button.1")
        bench.deliver(1, .delivered(.duplicate, datapoint: nil))
        expect(bench.sent.last?.requestID, is: "button.2")
    }

    @Test func `takes apart what is not taken together`() throws {
        var bench = try CoreBench()
        for id in 1...30 { bench.press(.make("\(id)")) }
        try bench.commit()
        let all = try require(bench.batches.first)
        bench.apply(.delivered(all, .whole(.unclear("413"))))
        bench.pass(seconds: 10)
        for number in 1...30 as ClosedRange<UInt64> {
            expect(bench.batches.last?.datapoints.map(\.number.value), is: [number])
            bench.deliver(SequenceNumber(number), Outcome.created)
        }
        expect(bench.core.view.pendingEvents, is: 0)
    }

    /// Beeminder takes 300 datapoints a day, and never the seventh. Its answer to a batch confirms
    /// what it takes; its answer to a single one gives the reason.
    @Test func `what is refused of a thousand presses ends with its reason, and delays none`()
        throws
    {
        var bench = try CoreBench()
        for id in 1...1_000 { bench.press(.make("\(id)")) }
        try bench.commit()
        var (taken, requests) = (0, 0)
        while bench.core.view.pendingEvents > 0, requests < 2_000 {
            guard let batch = bench.batches.popLast() else {
                bench.pass(seconds: 2)
                continue
            }
            requests += 1
            var outcomes: [SequenceNumber: Outcome] = [:]
            for outgoing in batch.datapoints where outgoing.number != 7 && taken < 300 {
                outcomes[outgoing.number] = Outcome.created
                taken += 1
            }
            let isSingle = batch.datapoints.count == 1
            let none: BatchResult =
                isSingle
                ? .whole(.refused(status: 422, why: "no room")) : .whole(.unclear("errors"))
            try bench.commit {
                $0.apply(.delivered(batch, outcomes.isEmpty ? none : .each(outcomes)))
            }
        }
        expect(bench.core.view.refusedEvents, is: 700)
        expect(
            bench.view("7")?.recorded.settlement, is: .refused(status: 422, why: "no room"))
        expect(requests, is: 705, "five batches, and one for each that is refused")
    }

    @Test func `holds what came before the clock was set, and repairs its time`() throws {
        let disk = SimulatedDisk()
        let early = Moment(wall: UnixTime(1_000), monotonic: Monotonic(milliseconds: 50_000))
        var bench = try CoreBench(disk: disk, now: early)
        let tickets = [
            bench.press(.make("1")), bench.press(.make("2", time: .age(seconds: 30))),
            bench.press(.make("3", time: .timestamp(UnixTime(1_759_999_000)))),
        ]
        try bench.commit()
        expect(tickets.map { bench.acceptance($0)?.state }, is: [.held, .held, .held])
        bench.pass(seconds: 100)
        expect(bench.sent.isEmpty)
        bench.now.wall = UnixTime(1_760_000_000)
        bench.tellTime()
        expect(bench.sent.isEmpty)
        try bench.commit()
        for number in [1, 2, 3] as [SequenceNumber] { bench.deliver(number, Outcome.created) }
        expect(bench.sent.map(\.at.seconds), is: [1_759_999_900, 1_759_999_870, 1_759_999_000])
    }

    @Test func `gives what came under an earlier boot the time of this one`() throws {
        let event = Event(
            key: EventKey(device: .known("a"), id: .known("1")), goal: .known("g"), value: 1,
            comment: "", at: UnixTime(900), timeSource: .receipt,
            arrival: Event.Arrival(
                wall: UnixTime(900), monotonic: Monotonic(milliseconds: 1), boot: "old",
                isClockUnset: true))
        let now = Moment(
            wall: UnixTime(1_760_000_000), monotonic: Monotonic(milliseconds: 60_000))
        expect(event.repairedTime(at: now, boot: "new"), is: UnixTime(1_759_999_940))
    }

    @Test func `believes in the end a clock that is behind the last receipt`() {
        var clock = ClockTrust(earliest: UnixTime(0), lastReceipt: UnixTime(100_000))
        clock.recordAnswer(to: .noUser)
        func moment(_ wall: Int64, _ seconds: Int64) -> Moment {
            Moment(wall: UnixTime(wall), monotonic: Monotonic(milliseconds: seconds * 1_000))
        }
        let times: [(wall: Int64, seconds: Int64)] = [
            (99_500, 0), (50_000, 1), (50_800, 800), (50_902, 902),
        ]
        let isSound = times.map { clock.isSound(moment($0.wall, $0.seconds)) }
        expect(isSound, is: [true, false, false, true])
    }

    @Test(arguments: [Outcome.busy(retryAfter: 3_600), .unauthorized])
    func `a wait that has begun for a safe goal ends in time for one that derails soon`(
        _ outcome: Outcome
    ) throws {
        var bench = try CoreBench()
        let now = bench.now.wall.seconds
        bench.learn([
            Goal(slug: .known("far"), losedate: now + 6 * 86_400),
            Goal(slug: .known("near"), losedate: now + 300),
        ])
        try bench.commit { $0.press(.make("1", goal: "far")) }
        for _ in 0..<6 {
            bench.deliver(bench.number("1"), outcome)
            if outcome == .unauthorized { bench.apply(.fetched(.unauthorized)) }
        }
        try bench.commit { $0.press(.make("2", goal: "near")) }
        bench.batches = []
        bench.pass(seconds: 31)
        expect(bench.batches.contains { $0.goal == .known("near") })
    }
}

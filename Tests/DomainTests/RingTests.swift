import Testing

@testable import BeemedDomain

/// The journal as a ring: what is known is stated again, and segments leave for the history.
struct RingTests {
    private static let created = Outcome.delivered(.created, datapoint: "d")

    /// Limits of a journal that retires segments after a few events.
    private static var limits: Journal.Limits {
        var limits = Journal.Limits.small
        limits.segmentBytes = 2_000
        return limits
    }

    private func bench(_ disk: SimulatedDisk = SimulatedDisk()) throws -> CoreBench {
        var bench = try CoreBench(
            disk: disk, token: .unknown, remembered: 3, limits: RingTests.limits)
        bench.learn(["pushups", "pullups", "water"].map { Goal(slug: .known($0)) })
        try bench.commit()
        return bench
    }

    private static let comment = String(repeating: "c", count: 350)

    /// On a disk with room for less than a segment.
    private func tinyBench(_ disk: SimulatedDisk) throws -> CoreBench {
        var limits = RingTests.limits
        limits.segmentBytes = 100_000
        limits.freeBytes = 1_000_000
        disk.with { $0.capacity = 1_075_000 }
        var bench = try CoreBench(disk: disk, token: .unknown, limits: limits)
        bench.learn([Goal(slug: .known("pushups"))])
        return bench
    }

    private func deliver(_ id: String, _ bench: inout CoreBench) throws {
        try bench.commit { $0.press(.make(id)) }
        try bench.commit { $0.deliver($0.number(id), RingTests.created) }
    }

    private func known(_ bench: CoreBench) -> Set<String> {
        let events = bench.core.view.events(EventFilter(), before: nil, limit: 10_000).events
        return Set(events.map(\.event.key.id.description))
    }

    @Test func `an export has every event at any time`() throws {
        var bench = try bench()
        var ids: Set<String> = []
        for index in 0..<70 {
            try deliver("e\(index)", &bench)
            ids.insert("e\(index)")
            try bench.maintain()
            let files = try bench.rig.disk.allIDs
            expect(Set(files), is: ids)
            expect(files.count, is: ids.count)
        }
        expect(known(bench), is: ["e69", "e68", "e67"])
        expect(bench.rig.disk.names(.history).count > 10)
        expect(bench.rig.disk.journalNames.count < 6)
    }

    @Test func `what is refused is never left behind, however often segments are retired`() throws {
        let disk = SimulatedDisk()
        var bench = try bench(disk)
        bench.press(.make("stays", goal: "pullups"))
        try bench.commit { $0.press(.make("moved")) }
        for id in ["stays", "moved"] {
            try bench.commit { $0.deliver($0.number(id), .refused(status: 422, why: "no")) }
        }
        try bench.commit { $0.retry("moved", to: "water") }
        try bench.commit { $0.deliver($0.number("moved"), .refused(status: 422, why: "no")) }
        let before = ["stays", "moved"].map { bench.view($0)?.goal }
        expect(before, is: [.known("pullups"), .known("water")])
        for index in 0..<100 {
            try deliver("e\(index)", &bench)
            try bench.maintain()
            guard index % 30 == 29 else { continue }
            disk.kill()
            bench = try self.bench(disk)
            expect(["stays", "moved"].map { bench.view($0)?.goal }, is: before)
            expect(bench.core.view.refusedEvents, is: 2)
            expect(bench.core.account.user?.name, is: "alice")
            expect(bench.rig.recovered.recoveryReport.sentences.isEmpty)
        }
        expect(!disk.names(.journal).contains("00000001.jnl"))
    }

    @Test func `a disk with less room than a segment takes all that is delivered`() throws {
        var bench = try tinyBench(SimulatedDisk())
        for index in 0..<150 {
            try bench.commit { $0.press(.make("e\(index)", comment: Self.comment)) }
            try bench.commit { $0.deliver($0.number("e\(index)"), RingTests.created) }
            try bench.maintain()
        }
        expect(known(bench).count >= RelayCore.fewestSettled)
        expect(known(bench).contains("e149"))
    }

    @Test func `a full disk of presses that wait is full once, and stays so`() throws {
        let disk = SimulatedDisk()
        var bench = try tinyBench(disk)
        var taken = 0
        for index in 0..<600 {
            bench.press(.make("e\(index)", comment: Self.comment))
            if (try? bench.commit()) == nil {
                bench.reject()
                break
            }
            taken += 1
            try bench.maintain()
        }
        expect(taken * Event.make("e1", comment: Self.comment).lineBytes > 60_000)
        expect(disk.names(.journal).count(where: { $0.hasSuffix(".jnl") }), is: 1)
    }

    @Test func `what is being recorded of an event is durable before it is stated again`() throws {
        var bench = try bench()
        bench.press(.make("a"))
        try bench.commit { $0.press(.make("b")) }
        bench.deliver(bench.number("a"), RingTests.created)
        let all = CarryRequest(before: bench.core.commits.next, forgetsSettled: false)
        bench.carry(all)
        func carried() -> [SequenceNumber] {
            bench.appended.compactMap {
                if case .carried(let entry) = $0.fact { entry.number } else { nil }
            }
        }
        // A segment may end between both lines, and the one with the outcome may be retired.
        expect(carried(), is: [])
        try bench.commit()
        bench.carry(all)
        expect(carried(), is: [bench.number("a"), bench.number("b")])
    }

    @Test func `an event is found, however many were stated again behind it`() throws {
        var bench = try CoreBench(token: .unknown)
        bench.learn([Goal(slug: .known("pushups"))])
        for index in 0..<120 { bench.press(.make("e\(index)")) }
        try bench.commit()
        for _ in 0..<200 {
            bench.carry(CarryRequest(before: bench.core.commits.next, forgetsSettled: false))
            try bench.commit()
        }
        expect(bench.core.commits.next.value > 20_000)
        let page = bench.core.view.events(EventFilter(), before: nil, limit: 120)
        expect(page.events.count, is: 120)
        expect(page.next == nil)
        let last = bench.core.view.lastPress(
            of: Event.make("e0").key.identity, to: .known("pushups"), preset: nil, at: bench.now)
        expect(last?.id.description, is: "e119")
        let values = bench.core.view.dailyValues(days: 1, at: bench.now)
        expect(values[.known("pushups")], is: [120])
    }

    @Test func `no command finds a forgotten event`() throws {
        var bench = try bench()
        for id in ["a", "b", "c", "d"] { try deliver(id, &bench) }
        expect(known(bench), is: ["d", "c", "b"])
        expect(bench.view("a") == nil)
        let reply = bench.undo("a")
        expect(bench.refusal(reply), is: "unknownEvent")
    }

    @Test func `an event counts where it was stated before, until it is stated again durably`() {
        let ledger = Ledger()
        for number in [1, 2] as [SequenceNumber] {
            ledger.add(.make("\(number)"), number)
            ledger.markDurable(number)
        }
        var looks = 2
        for number in [1, 2] as [SequenceNumber] {
            expect(ledger.nextToState(before: 3, changing: [], &looks), is: number)
            expect(ledger.state(number)?.number, is: number)
        }
        expect(looks, is: 0)
        expect(ledger.nextToState(before: 3, changing: [], &looks) == nil)
        ledger.markStated(1, at: 3)
        expect(ledger.statedFrom, is: 1)
        ledger.markStated(2, at: 4)
        expect(ledger.statedFrom, is: 3)
        expect(ledger.nextToState(before: 5, changing: [], &looks) == nil)
        expect(ledger.statedFrom, is: 3, "not all were looked at")
    }

    @Test func `what could not be stated again for want of space is stated later`() throws {
        var bench = try bench()
        try bench.commit { $0.press(.make("waits", goal: "pullups")) }
        var ring = 0
        while bench.rig.journal.carrying(bench.core.live) == nil {
            try deliver("e\(ring)", &bench)
            try bench.rig.journal.maintain(live: bench.core.live, time: bench.now.wall)
            ring += 1
        }
        let stated = bench.core.live.stated
        let carrying = bench.rig.journal.carrying(bench.core.live)
        let request = try require(carrying)
        var effects = Effects()
        bench.core.carry(request, &effects)
        expect(effects.records.contains { if case .carried = $0.fact { true } else { false } })
        bench.reject()
        expect(bench.core.live.stated, is: stated)
        try bench.maintain()
        expect(bench.core.live.stated > stated)
    }

    @Test func `the same state is read from a statement as from the records before it`() throws {
        let disk = SimulatedDisk()
        var bench = try bench(disk)
        for id in ["a", "b", "c"] {
            try bench.commit { $0.press(.make(id, goal: "pullups")) }
            try bench.commit { $0.deliver($0.number(id), .refused(status: 422, why: "no")) }
        }
        try bench.commit { $0.retry("c", to: "water") }
        func entries() throws -> [Recovered.Entry] {
            try Recovery.replay(disk).entries.filter { $0.event.goal == .known("pullups") }
                .map { entry in
                    var entry = entry
                    entry.statedAt = 0
                    return entry
                }
        }
        let before = try entries()
        for index in 0..<40 {
            try deliver("e\(index)", &bench)
            try bench.maintain()
        }
        expect(!disk.names(.journal).contains("00000001.jnl"))
        try expect(entries(), is: before)
    }
}

import Testing

@testable import BeemedDomain

/// An event that the relay forgets is in the history, or is still read from memory.
@Suite struct UnarchivedTests {
    private static let created = Outcome.delivered(.created, datapoint: "d")
    private static let time = UnixTime(1_760_000_000)

    /// Limits of a journal that rotates after a few events.
    private static var limits: Journal.Limits {
        var limits = Journal.Limits.small
        limits.segmentBytes = 4_000
        limits.rememberedEvents = 3
        return limits
    }

    private func forgetful() throws -> CoreBench {
        var bench = try CoreBench(
            token: .unknown, remembered: 3, limits: UnarchivedTests.limits)
        bench.learn()
        return bench
    }

    private func deliver(_ id: String, _ bench: inout CoreBench) throws {
        bench.press(.make(id))
        try bench.commit()
        let number = try #require(bench.sent.last?.number)
        bench.deliver(number, UnarchivedTests.created)
        try bench.commit()
    }

    /// The ids of what an export finds in memory.
    private func held(_ bench: CoreBench, _ filter: RelayCore.Filter? = nil) -> [String] {
        var all = RelayCore.Filter()
        all.includesForgotten = true
        return bench.core.events(filter ?? all, before: nil, limit: 10_000).events
            .map(\.event.key.id.description)
    }

    /// The ids of what an export finds.
    private func exported(_ bench: CoreBench) throws -> Set<String> {
        Set(held(bench)).union(try bench.rig.disk.pastIDs)
    }

    /// Rotates if it is time, and does the compaction that follows.
    ///
    /// - Parameter check: is called after each slice.
    private func maintain(
        _ bench: inout CoreBench, _ check: (CoreBench) throws -> Void = { _ in }
    ) throws {
        try bench.rig.journal.rotateIfNeeded(live: bench.core.live, time: UnarchivedTests.time)
        if bench.rig.journal.wantsKnownEvents {
            bench.rig.journal.compact(keeping: bench.core.knownNumbers)
        }
        while bench.rig.journal.isCompacting {
            try bench.rig.journal.compactSome()
            if let next = bench.rig.journal.takeCompaction() {
                bench.core.journalDidCompact(before: next)
            }
            try check(bench)
        }
    }

    @Test func `an export has every event at any time`() throws {
        var bench = try forgetful()
        var ids: Set<String> = []
        var most = 0
        for index in 0..<100 {
            try deliver("e\(index)", &bench)
            ids.insert("e\(index)")
            #expect(try exported(bench) == ids)
            try maintain(&bench) { bench in
                let found = try exported(bench)
                #expect(found == ids)
            }
            most = max(most, held(bench).count)
        }
        #expect(try bench.rig.disk.pastIDs.count > 60)
        // As many as there are between two rotations.
        #expect(most < 25)
        #expect(held(bench, RelayCore.Filter()) == ["e99", "e98", "e97"])
        bench.rig.disk.crash(seed: 7)
        let again = try JournalRig(bench.rig.disk, limits: UnarchivedTests.limits)
        #expect(Set(again.recovered.ids).union(try bench.rig.disk.pastIDs) == ids)
    }

    @Test func `what is forgotten while a compaction goes on waits for the next one`() throws {
        var bench = try forgetful()
        var ids: Set<String> = []
        while !bench.rig.journal.wantsKnownEvents {
            try deliver("e\(ids.count)", &bench)
            ids.insert("e\(ids.count)")
            try bench.rig.journal.rotateIfNeeded(
                live: bench.core.live, time: UnarchivedTests.time)
        }
        bench.rig.journal.compact(keeping: bench.core.knownNumbers)
        while bench.rig.journal.isCompacting {
            try bench.rig.journal.compactSome()
            try deliver("e\(ids.count)", &bench)
            ids.insert("e\(ids.count)")
            if let next = bench.rig.journal.takeCompaction() {
                bench.core.journalDidCompact(before: next)
            }
            #expect(try exported(bench) == ids)
        }
        #expect(bench.core.live.unarchived > 3)
        #expect(try !bench.rig.disk.pastIDs.isEmpty)
    }

    @Test func `no command finds a forgotten event`() throws {
        var bench = try forgetful()
        for id in ["a", "b", "c", "d"] { try deliver(id, &bench) }
        #expect(held(bench) == ["d", "c", "b", "a"])
        #expect(held(bench, RelayCore.Filter()) == ["d", "c", "b"])
        #expect(bench.view("a") == nil)
        let reply = bench.undo("a")
        guard case .refused(.unknownEvent)? = bench.replies[reply] else {
            Issue.record("\(String(describing: bench.replies[reply]))")
            return
        }
    }

    /// A cluster's start archives nothing, and neither does one on a full disk.
    @Test func `what a start has forgotten is read from memory until a compaction`() throws {
        let rig = try JournalRig(limits: UnarchivedTests.limits)
        var recovered = rig.recovered
        recovered.forgotten = ["a", "b"].enumerated().map { index, id in
            Recovered.Entry(
                number: SequenceNumber(UInt64(index + 1)), event: .make(id),
                recorded: RecordedState())
        }
        recovered.next = SequenceNumber(3)
        let core = RelayCore(recovered, under: rig.receipt, boot: "b00t", seed: 1, remembered: 3)
        var all = RelayCore.Filter()
        all.includesForgotten = true
        func ids(_ core: RelayCore) -> [String] {
            core.events(all, before: nil, limit: 10).events.map(\.event.key.id.description)
        }
        #expect(ids(core) == ["b", "a"])
        #expect(core.live.unarchived == 2)
        core.journalDidCompact(before: SequenceNumber(3))
        #expect(ids(core) == ["b", "a"])
        core.journalDidCompact(before: SequenceNumber(4))
        #expect(ids(core).isEmpty)
    }

    @Test func `a start that cannot rewrite keeps what it forgets, and any other one archives it`()
        throws
    {
        var bench = try forgetful()
        for id in ["a", "b", "c", "d", "e"] { try deliver(id, &bench) }
        let full = bench.rig.disk.copy()
        full.setFree(0)
        let obstructed = try JournalRig(full, limits: UnarchivedTests.limits).recovered
        #expect(obstructed.forgotten.map(\.event.key.id.description) == ["a", "b"])
        let free = try JournalRig(bench.rig.disk, limits: UnarchivedTests.limits).recovered
        #expect(free.forgotten.isEmpty)
        #expect(try Set(bench.rig.disk.pastIDs) == ["a", "b"])
    }

    @Test func `they are dropped where no compaction comes to its end`() {
        var unarchived = Unarchived()
        let event = Event.make(comment: String(repeating: "c", count: 1 << 20))
        for number in 1...100 as ClosedRange<UInt64> {
            unarchived.add(
                Recovered.Entry(
                    number: SequenceNumber(number), event: event, recorded: RecordedState()),
                before: SequenceNumber(number + 1))
        }
        #expect(unarchived.count == 48)
        unarchived.remove(before: 40)
        #expect(unarchived.count == 10)
        #expect(unarchived[39] != nil)
        #expect(unarchived[38] == nil)
    }
}

/// Delivered events that the journal no longer holds are in the history, each once, whatever fails.
import Foundation
import Testing

@testable import BeemedDomain

@Suite struct HistoryTests {
    /// Limits of a journal that forgets soon.
    private static var forgetful: Journal.Limits {
        var limits = Journal.Limits.small
        limits.rememberedEvents = 3
        limits.historySeconds = 1_000
        return limits
    }

    /// Delivered events of those names, one record after the other.
    private func deliver(_ rig: inout JournalRig, _ ids: [String]) throws(CommitFailure) {
        for id in ids {
            let number = rig.next
            try rig.commit(.put(.make(id)))
            try rig.commit(.done(of: number, how: .created, datapoint: "d\(id)"))
        }
    }

    /// Every line of every file of a folder, in no order.
    private func lines(_ disk: SimulatedDisk, _ folder: StoredFile.Folder) -> Set<[UInt8]> {
        Set(
            disk.names(folder).flatMap { name in
                disk.bytes(StoredFile(folder, name))?.split(separator: 0x0A).map(Array.init) ?? []
            })
    }

    private func facts(_ lines: Set<[UInt8]>) -> Set<[UInt8]> {
        lines.filter { line in
            ["put", "done", "refused"].contains { line.starts(with: "{\"t\":\"\($0)\"".utf8) }
        }
    }

    @Test func `takes what the journal forgets, line for line`() throws {
        var rig = try JournalRig(limits: .plain)
        try rig.put("waiting")
        try deliver(&rig, ["a", "b", "c", "d", "e"])
        let before = facts(lines(rig.disk, .journal))
        try rig.reopen(limits: HistoryTests.forgetful)
        #expect(rig.recovered.ids == ["waiting", "c", "d", "e"])
        #expect(try rig.disk.pastIDs == ["b", "a"])
        rig.disk.remove(.segment(1))  // It stays for copies until the next rewrite.
        let (journal, history) = (lines(rig.disk, .journal), lines(rig.disk, .history))
        #expect(facts(journal).union(facts(history)) == before)
        #expect(facts(journal).isDisjoint(with: facts(history)))
        #expect(rig.disk.names(.history) == ["00000002-000.jnl"])
    }

    @Test func `a line that has lost its event goes there, too`() throws {
        var lines = Lines.segment(events: 2)
        var writer = LineWriter()
        writer.write(Record(3, .done(of: 77, how: .created, datapoint: nil)))
        lines.add(Array(writer.bytes.dropLast(10)))
        let rig = try JournalRig(lines.disk())
        #expect(self.lines(rig.disk, .history).contains(Array(writer.bytes.dropLast())))
        #expect(try rig.disk.pastIDs.isEmpty)
    }

    @Test func `is for nobody else's eyes, on a real disk`() throws {
        let path = TestProcess.folder + "beemed-history-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try DataFolder(path: path, note: "test")
        let disk = try SystemDisk(dataFolder: folder.path)
        let file = StoredFile(.journal, SegmentName.live(1))
        var lines = Lines.segment(events: 0)
        for number in 1...5 {
            lines.addPut(number)
            lines.add("{\"t\":\"done\",\"q\":\(number + 5),\"of\":\(number),\"how\":\"created\"}")
        }
        let number = try disk.create(file, "test.create")
        try disk.writeAll(lines.bytes, to: number, "test.append")
        disk.close(number)
        _ = try Journal.open(
            disk, store: "5704e", time: UnixTime(0), limits: HistoryTests.forgetful)
        var ids: [String] = []
        try History(disk).newestFirst {
            ids.append($0.event.key.id.description)
            return ids.count < 2
        }
        #expect(ids == ["e2", "e1"])
        var status = stat()
        #expect(unsafe stat("\(path)/history/00000002-000.jnl", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(unsafe stat("\(path)/history", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func `a start and a batch do not touch it, however long it is`() throws {
        var calls: [Int] = []
        for files in [0, 50] {
            let disk = SimulatedDisk()
            let bytes = Lines.segment(events: 3).bytes
            for number in 0..<files {
                disk.put(
                    StoredFile(.history, ArchiveFileName(segment: 0, part: number).live), bytes)
            }
            let first = disk.calls
            var rig = try JournalRig(disk)
            try rig.put("a")
            calls.append(disk.calls - first)
        }
        #expect(calls[0] == calls[1])
    }

    @Test func `compaction hands over as well as a start does`() throws {
        var rig = try JournalRig(limits: HistoryTests.forgetful)
        try deliver(&rig, (0..<12).map { "e\($0)" })
        try rig.rotate(events: 1)
        #expect(try rig.disk.pastIDs == (0..<9).reversed().map { "e\($0)" })
        try rig.reopen(limits: HistoryTests.forgetful)
        #expect(rig.recovered.ids == ["e9", "e10", "e11"])
    }

    @Test func `many events make several files, each complete in itself`() throws {
        var past = ArchiveBuilder()
        for number in 1...60_000 as ClosedRange<UInt64> {
            past.expect(SequenceNumber(number), bytes: Event.make().lineBytes)
        }
        for number in (1...60_000 as ClosedRange<UInt64>).reversed() {
            for line in 0..<2 {
                let start = Int(number) * 200 + line * 100
                past.keep(
                    Recovered.Place(segment: 1, range: start..<(start + 100)),
                    of: SequenceNumber(number))
            }
        }
        #expect(past.files.count > 2)
        #expect(past.files.reduce(0) { $0 + $1.count } == 120_000)
        for file in past.files {
            let numbers = file.places.map { $0.range.lowerBound / 200 }
            #expect(file.count == 2 * Set(numbers).count)
        }
    }

    @Test func `a rotation that does not compact leaves no half history behind`() throws {
        var rig = try JournalRig(limits: HistoryTests.forgetful)
        try deliver(&rig, (0..<12).map { "e\($0)" })
        rig.disk.fail("publish.append", 28, times: 2)
        try rig.rotate(events: 1)
        #expect(try rig.disk.pastIDs.isEmpty)
        try deliver(&rig, (12..<24).map { "e\($0)" })
        try rig.rotate(events: 100)
        #expect(try rig.disk.pastIDs.isEmpty)
        #expect(rig.disk.names(.history).isEmpty)
        try rig.reopen(limits: HistoryTests.forgetful)
        #expect(try rig.disk.pastIDs == (0..<21).reversed().map { "e\($0)" })
    }

    @Test(arguments: [nil, 2])
    func `outlives the segments, lost or from a backup`(_ backup: Int?) throws {
        var rig = try JournalRig(limits: HistoryTests.forgetful)
        let old = try #require(rig.disk.bytes(.segment(1)))
        for round in 0..<4 {
            try deliver(&rig, (0..<4).map { "r\(round)-\($0)" })
            try rig.reopen(limits: HistoryTests.forgetful)
        }
        let before = try rig.disk.pastIDs
        #expect(before.count == 13)
        for name in rig.disk.names(.journal) { rig.disk.remove(StoredFile(.journal, name)) }
        if let backup { rig.disk.put(.segment(backup), old) }
        for _ in 0..<3 { try rig.reopen(limits: HistoryTests.forgetful) }
        #expect(try rig.disk.pastIDs == before)
        try deliver(&rig, ["a", "b", "c", "d"])
        try rig.reopen(limits: HistoryTests.forgetful)
        #expect(try rig.disk.pastIDs == ["a"] + before)
        #expect(!rig.recovered.recoveryReport.isDamage)
    }

    @Test func `old files go, one for each that comes`() throws {
        let disk = SimulatedDisk()
        for round in 0..<6 as Range<Int64> {
            var (journal, found, _) = try Journal.open(
                disk, store: "5704e", time: UnixTime(1_760_000_000 + round * 400),
                limits: HistoryTests.forgetful)
            let first = found.next
            let events = (0..<4 as Range<UInt64>).flatMap { index -> [Record] in
                let number = SequenceNumber(first.value + 2 * index)
                return [
                    Record(number, .put(.make("r\(round)-\(index)"))),
                    Record(number.next, .done(of: number, how: .created, datapoint: nil)),
                ]
            }
            var rest = events[...]
            while !rest.isEmpty {
                let receipt = try journal.commitAndMark(rest, live: LiveSize(events: 1, bytes: 0))
                rest = receipt.rest(of: rest)
            }
            disk.kill()
        }
        // Written at rounds 1 to 5; at round 4 that of round 1 was 1,200 s old.
        #expect(disk.names(.history).map { $0.prefix(8) } == ["00000004", "00000005", "00000006"])
        // A clock that is years ahead, and nothing to hand over: nothing goes.
        var limits = HistoryTests.forgetful
        limits.rememberedEvents = 100
        _ = try Journal.open(disk, store: "5704e", time: UnixTime(9_000_000_000), limits: limits)
        #expect(disk.names(.history).count == 3)
    }

    // MARK: Trouble

    /// What the world was promised of a life in which the journal forgets.
    private struct World {
        var promised: [String] = []
        var offered: Set<String> = []
    }

    private func live(_ disk: SimulatedDisk) -> World {
        var world = World()
        for round in 0..<2 {
            guard var rig = try? JournalRig(disk, limits: HistoryTests.forgetful) else {
                return world
            }
            for event in 0..<5 {
                let id = "r\(round)e\(event)"
                world.offered.insert(id)
                guard (try? rig.commit(.put(.make(id)))) != nil else { return world }
                world.promised.append(id)
                let number = SequenceNumber(rig.next.value - 1)
                guard event != 2 else { continue }
                let done = Record.Fact.done(of: number, how: .created, datapoint: nil)
                guard (try? rig.commit(done)) != nil else { return world }
            }
            guard (try? rig.rotate(events: 1)) != nil else { return world }
            guard !disk.isOff else { return world }
            disk.kill()
        }
        return world
    }

    private func check(_ disk: SimulatedDisk, _ world: World, _ note: Comment) throws {
        let rig = try JournalRig(disk, limits: HistoryTests.forgetful)
        let past = try disk.pastIDs
        let all = rig.recovered.ids + past
        #expect(Set(all).count == all.count, note)
        #expect(Set(all).isSuperset(of: world.promised), note)
        #expect(world.offered.isSuperset(of: all), note)
        #expect(!rig.recovered.recoveryReport.isDamage, note)
        for name in try History(disk).files() {
            let found = try History(disk).read(name)
            #expect(!found.recoveryReport.isDamage, note)
        }
    }

    @Test func `nothing is lost or doubled at any power cut`() throws {
        let whole = SimulatedDisk()
        #expect(live(whole).promised.count == 10)
        #expect(try whole.pastIDs.count == 5)
        for call in 1...whole.calls {
            for seed in 0..<2 as Range<UInt64> {
                let disk = SimulatedDisk()
                disk.cutPower(atCall: call, after: seed % 2 == 0)
                let world = live(disk)
                disk.crash(seed: seed &* 7_919 &+ UInt64(call), garbage: false)
                try check(disk, world, "call \(call), seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        "history.list", "history.create", "history.append", "history.size", "history.sync",
        "history.rename", "history.verify", "history.folder", "history.unlink", "history.remove",
        "publish.create", "publish.sync", "publish.rename", "publish.folder",
    ])
    func `nothing is lost or doubled when a call fails`(_ site: String) throws {
        for code in [5, 28, 30] as [Int32] {
            for after in 0..<5 {
                for isCut in [false, true] {
                    let disk = SimulatedDisk()
                    disk.fail(site, code, after: after)
                    let world = live(disk)
                    disk.healFaults()
                    isCut ? disk.crash(seed: UInt64(after), garbage: false) : disk.kill()
                    try check(disk, world, "\(site) fails with \(code) after \(after)")
                }
            }
        }
    }

    @Test func `a lying write to it is seen before the journal lets go`() throws {
        var rig = try JournalRig(limits: .plain)
        try deliver(&rig, ["a", "b", "c", "d", "e"])
        rig.disk.kill()
        rig.disk.lie(at: "history.append")
        #expect(throws: JournalOpenError.self) {
            try JournalRig(rig.disk, limits: HistoryTests.forgetful)
        }
        rig.disk.kill()
        let again = try JournalRig(rig.disk, limits: HistoryTests.forgetful)
        #expect(Set(again.recovered.ids + (try rig.disk.pastIDs)) == ["a", "b", "c", "d", "e"])
    }

    @Test func `verify tells of it, and of damage in it`() throws {
        var rig = try JournalRig(limits: .plain)
        try deliver(&rig, ["a", "b", "c", "d", "e"])
        let before = Journal.inspect(rig.disk, limits: HistoryTests.forgetful)
        #expect(before.sentences.contains("it would hand 2 older events to the history"))
        try rig.reopen(limits: HistoryTests.forgetful)
        let healthy = Journal.inspect(rig.disk)
        #expect(!healthy.isAlarm)
        #expect(healthy.pastEvents == 2)
        #expect(healthy.sentences.contains { $0.hasPrefix("2 older events are in the history") })
        let file = StoredFile(.history, "00000002-000.jnl")
        var bytes = try #require(rig.disk.bytes(file))
        bytes[150] ^= 1  // In the first line after the opening.
        rig.disk.put(file, bytes)
        let damaged = Journal.inspect(rig.disk)
        #expect(damaged.isAlarm)
        #expect(damaged.sentences.contains { $0.contains("history/00000002-000.jnl") })
        // The other lines of the file are still of use.
        #expect(try rig.disk.pastIDs == ["b"])
    }

    @Test(arguments: ["1-0.jnl", "00000001-00.jnl", "00000001-000.tmp", "00000001.jnl", "-000.jnl"])
    func `a name that is none`(_ name: String) {
        #expect(ArchiveFileName(name) == nil)
    }

    @Test func `names are in order, also beyond a thousand parts`() {
        let names = [
            ArchiveFileName(segment: 9, part: 1_200), ArchiveFileName(segment: 9, part: 7),
        ]
        #expect(names.sorted().map(\.live) == ["00000009-007.jnl", "00000009-1200.jnl"])
        #expect(ArchiveFileName("00000009-1200.jnl") == names[0])
    }
}

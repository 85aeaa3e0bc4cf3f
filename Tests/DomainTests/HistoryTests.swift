/// Delivered events that the journal no longer holds are in the history, each once, whatever fails.
import Foundation
import Testing

@testable import BeemedDomain

struct HistoryTests {
    /// Limits of a journal that forgets soon.
    private static var forgetful: Journal.Limits {
        var limits = Journal.Limits.small
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

    /// A life of delivered events, with as many retirements.
    private func old(_ rounds: Int = 6) throws -> JournalRig {
        var rig = try JournalRig(limits: HistoryTests.forgetful, remembered: 3)
        for round in 0..<rounds {
            try deliver(&rig, (0..<4).map { "r\(round)-\($0)" })
            try rig.rotate(events: 1)
        }
        return rig
    }

    @Test func `has the segments as they were`() throws {
        var rig = try JournalRig(limits: HistoryTests.forgetful, remembered: 3)
        try rig.put("waiting")
        var written: [String: [UInt8]] = [:]
        for round in 0..<6 {
            try deliver(&rig, (0..<4).map { "r\(round)-\($0)" })
            for name in rig.disk.journalNames {
                written[name] = rig.disk.bytes(StoredFile(.journal, name))
            }
            try rig.rotate(events: 1)
        }
        let names = rig.disk.names(.history)
        expect(names.count > 3)
        for name in names.dropLast(2) {
            let bytes = try require(rig.disk.bytes(StoredFile(.history, name)))
            expect(bytes.starts(with: try require(written[name])))
        }
        try rig.reopen(limits: HistoryTests.forgetful)
        expect(rig.recovered.ids.first, is: "waiting")
        let all = try rig.disk.allIDs
        expect(all.count, is: 25)
        expect(Set(all).count, is: 25)
    }

    @Test func `tells what became of an event in another segment than it was accepted in`() throws {
        var rig = try JournalRig(limits: HistoryTests.forgetful, remembered: 3)
        try rig.put("a", "b", "c")
        try rig.rotate(events: 1)
        try rig.commit(.done(of: 1, how: .created, datapoint: "d1"))
        try rig.commit(.refused(of: 2, status: 422, why: "no"))
        for round in 0..<4 {
            try deliver(&rig, (0..<4).map { "r\(round)-\($0)" })
            try rig.rotate(events: 1)
        }
        try rig.commit(.undo(of: 3), .undone(of: 3))
        var ends: [String: Settlement] = [:]
        try History(rig.disk).newestFirst {
            ends[$0.event.key.id.description] = $0.settlement
            return true
        }
        expect(ends["a"], is: .delivered(.created, datapoint: "d1"))
        expect(ends["b"], is: .refused(status: 422, why: "no"))
        expect(ends["c"], is: .undone)
        expect(ends.count, is: 19)
    }

    @Test func `is for nobody else's eyes, on a real disk`() throws {
        let path = TestProcess.folder + "beemed-history-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try DataFolder(path: path, note: "test")
        let disk = try SystemDisk(dataFolder: folder.path)
        var limits = HistoryTests.forgetful
        limits.segmentBytes = 200
        var (journal, _, _) = try Journal.open(
            disk, store: "5704e", time: UnixTime(0), limits: limits)
        for number in 1...3 as ClosedRange<UInt64> {
            let record = Record(SequenceNumber(number), .put(.make("e\(number)")))
            let live = LiveSize(bytes: 0, stated: record.number)
            _ = try journal.commit([record], live: live)
            while try journal.maintain(live: live, time: UnixTime(0)) {}
        }
        var ids: [String] = []
        try History(disk).newestFirst {
            ids.append($0.event.key.id.description)
            return ids.count < 2
        }
        expect(ids, is: ["e3", "e2"])
        var status = stat()
        expect(unsafe stat("\(path)/history/00000001.jnl", &status), is: 0)
        expect(status.st_mode & 0o777, is: 0o600)
        expect(unsafe stat("\(path)/history", &status), is: 0)
        expect(status.st_mode & 0o777, is: 0o700)
    }

    @Test func `a start and a batch do not touch it, however long it is`() throws {
        var calls: [Int] = []
        for files in [0, 50] {
            let disk = SimulatedDisk()
            let bytes = Lines.segment(events: 3).bytes
            for number in 0..<files {
                disk.put(StoredFile(.history, SegmentName.live(number + 1)), bytes)
            }
            disk.put(.segment(99), Lines.segment(99, events: 3).bytes)
            let first = disk.calls
            var rig = try JournalRig(disk)
            try rig.put("a")
            calls.append(disk.calls - first)
        }
        expect(calls[0], is: calls[1])
    }

    @Test func `outlives the segments, lost or from a backup`() throws {
        for isRestored in [false, true] {
            var rig = try JournalRig(limits: HistoryTests.forgetful, remembered: 3)
            try deliver(&rig, ["first"])
            let old = try require(rig.disk.bytes(.segment(1)))
            for round in 0..<6 {
                try deliver(&rig, (0..<4).map { "r\(round)-\($0)" })
                try rig.rotate(events: 1)
            }
            let before = rig.disk.names(.history)
            expect(before.count > 3)
            for name in rig.disk.names(.journal) { rig.disk.remove(StoredFile(.journal, name)) }
            if isRestored { rig.disk.put(.segment(1), old) }
            for _ in 0..<3 { try rig.reopen(limits: HistoryTests.forgetful) }
            expect(rig.disk.names(.history), is: before)
            expect(!rig.recovered.recoveryReport.isDamage)
            try deliver(&rig, ["a", "b", "c", "d"])
            try rig.rotate(events: 1)
            try rig.reopen(limits: HistoryTests.forgetful)
            expect(Array(rig.disk.names(.history).prefix(before.count)), is: before)
            try expect(Set(rig.disk.allIDs).isSuperset(of: ["first", "r0-0", "a", "d"]))
        }
    }

    @Test func `old files go, one for each that comes`() throws {
        let disk = SimulatedDisk()
        var limits = HistoryTests.forgetful
        limits.segmentBytes = 200
        var (journal, _, _) = try Journal.open(
            disk, store: "5704e", time: UnixTime(1_760_000_000), limits: limits)
        func write(_ number: UInt64, _ time: Int64) throws {
            let record = Record(SequenceNumber(number), .put(.make("e\(number)")))
            let live = LiveSize(bytes: 0, stated: record.number)
            _ = try journal.commit([record], live: live)
            while try journal.maintain(live: live, time: UnixTime(time)) {}
        }
        for number in 1...6 as ClosedRange<UInt64> {
            try write(number, 1_760_000_000 + 400 * Int64(number))
        }
        // A file's end is the next one's beginning, and it is kept for 1,000 s after that.
        expect(disk.names(.history).first, is: "00000004.jnl")
        let count = disk.names(.history).count
        // A clock that is years ahead: as many go as come.
        try write(7, 9_000_000_000)
        expect(disk.names(.history).count, is: count)
    }

    // MARK: Trouble

    /// The events that were promised and offered in a life in which the journal forgets.
    private struct World {
        var promised: [String] = []
        var offered: Set<String> = []
    }

    private func live(_ disk: SimulatedDisk) -> World {
        var world = World()
        for round in 0..<2 {
            guard var rig = try? JournalRig(disk, limits: HistoryTests.forgetful, remembered: 3)
            else {
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
        let rig = try JournalRig(disk, limits: HistoryTests.forgetful, remembered: 3)
        let all = try disk.allIDs
        expect(Set(all).count, is: all.count, note)
        expect(Set(all).isSuperset(of: rig.recovered.ids), note)
        expect(Set(all).isSuperset(of: world.promised), note)
        expect(world.offered.isSuperset(of: all), note)
        expect(!rig.recovered.recoveryReport.isDamage, note)
        expect(!Journal.inspect(disk).isAlarm || !rig.recovered.recoveryReport.isAlarm, note)
    }

    @Test func `nothing is lost or doubled at any power cut`() throws {
        let whole = SimulatedDisk()
        expect(live(whole).promised.count, is: 10)
        expect(!whole.names(.history).isEmpty)
        for call in Thorough.places(whole.calls) {
            for seed in Thorough.seeds(2, at: call) {
                let disk = SimulatedDisk()
                disk.cutPower(atCall: call, after: seed % 2 == 0)
                let world = live(disk)
                disk.crash(seed: seed &* 7_919 &+ UInt64(call), garbage: false)
                try check(disk, world, "call \(call), seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        "history.list", "retire.link", "retire.folder", "retire.unlink", "retire.unlink.sync",
        "history.remove", "publish.create", "publish.sync", "publish.rename", "publish.folder",
    ])
    func `nothing is lost or doubled when a call fails`(_ site: String) throws {
        // Sites have no numbers here; the length of the name is as good.
        for (code, after) in Thorough.faults(ofSite: site.utf8.count) {
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

    @Test func `verify tells of it, and of damage in it`() throws {
        let rig = try old()
        let healthy = Journal.inspect(rig.disk, limits: HistoryTests.forgetful)
        expect(!healthy.isAlarm)
        expect(healthy.pastEvents, is: 21)
        expect(healthy.sentences.contains { $0.hasPrefix("21 older events are settled") })
        let file = StoredFile(.history, "00000001.jnl")
        var bytes = try require(rig.disk.bytes(file))
        bytes[150] ^= 1  // In the first line after the opening.
        rig.disk.put(file, bytes)
        let damaged = Journal.inspect(rig.disk)
        expect(damaged.isAlarm)
        expect(damaged.sentences.contains { $0.contains("history/00000001.jnl") })
        // The other lines of the file are still of use.
        try expect(rig.disk.allIDs.count, is: 23)
    }
}

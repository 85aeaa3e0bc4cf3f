import Synchronization
import Testing

@testable import BeemedDomain

/// The power fails at every disk call of everything that a journal does.
struct CrashTests {
    /// Without room ahead of the lines, and with it.
    enum Writing: CaseIterable {
        case appending, intoRoom

        var limits: Journal.Limits { self == .appending ? .small : .smallWithRoom }
    }

    /// The events that a journal was offered, and those that it promised, rejected and settled.
    private struct World {
        var promised: [String] = []
        var offered: Set<String> = []
        /// Events that the journal has reported as not kept.
        var rejected: Set<String> = []
        var settled: Set<String> = []
        var numbers: [String: SequenceNumber] = [:]
        var isUnknown = false

        mutating func put(_ rig: inout JournalRig, _ ids: String...) {
            guard !isUnknown else { return }
            offered.formUnion(ids)
            let first = rig.next
            for (index, id) in ids.enumerated() {
                numbers[id] = SequenceNumber(first.value + UInt64(index))
            }
            defer { promised += ids.prefix(Int(rig.next.value - first.value)) }
            do throws(CommitFailure) {
                try rig.commit(ids.map { .put(.make($0)) })
            } catch {
                guard case .full = error else { return isUnknown = true }
                rejected.formUnion(ids.dropFirst(Int(rig.next.value - first.value)))
            }
        }

        mutating func done(_ rig: inout JournalRig, _ id: String) {
            guard !isUnknown, promised.contains(id), let number = numbers[id] else { return }
            settled.insert(id)
            attempt { () throws(CommitFailure) in
                try rig.commit(.done(of: number, how: .created, datapoint: nil))
            }
        }

        mutating func attempt(_ body: () throws(CommitFailure) -> Void) {
            guard !isUnknown else { return }
            do throws(CommitFailure) { try body() } catch {
                if case .unknown = error { isUnknown = true }
            }
        }
    }

    /// A life: starts, batches, a full disk, rotation, retirement, a clean end and another start.
    private func live(_ disk: SimulatedDisk, _ limits: Journal.Limits) -> World {
        var world = World()
        guard var rig = try? JournalRig(disk, limits: limits) else { return world }
        world.put(&rig, "a", "b")
        world.put(&rig, "c")
        world.done(&rig, "a")
        if !world.isUnknown {
            let capacity = disk.with { $0.capacity }
            disk.setFree(2_050)
            disk.fail("commit.append", 28)
            world.put(&rig, "cx", "cy")
            disk.healFaults()
            disk.with { $0.capacity = capacity }
        }
        world.put(&rig, "d")
        world.put(&rig, "e", "f", "g", "h")
        world.attempt { () throws(CommitFailure) in try rig.rotate() }
        world.put(&rig, "i", "j", "k", "l")
        for id in ["b", "c"] { world.done(&rig, id) }
        world.attempt { () throws(CommitFailure) in try rig.rotate(events: 1) }
        world.put(&rig, "m")
        world.attempt { () throws(CommitFailure) in try rig.journal.close() }
        guard !world.isUnknown, !disk.isOff else { return world }
        disk.kill()
        guard var rig = try? JournalRig(disk, limits: limits) else { return world }
        world.put(&rig, "n")
        return world
    }

    private func check(
        _ recovered: Recovered, _ world: World, isWild: Bool, _ note: Comment
    ) {
        let ids = recovered.ids
        expect(Set(ids).isSuperset(of: world.promised), note)
        expect(world.offered.subtracting(world.rejected).isSuperset(of: ids), note)
        expect(Set(ids).count, is: ids.count, note)
        expect(ids, is: ids.sorted(), note)
        let pending = Set(world.promised).subtracting(world.settled)
        expect(Set(recovered.pendingIDs).isSuperset(of: pending), note)
        // Only garbage can look like damage, when a good line of the same batch follows it.
        if !isWild { expect(!recovered.recoveryReport.isAlarm, note) }
    }

    private func callsOfALife(_ limits: Journal.Limits) -> Int {
        let disk = SimulatedDisk()
        _ = live(disk, limits)
        return disk.calls
    }

    @Test(arguments: Writing.allCases)
    func `does everything that it can do in one life`(_ writing: Writing) {
        let disk = SimulatedDisk()
        let preallocated = Mutex(0)
        disk.with { state in
            state.before = { call in
                if call == "preallocate.append" { preallocated.withLock { $0 += 1 } }
            }
        }
        let world = live(disk, writing.limits)
        expect(preallocated.withLock { $0 } >= (writing == .intoRoom ? 2 : 0))
        expect(!world.isUnknown)
        expect(world.promised.count, is: 14)
        expect(world.rejected, is: ["cx", "cy"])
        expect(!disk.names(.history).isEmpty)
        expect(disk.journalNames.count >= 3)
    }

    @Test(arguments: [false, true], Writing.allCases)
    func `keeps its promises at any power cut`(_ isWild: Bool, _ writing: Writing) throws {
        for call in Thorough.places(callsOfALife(writing.limits)) {
            for seed in Thorough.seeds(6, at: call) {
                let disk = SimulatedDisk()
                disk.cutPower(atCall: call, after: seed % 2 == 0)
                let world = live(disk, writing.limits)
                disk.healFaults()
                disk.crash(seed: seed &* 7_919 &+ UInt64(call), garbage: isWild)
                let rig = try JournalRig(disk, limits: writing.limits)
                check(rig.recovered, world, isWild: isWild, "call \(call), seed \(seed)")
            }
        }
    }

    @Test(arguments: Writing.allCases)
    func `keeps its promises when the power fails twice in a row`(_ writing: Writing) throws {
        let limits = writing.limits
        for call in Thorough.places(callsOfALife(limits)) {
            let first = SimulatedDisk()
            first.cutPower(atCall: call, after: call % 2 == 0)
            let world = live(first, limits)
            first.healFaults()
            first.crash(seed: UInt64(call))
            for second in 1...100 where Thorough.isOn || (call + second) % 12 == 0 {
                let disk = first.copy()
                disk.cutPower(atCall: second, after: second % 2 == 1)
                let rig = try? JournalRig(disk, limits: limits)
                let isWhole = rig != nil && !disk.isOff
                disk.crash(seed: UInt64(second))
                let again = try JournalRig(disk, limits: limits)
                check(again.recovered, world, isWild: true, "call \(call), then \(second)")
                if isWhole { break }
            }
        }
    }

    @Test(arguments: Writing.allCases)
    func `keeps its promises when any call fails once, and then the power`(
        _ writing: Writing
    ) throws {
        let sites = [
            "recover.list", "recover.read", "open.list", "publish.create", "publish.append",
            "publish.size", "publish.sync", "publish.rename", "publish.folder", "publish.verify",
            "retire.link", "retire.folder", "retire.unlink", "retire.unlink.sync", "reserve.create",
            "reserve.append", "reserve.sync", "commit.free", "commit.append", "commit.size",
            "commit.sync", "commit.truncate", "commit.truncate.sync", "commit.compare",
            "preallocate.append", "preallocate.truncate", "rotate.list",
        ]
        for (number, site) in sites.enumerated() {
            for (code, after) in Thorough.faults(ofSite: number) {
                let disk = SimulatedDisk()
                disk.fail(site, code, after: after)
                let world = live(disk, writing.limits)
                disk.healFaults()
                disk.crash(seed: UInt64(after))
                let rig = try JournalRig(disk, limits: writing.limits)
                let note: Comment = "\(site) fails with \(code) after \(after)"
                check(rig.recovered, world, isWild: true, note)
            }
        }
    }

    @Test func `keeps its promises when quarantine is interrupted`() throws {
        var bytes = Lines.segment(events: 4).bytes
        bytes[Lines.segment(events: 4).starts[2] + 20] ^= 1
        for call in 1...40 {
            for seed in Thorough.seeds(4, at: call) {
                let disk = SimulatedDisk()
                disk.put(.segment(1), bytes)
                disk.cutPower(atCall: call, after: seed % 2 == 0)
                _ = try? JournalRig(disk, limits: .small)
                let isWhole = !disk.isOff
                disk.crash(seed: seed)
                let rig = try JournalRig(disk, limits: .small)
                expect(rig.recovered.ids, is: ["e1", "e3", "e4"])
                // The damaged line is there, whole, at least once.
                let line = bytes[Lines.segment(events: 4).starts[2]...].prefix { $0 != 0x0A }
                let copies = disk.names(.quarantine).compactMap {
                    disk.bytes(StoredFile(.quarantine, $0))
                }
                expect(copies.contains { $0.starts(with: line) }, "call \(call), seed \(seed)")
                if isWhole { break }
            }
        }
    }

    /// The proof that this rig sees a lie: a disk whose syncs do nothing must be seen to lose.
    @Test func `sees a disk lose that only says it syncs`() throws {
        var lost = 0
        for seed in 0..<20 as Range<UInt64> {
            let disk = SimulatedDisk()
            disk.with { $0.isHonest = false }
            let world = live(disk, .small)
            disk.crash(seed: seed)
            let ids = (try? JournalRig(disk, limits: .small).recovered.ids) ?? []
            if !Set(ids).isSuperset(of: world.promised) { lost += 1 }
        }
        expect(lost > 10)
    }
}

import Foundation
import Testing

@testable import BeemedDomain

/// A small disk that delivered events have filled: what is past makes room for presses.
struct RoomForPressesTests {
    private var limits: Journal.Limits {
        var limits = Journal.Limits.plain
        limits.segmentBytes = 8_000
        limits.freeBytes = 20_000
        return limits
    }

    /// Presses one after the other, each delivered, and what the relay counts meanwhile.
    private struct Household {
        var rig: JournalRig
        var bytes = 0
        var count = 0
        var refusals = 0

        mutating func press() {
            count += 1
            let event = Event.make("p\(count)", comment: String(repeating: "c", count: 60))
            bytes += event.lineBytes
            let live = LiveSize(bytes: bytes)
            let number = rig.next
            let failed = failure { () throws(CommitFailure) in
                try rig.commit([.put(event)], live: live)
                try rig.commit(
                    [.done(of: number, how: .created, datapoint: nil)], live: live)
                if count % 8 == 0 { try rig.rotate() }
            }
            if failed != nil { refusals += 1 }
        }
    }

    @Test func `delivered events keep no presses out, and what waits stays`() throws {
        let disk = SimulatedDisk()
        disk.with { $0.capacity = 80_000 }
        var house = Household(rig: try JournalRig(disk, limits: limits))
        try house.rig.put("waits")
        try house.rig.put("refused")
        try house.rig.commit(.refused(of: 2, status: 422, why: "no"))
        for _ in 0..<400 { house.press() }
        expect(house.refusals, is: 0)
        disk.kill()
        let found = try JournalRig(disk, limits: limits).recovered
        expect(found.pendingIDs, is: ["waits"])
        expect(found.entries.contains { $0.event.key.id.description == "refused" })
        expect(found.entries.last?.event.key.id.description, is: "p400")
        expect(!found.recoveryReport.isDamage, "\(found.recoveryReport.sentences)")
        expect(found.recoveryReport.obstacle == nil)
    }

    /// A household with so many retirements, and so much history.
    private func old(_ rounds: Int) throws -> (Household, Journal.Limits, SimulatedDisk) {
        var limits = limits
        limits.ringBytes = 0
        let disk = SimulatedDisk()
        var house = Household(rig: try JournalRig(disk, limits: limits, remembered: 40))
        for _ in 0..<rounds {
            for _ in 0..<40 { house.press() }
            try house.rig.rotate(events: 1)
        }
        return (house, limits, disk)
    }

    @Test func `the history goes first, the oldest of it, and no more than is needed`() throws {
        let (old, limits, disk) = try old(6)
        var house = old
        let before = disk.names(.history)
        expect(before.count >= 4)
        disk.setFree(limits.scarceBytes - 100)
        house.bytes = 0
        house.press()
        expect(house.refusals, is: 0)
        let after = disk.names(.history)
        expect(!after.isEmpty)
        expect(Array(before.suffix(after.count)), is: after)
        expect(disk.names(.journal).contains(house.rig.journal.segmentName))
    }

    @Test func `nothing is given up where that would not be enough`() throws {
        var (house, limits, disk) = try old(4)
        let before = disk.names(.history)
        limits.freeBytes = 1 << 20
        try house.rig.reopen(limits: limits)
        disk.setFree(10_000)
        house.bytes = 0
        for _ in 0..<5 { house.press() }
        expect(house.refusals, is: 5)
        expect(disk.names(.history), is: before)
    }

    @Test func `a full disk at the start is made room on`() throws {
        var limits = limits
        limits.freeBytes = 0
        limits.ringBytes = 0
        let disk = SimulatedDisk()
        var house = Household(rig: try JournalRig(disk, limits: limits))
        for _ in 0..<100 { house.press() }
        try house.rig.rotate(events: 1)
        try house.rig.put("waits")
        disk.kill()
        disk.setFree(10)
        expect(!disk.names(.history).isEmpty)
        let rig = try JournalRig(disk, limits: limits)
        expect(rig.recovered.recoveryReport.obstacle == nil)
        expect(rig.recovered.pendingIDs, is: ["waits"])
    }
}

extension Journal {
    /// The file that is appended to.
    fileprivate var segmentName: String { (storage as? SegmentLog)?.segment?.name.name ?? "" }
}

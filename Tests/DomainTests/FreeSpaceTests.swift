import Foundation
import Testing

@testable import BeemedDomain

/// A journal on a disk with too little room, or none.
struct FreeSpaceTests {
    @Test func `takes nothing below the free space that others need`() throws {
        var limits = Journal.Limits.plain
        limits.freeBytes = 10_000
        var rig = try JournalRig(limits: limits)
        rig.disk.setFree(9_999)
        let bytes = rig.disk.totalBytes(.journal)
        let failed = failure { () throws(CommitFailure) in try rig.put("a") }
        expect(isFull(failed))
        expect(rig.disk.totalBytes(.journal), is: bytes)
        rig.disk.setFree(10_000)
        try rig.put("a")
    }

    @Test func `writes what became of events as long as there is any room`() throws {
        var limits = Journal.Limits.plain
        limits.freeBytes = 10_000
        var rig = try JournalRig(limits: limits)
        try rig.put("a", "b")
        rig.disk.setFree(500)
        try rig.commit(
            .done(of: 1, how: .created, datapoint: nil), .refused(of: 2, status: 422, why: ""))
        // A mark is to show that there is room for a press.
        expect(isFull(failure { () throws(CommitFailure) in try rig.commit(.mark) }))
        try rig.journal.close()
    }

    @Test func `says at the start that it has room for what is there and not for more`() throws {
        var limits = Journal.Limits.plain
        limits.freeBytes = 10_000
        var rig = try JournalRig(limits: limits)
        try rig.put("a")
        rig.disk.kill()
        rig.disk.setFree(9_000)
        rig = try JournalRig(rig.disk, limits: limits)
        expect(rig.recovered.recoveryReport.obstacle?.isFull, is: true)
        expect(rig.receipt.through, is: 1)
        expect(isFull(failure { () throws(CommitFailure) in try rig.put("b") }))
        rig.disk.setFree(10_000)
        try rig.put("b")
    }

    @Test func `takes nothing when nobody knows how much room there is`() throws {
        var rig = try JournalRig()
        rig.disk.fail("commit.free", EIO)
        let failed = failure { () throws(CommitFailure) in try rig.put("a") }
        expect(isFull(failed))
        try rig.put("a")
    }

    // MARK: A disk that cannot be written to at the start

    struct Obstacle: Sendable, CustomTestStringConvertible {
        var name: String
        var prepare: @Sendable (SimulatedDisk) -> Void
        var testDescription: String { name }
    }

    static let obstacles: [Obstacle] = [
        Obstacle(name: "full") { $0.setFree(0) },
        Obstacle(name: "nearly full") { $0.setFree(100) },
        Obstacle(name: "read-only") { disk in disk.with { $0.isReadOnly = true } },
        Obstacle(name: "over quota") { $0.fail("publish.create", EDQUOT, times: 1_000) },
        Obstacle(name: "full at the sync") { $0.fail("publish.sync", ENOSPC, times: 1_000) },
        Obstacle(name: "full at the new name") { $0.fail("publish.rename", ENOSPC, times: 1_000) },
    ]

    @Test(arguments: obstacles) func `starts when the disk is`(_ row: Obstacle) throws {
        var rig = try JournalRig()
        try rig.put("a", "b")
        try rig.commit(.done(of: 1, how: .created, datapoint: nil))
        let bytes = rig.disk.bytes(.segment(1))
        rig.disk.kill()
        row.prepare(rig.disk)
        rig = try JournalRig(rig.disk)
        expect(rig.recovered.ids, is: ["a", "b"])
        expect(rig.recovered.pendingIDs, is: ["b"])
        expect(rig.recovered.recoveryReport.obstacle != nil)
        expect(rig.recovered.recoveryReport.isAlarm)
        expect(rig.receipt.through, is: 0)
        expect(rig.disk.bytes(.segment(1)), is: bytes)
        for _ in 0..<3 {
            let failed = failure { () throws(CommitFailure) in try rig.commit(.mark) }
            expect(isFull(failed))
        }
        rig.disk.healFaults()
        rig.disk.setFree(1 << 20)
        try expect(rig.commit(.put(.make("c"))).through, is: 4)
        rig.disk.crash(seed: 1)
        try expect(JournalRig(rig.disk).recovered.ids, is: ["a", "b", "c"])
    }

    @Test func `closes without a word when it could never write`() throws {
        let disk = SimulatedDisk()
        disk.with { $0.isReadOnly = true }
        var rig = try JournalRig(disk)
        try rig.journal.close()
        expect(disk.names(.journal).isEmpty)
    }

    // MARK: The reserve

    @Test func `gives the reserve up when there is no room to start`() throws {
        var limits = Journal.Limits.plain
        limits.reserveBytes = 2_000
        var rig = try JournalRig(limits: limits)
        expect(rig.disk.bytes(StoredFile(.journal, "reserve"))?.count, is: 2_000)
        try rig.put("a", "b", "c")
        rig.disk.kill()
        rig.disk.setFree(0)
        rig = try JournalRig(rig.disk, limits: limits)
        expect(rig.recovered.recoveryReport.obstacle == nil)
        expect(rig.recovered.ids, is: ["a", "b", "c"])
        rig.disk.setFree(10_000)
        try rig.reopen(limits: limits)
        expect(rig.disk.bytes(StoredFile(.journal, "reserve"))?.count, is: 2_000)
    }

    @Test func `makes no reserve out of what others need`() throws {
        var limits = Journal.Limits.plain
        limits.reserveBytes = 2_000
        limits.freeBytes = 5_000
        let disk = SimulatedDisk()
        disk.with { $0.capacity = 7_050 }
        _ = try JournalRig(disk, limits: limits)
        expect(disk.journalNames, is: ["00000001.jnl"])
    }
}

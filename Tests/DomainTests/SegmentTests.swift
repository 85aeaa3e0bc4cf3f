import Foundation
import Testing

@testable import BeemedDomain

/// Rotation and compaction.
@Suite struct SegmentTests {
    private func filled(_ disk: SimulatedDisk = SimulatedDisk()) throws -> JournalRig {
        var rig = try JournalRig(disk, limits: .small)
        try rig.put("a", "b", "c", "d", "e")
        return rig
    }

    @Test func `begins a new segment when one is full`() throws {
        var rig = try filled()
        try rig.rotate()
        #expect(rig.disk.journalNames == ["00000001.jnl", "00000002.jnl", "reserve"])
        try rig.put("f")
        try rig.reopen(limits: .small)
        #expect(rig.recovered.ids == ["a", "b", "c", "d", "e", "f"])
        #expect(rig.recovered.recoveryReport.sentences.isEmpty)
        let names = ["00000001.jnl", "00000002.jnl", "00000003.jnl", "reserve"]
        #expect(rig.disk.journalNames == names)
    }

    @Test func `stays in a segment that is not full`() throws {
        var rig = try JournalRig(limits: .small)
        try rig.put("a")
        try rig.rotate()
        #expect(rig.disk.journalNames == ["00000001.jnl", "reserve"])
    }

    @Test func `rewrites the journal when most of it is dead`() throws {
        var rig = try filled()
        for number in 1...4 as ClosedRange<UInt64> {
            try rig.commit(.done(of: SequenceNumber(number), how: .created, datapoint: nil))
        }
        try rig.rotate(events: 1)
        let names = ["00000001.jnl", "00000002.jnl", "00000003.jnl", "reserve"]
        #expect(rig.disk.journalNames == names)
        try rig.put("f")
        try rig.reopen(limits: .small)
        #expect(rig.recovered.pendingIDs == ["e", "f"])
        #expect(rig.recovered.recoveryReport.sentences.isEmpty)
    }

    @Test func `does not compact what is damaged, so that a start can tell`() throws {
        var rig = try filled()
        let bytes = try #require(rig.disk.bytes(.segment(1)))
        var damaged = bytes
        damaged[bytes.count / 2] ^= 1
        rig.disk.put(.segment(1), damaged)
        try rig.rotate(events: 1)
        #expect(rig.disk.names(.quarantine).isEmpty)
        #expect(rig.disk.names(.journal).contains("00000001.jnl"))
        try rig.put("f")
        try rig.reopen(limits: .small)
        #expect(rig.recovered.ids.count == 5)
        #expect(rig.recovered.recoveryReport.missing.count == 1)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var operation: String
        var code: Int32
        var isFatal: Bool
        var testDescription: String { "\(operation) fails with \(code)" }
    }

    static let cases: [Case] = [
        Case(operation: "publish.create", code: ENOSPC, isFatal: false),
        Case(operation: "publish.append", code: ENOSPC, isFatal: false),
        Case(operation: "publish.sync", code: ENOSPC, isFatal: false),
        Case(operation: "rotate.seal", code: ENOSPC, isFatal: false),
        Case(operation: "publish.create", code: EIO, isFatal: true),
        Case(operation: "publish.sync", code: EIO, isFatal: true),
        Case(operation: "publish.size", code: EIO, isFatal: true),
        Case(operation: "publish.rename", code: ENOSPC, isFatal: false),
        Case(operation: "publish.rename", code: EIO, isFatal: true),
        Case(operation: "publish.folder", code: ENOSPC, isFatal: true),
        Case(operation: "publish.folder", code: EIO, isFatal: true),
        Case(operation: "publish.verify", code: EIO, isFatal: true),
        Case(operation: "compact.create", code: ENOSPC, isFatal: false),
        Case(operation: "compact.append", code: ENOSPC, isFatal: false),
        Case(operation: "compact.verify", code: EMFILE, isFatal: false),
        Case(operation: "compact.sync", code: ENOSPC, isFatal: false),
        Case(operation: "compact.old.sync", code: ENOSPC, isFatal: false),
        Case(operation: "compact.create", code: EIO, isFatal: true),
        Case(operation: "compact.append", code: EIO, isFatal: true),
        Case(operation: "compact.size", code: EIO, isFatal: true),
        Case(operation: "compact.sync", code: EIO, isFatal: true),
        Case(operation: "compact.verify", code: EIO, isFatal: true),
        Case(operation: "compact.rename", code: ENOSPC, isFatal: false),
        Case(operation: "compact.rename", code: EIO, isFatal: true),
        Case(operation: "compact.folder", code: EIO, isFatal: true),
        Case(operation: "compact.old.sync", code: EIO, isFatal: true),
        Case(operation: "rotate.seal", code: EIO, isFatal: true),
        Case(operation: "rotate.seal.sync", code: EIO, isFatal: true),
    ]

    @Test(arguments: cases.filter { !$0.operation.hasPrefix("compact") })
    func `loses nothing when rotating and`(_ row: Case) throws {
        try check(row, events: 100)
    }

    @Test(arguments: cases.filter { !$0.operation.hasPrefix("rotate") })
    func `loses nothing when compacting and`(_ row: Case) throws {
        try check(row, events: 1)
    }

    private func check(_ row: Case, events: Int) throws {
        for seed in 0..<8 as Range<UInt64> {
            var rig = try filled()
            for number in 1...3 as ClosedRange<UInt64> {
                try rig.commit(.done(of: SequenceNumber(number), how: .created, datapoint: nil))
            }
            rig.disk.fail(row.operation, row.code, times: 3)
            var hasFailed = false
            do throws(CommitFailure) { try rig.rotate(events: events) } catch { hasFailed = true }
            #expect(hasFailed == row.isFatal)
            rig.disk.healFaults()
            if !hasFailed { try rig.put("f", "g", "h", "i", "j") }
            rig.disk.crash(seed: seed)
            let after = try JournalRig(rig.disk, limits: .small).recovered
            #expect(after.pendingIDs.starts(with: ["d", "e"]))
            #expect(after.pendingIDs.count == (hasFailed ? 2 : 7))
            #expect(!after.recoveryReport.isDamage, "\(after.recoveryReport.sentences)")
        }
    }

    @Test func `leaves old segments that cannot be removed for the next start`() throws {
        var rig = try filled()
        try rig.reopen(limits: .small)
        rig.disk.kill()
        rig.disk.fail("rewrite.unlink", EIO)
        rig = try JournalRig(rig.disk, limits: .small)
        let names = ["00000001.jnl", "00000002.jnl", "00000003.jnl", "reserve"]
        #expect(rig.disk.journalNames == names)
        try rig.put("f")
        try rig.reopen(limits: .small)
        #expect(rig.recovered.ids == ["a", "b", "c", "d", "e", "f"])
        #expect(rig.recovered.recoveryReport.sentences.isEmpty)
        #expect(rig.disk.journalNames == ["00000003.jnl", "00000004.jnl", "reserve"])
    }
}

import Foundation
import Synchronization
import Testing

@testable import BeemedDomain

/// Rotation and retirement.
struct SegmentTests {
    private func filled(_ disk: SimulatedDisk = SimulatedDisk()) throws -> JournalRig {
        var rig = try JournalRig(disk, limits: .small)
        try rig.put("a", "b", "c", "d", "e")
        return rig
    }

    @Test func `begins a new segment when one is full`() throws {
        var rig = try filled()
        try rig.rotate()
        expect(rig.disk.journalNames, is: ["00000001.jnl", "00000002.jnl", "reserve"])
        try rig.put("f")
        try rig.reopen(limits: .small)
        expect(rig.recovered.ids, is: ["a", "b", "c", "d", "e", "f"])
        expect(rig.recovered.recoveryReport.sentences.isEmpty)
        expect(rig.disk.journalNames, is: ["00000001.jnl", "00000002.jnl", "reserve"])
    }

    /// A press that comes meanwhile waits for them, and for its own.
    @Test func `a step of a rotation or retirement has two syncs`() throws {
        let syncs = Mutex(0)
        var rig = try filled()
        rig.disk.with { state in
            state.before = { operation in
                let isSync = ["sync", "folder"].contains { operation.hasSuffix($0) }
                if isSync { syncs.withLock { $0 += 1 } }
            }
        }
        for round in 0..<4 {
            try rig.put("f\(round)", "g\(round)", "h\(round)", "i\(round)")
            let live = LiveSize(bytes: 0, stated: rig.next)
            var hasMore = true
            while hasMore {
                syncs.withLock { $0 = 0 }
                hasMore = try rig.journal.maintain(live: live, time: UnixTime(1_760_000_000))
                expect(syncs.withLock(\.self) <= 2)
            }
        }
        expect(rig.disk.names(.history).count >= 3)
        expect(rig.disk.bytes(.segment(2)) == nil, "a retired segment goes one retirement later")
    }

    @Test func `stays in a segment that is not full`() throws {
        var rig = try JournalRig(limits: .small)
        try rig.put("a")
        try rig.rotate()
        expect(rig.disk.journalNames, is: ["00000001.jnl", "reserve"])
    }

    @Test func `retires the oldest segment when what is known of it is stated again`() throws {
        var rig = try filled()
        for number in 1...3 as ClosedRange<UInt64> {
            try rig.commit(.done(of: SequenceNumber(number), how: .created, datapoint: nil))
        }
        try rig.rotate(events: 1)
        let name = try require(rig.disk.names(.history).last)
        let bytes = rig.disk.bytes(StoredFile(.journal, name))
        expect(bytes != nil, "it stays for copies until the next retirement")
        expect(rig.disk.bytes(StoredFile(.history, name)), is: bytes)
        try rig.put("f", "g", "h")
        try rig.rotate(events: 1)
        expect(rig.disk.bytes(StoredFile(.journal, name)) == nil)
        expect(rig.disk.bytes(StoredFile(.history, name)), is: bytes)
        try rig.reopen(limits: .small)
        expect(rig.recovered.ids, is: ["a", "b", "c", "d", "e", "f", "g", "h"])
        expect(rig.recovered.pendingIDs, is: ["d", "e", "f", "g", "h"])
        expect(rig.recovered.recoveryReport.sentences.isEmpty)
    }

    @Test func `copies a retired segment where files have no second names`() throws {
        var rig = try filled()
        rig.disk.fail("retire.link", EPERM, times: 1_000)
        for round in 0..<4 {
            try rig.put("f\(round)", "g\(round)", "h\(round)")
            try rig.rotate(events: 1)
        }
        expect(rig.disk.names(.history).contains("00000001.jnl"))
        expect(rig.disk.bytes(.segment(1)) == nil)
        try expect(Set(rig.disk.allIDs).count, is: 17)
        try rig.reopen(limits: .small)
        expect(rig.recovered.pendingIDs.count, is: 17)
        expect(rig.recovered.recoveryReport.sentences.isEmpty)
    }

    @Test func `a damaged segment leaves its lines, and is told of once`() throws {
        var rig = try filled()
        try rig.rotate()
        try rig.put("f")
        var bytes = try require(rig.disk.bytes(.segment(1)))
        bytes[bytes.count / 2] ^= 1
        rig.disk.put(.segment(1), bytes)
        try rig.reopen(limits: .small)
        expect(rig.recovered.ids.count, is: 5)
        expect(rig.recovered.recoveryReport.missing.count, is: 1)
        expect(rig.disk.names(.quarantine).count, is: 1)
        expect(rig.disk.names(.history), is: ["00000001.jnl", "00000002.jnl"])
        try rig.put("g")
        try rig.reopen(limits: .small)
        expect(rig.recovered.ids.count, is: 6)
        expect(rig.recovered.recoveryReport.sentences.isEmpty)
        expect(!Journal.inspect(rig.disk, limits: .small).isAlarm)
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
        Case(operation: "publish.create", code: EIO, isFatal: true),
        Case(operation: "publish.sync", code: EIO, isFatal: true),
        Case(operation: "publish.size", code: EIO, isFatal: true),
        Case(operation: "publish.rename", code: ENOSPC, isFatal: false),
        Case(operation: "publish.rename", code: EIO, isFatal: true),
        Case(operation: "publish.folder", code: ENOSPC, isFatal: true),
        Case(operation: "publish.folder", code: EIO, isFatal: true),
        Case(operation: "publish.verify", code: EIO, isFatal: true),
        Case(operation: "retire.link", code: ENOSPC, isFatal: false),
        Case(operation: "retire.link", code: EPERM, isFatal: false),
        Case(operation: "retire.folder", code: EIO, isFatal: false),
        Case(operation: "retire.unlink", code: EIO, isFatal: false),
    ]

    @Test(arguments: cases, [100, 1])
    func `loses nothing when rotating and`(_ row: Case, _ events: Int) throws {
        try check(row, events: events)
    }

    private func check(_ row: Case, events: Int) throws {
        for seed in 0..<(Thorough.isEveryPlace ? 8 : 3) as Range<UInt64> {
            var rig = try filled()
            for number in 1...3 as ClosedRange<UInt64> {
                try rig.commit(.done(of: SequenceNumber(number), how: .created, datapoint: nil))
            }
            rig.disk.fail(row.operation, row.code, times: 3)
            var hasFailed = false
            do throws(CommitFailure) { try rig.rotate(events: events) } catch { hasFailed = true }
            expect(hasFailed, is: row.isFatal)
            rig.disk.healFaults()
            if !hasFailed { try rig.put("f", "g", "h", "i", "j") }
            rig.disk.crash(seed: seed)
            let after = try JournalRig(rig.disk, limits: .small).recovered
            expect(after.pendingIDs.starts(with: ["d", "e"]))
            expect(after.pendingIDs.count, is: (hasFailed ? 2 : 7))
            expect(!after.recoveryReport.isDamage, "\(after.recoveryReport.sentences)")
        }
    }
}

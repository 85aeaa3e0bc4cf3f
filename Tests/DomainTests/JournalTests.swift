import Foundation
import Testing

@testable import BeemedDomain

struct JournalTests {
    // MARK: Writing and reading again

    @Test func `what was written is read again`() {
        part("holds after a restart what it gave a receipt for") {
            var rig = try JournalRig()
            try rig.commit(.put(.make("a")), .put(.make("b")), .put(.make("c")))
            try rig.commit(
                .done(of: 1, how: .created, datapoint: "d1"),
                .refused(of: 2, status: 422, why: "no"))
            try rig.reopen()
            expect(rig.recovered.ids, is: ["a", "b", "c"])
            expect(
                rig.recovered.entries.map(\.settlement),
                is: [
                    .delivered(.created, datapoint: "d1"), .refused(status: 422, why: "no"), nil,
                ])
            expect(rig.recovered.next, is: 6)
            expect(rig.receipt.through, is: 5)
            expect(!rig.recovered.recoveryReport.isAlarm)
        }
        part("gives receipts that reach exactly as far as was asked") {
            var rig = try JournalRig()
            expect(rig.receipt.through, is: 0)
            try expect(rig.commit(.put(.make("a"))).through, is: 1)
            try expect(rig.commit(.put(.make("b")), .mark).through, is: 3)
        }
        part("is as large after many restarts as after one") {
            var rig = try JournalRig()
            try rig.put("a", "b")
            try rig.reopen()
            let size = rig.disk.totalBytes(.journal)
            for _ in 0..<5 { try rig.reopen() }
            expect(rig.disk.totalBytes(.journal), is: size)
            expect(rig.recovered.ids, is: ["a", "b"])
            expect(rig.disk.journalNames, is: ["00000001.jnl"])
        }
        part("says whether the last shutdown was clean") {
            var rig = try JournalRig()
            try rig.put("a")
            try rig.journal.close()
            try rig.reopen()
            expect(rig.recovered.recoveryReport.wasClosed)
            expect(rig.recovered.recoveryReport.sentences.isEmpty)
            try rig.reopen()
            expect(!rig.recovered.recoveryReport.wasClosed)
        }
        part("keeps the name of its store") {
            var rig = try JournalRig()
            try rig.reopen()
            let (journal, _, _) = try Journal.open(
                SimulatedDisk(), store: "other", time: UnixTime(0), limits: .plain)
            expect(rig.journal.store, is: "5704e")
            expect(journal.store, is: "other")
        }
        part("copies the line of an unknown type word for word") {
            var lines = Lines.segment(events: 1)
            lines.add(#"{"t":"undone", "q":2,"of":1,"new":[1.50]}"#)
            let unknown = Array(lines.bytes[lines.starts[2]...])
            let disk = lines.disk()
            for round in 1...3 {
                let rig = try JournalRig(disk)
                expect(rig.next, is: 3, "round \(round)")
                let bytes = try require(disk.bytes(.segment(1)))
                expect(bytes.firstRange(of: unknown) != nil)
                disk.kill()
            }
        }
    }

    // MARK: Batches

    @Test func `batches`() {
        part("shares one sync between all records of a batch") {
            var rig = try JournalRig()
            let before = rig.disk.calls
            try rig.commit((0..<50).map { .put(.make("e\($0)")) })
            // Free space, append, size, the bytes again, sync, mark.
            expect(rig.disk.calls - before, is: 6)
        }
        part("splits what is more than a batch") {
            var limits = Journal.Limits.plain
            limits.batchBytes = 1_000
            var rig = try JournalRig(limits: limits)
            let records = (1...20).map { Record(SequenceNumber(UInt64($0)), .put(.make("e\($0)"))) }
            let first = try rig.journal.commit(records, live: LiveSize(bytes: 0))
            expect(first.through > 1 && first.through < 10)
            var rest = records.drop { $0.number <= first.through }
            while !rest.isEmpty {
                let receipt = try rig.journal.commit(rest, live: LiveSize(bytes: 0))
                rest = rest.drop { $0.number <= receipt.through }
            }
            try rig.reopen()
            expect(rig.recovered.entries.count, is: 20)
        }
        part("writes a record alone that is more than a batch") {
            var limits = Journal.Limits.plain
            limits.batchBytes = 100
            var rig = try JournalRig(limits: limits)
            try rig.put("a", "b")
            try rig.reopen()
            expect(rig.recovered.ids, is: ["a", "b"])
        }
    }

    // MARK: Failures

    @Test func `a batch that finds no room`() throws {
        // Takes a batch back when there is no room for it.
        for code in [ENOSPC, EDQUOT, EFBIG] as [Int32] {
            var rig = try JournalRig()
            try rig.put("a")
            let bytes = rig.disk.bytes(.segment(1))
            rig.disk.fail("commit.append", code)
            let failed = failure { () throws(CommitFailure) in try rig.put("lost") }
            expect(isFull(failed), "\(code)")
            expect(rig.disk.bytes(.segment(1)), is: bytes, "\(code)")
            try rig.put("b")
            try rig.reopen()
            expect(rig.recovered.ids, is: ["a", "b"], "\(code)")
        }
        part("takes back what fitted of a batch, for good") {
            for seed in 0..<40 as Range<UInt64> {
                var rig = try JournalRig()
                try rig.put("a")
                let used = rig.disk.totalBytes(.journal)
                rig.disk.with { $0.capacity = used + 250 }
                let failed = failure { () throws(CommitFailure) in
                    try rig.commit(.put(.make("lost")), .put(.make("too")))
                }
                expect(isFull(failed))
                expect(rig.disk.totalBytes(.journal), is: used)
                rig.disk.crash(seed: seed)
                try expect(JournalRig(rig.disk).recovered.ids, is: ["a"])
            }
        }
        // A full disk takes a part of a batch, and of that part less than it says: what was written
        // behind the gap was a good line after a bad one, so the next start called it damage.
        part("writes nothing behind a gap that nobody was told about") {
            var unknown = 0
            for room in 1..<200 {
                var rig = try JournalRig()
                try rig.put("a")
                rig.disk.setFree(room)
                rig.disk.lie(at: "commit.append")
                let failed = failure { () throws(CommitFailure) in
                    try rig.commit(.put(.make("b")), .done(of: 1, how: .created, datapoint: nil))
                }
                if case .unknown? = failed { unknown += 1 }
                rig.disk.setFree(10_000)
                try rig.reopen()
                expect(
                    !rig.recovered.recoveryReport.isAlarm,
                    "\(room) bytes: \(rig.recovered.recoveryReport)")
                expect(rig.recovered.ids == ["a"] || rig.recovered.ids == ["a", "b"])
            }
            expect(unknown, is: 199)
        }
    }

    struct Unknown: Sendable, CustomTestStringConvertible {
        var name: String
        var prepare: @Sendable (SimulatedDisk) -> Void
        var testDescription: String { name }
    }

    static let unknown: [Unknown] = [
        Unknown(name: "the write fails") { $0.fail("commit.append", EIO) },
        Unknown(name: "the write lies") { $0.lie(at: "commit.append") },
        Unknown(name: "the size cannot be read") { $0.fail("commit.size", EIO) },
        Unknown(name: "the sync fails") { $0.fail("commit.sync", EIO) },
        Unknown(name: "the sync finds no room") { $0.fail("commit.sync", ENOSPC) },
        Unknown(name: "the sync exceeds a quota") { $0.fail("commit.sync", EDQUOT) },
        Unknown(name: "the file cannot be cut back") {
            $0.fail("commit.append", ENOSPC)
            $0.fail("commit.truncate", EIO)
        },
        Unknown(name: "the cut cannot be synced") {
            $0.fail("commit.append", ENOSPC)
            $0.fail("commit.truncate.sync", EIO)
        },
    ]

    @Test func `a failure leaves the outcome unknown`() throws {
        // Failures that leave the outcome unknown.
        for row in Self.unknown {
            var rig = try JournalRig()
            try rig.put("a")
            row.prepare(rig.disk)
            let failed = failure { () throws(CommitFailure) in try rig.put("b") }
            guard case .unknown? = failed else { throw Unexpected(failed) }
            for seed in 0..<20 as Range<UInt64> {
                let disk = rig.disk.copy()
                disk.crash(seed: seed)
                let after = try JournalRig(disk).recovered
                expect(after.ids == ["a"] || after.ids == ["a", "b"], "\(row)")
            }
        }
        // Does not know the outcome when another file has its name.
        for isReplaced in [true, false] as [Bool] {
            var rig = try JournalRig()
            try rig.put("a")
            let bytes = try require(rig.disk.bytes(.segment(1)))
            rig.disk.remove(.segment(1))
            if isReplaced { rig.disk.put(.segment(1), bytes) }
            for _ in 0..<2 {
                let failed = failure { () throws(CommitFailure) in try rig.put("b") }
                let code = isReplaced ? DiskError.stale : DiskError.noEntry
                expect(failed?.cause.code, is: code, "\(isReplaced)")
                expect(!isFull(failed), "\(isReplaced)")
            }
        }
    }

    @Test func `a start on a disk that fails`() {
        part("does not start when the disk fails") {
            var rig = try JournalRig()
            try rig.put("a")
            rig.disk.kill()
            for operation in ["recover.list", "recover.read", "publish.sync", "publish.folder"] {
                rig.disk.fail(operation, EIO)
                #expect(throws: JournalOpenError.self) { try JournalRig(rig.disk) }
                rig.disk.kill()
            }
            rig = try JournalRig(rig.disk)
            expect(rig.recovered.ids, is: ["a"])
        }
        part("copies at every start what an earlier process could not sync") {
            var rig = try JournalRig()
            try rig.put("a")
            rig.disk.fail("commit.sync", EIO)
            _ = failure { () throws(CommitFailure) in try rig.put("b") }
            // The next process sees the event in the page cache, and a sync of that file would
            // succeed.
            try rig.reopen()
            expect(rig.recovered.ids, is: ["a", "b"])
            expect(rig.receipt.through, is: 2)
            rig.disk.crash(seed: 3)
            try expect(JournalRig(rig.disk).recovered.ids, is: ["a", "b"])
        }
    }
}

import Foundation
import Testing

@testable import BeemedDomain

struct VerifyReportTests {
    /// Everything on the disk, byte for byte.
    private func contents(_ disk: SimulatedDisk) -> [String: [UInt8]] {
        var all: [String: [UInt8]] = [:]
        for folder in StoredFile.Folder.allCases {
            for name in disk.names(folder) {
                all["\(folder)/\(name)"] = disk.bytes(StoredFile(folder, name))
            }
        }
        return all
    }

    private func inspect(_ disk: SimulatedDisk) -> VerifyReport {
        let before = contents(disk)
        disk.with { $0.isReadOnly = true }
        let verifyReport = Journal.inspect(disk)
        disk.with { $0.isReadOnly = false }
        expect(contents(disk), is: before)
        return verifyReport
    }

    @Test func `what is told of a journal`() {
        part("tells what is in a healthy journal") {
            var rig = try JournalRig()
            try rig.put("a", "b", "c")
            try rig.commit(.done(of: 1, how: .created, datapoint: nil))
            try rig.commit(.refused(of: 2, status: 422, why: ""))
            try rig.journal.close()
            let verifyReport = inspect(rig.disk)
            expect(!verifyReport.isAlarm)
            expect(verifyReport.segments.map(\.lines), is: [7])
            expect(
                verifyReport.sentences.dropFirst(),
                is: [
                    "1 events are pending, 1 delivered, 1 refused", "the last shutdown was clean",
                    "a start would copy the last segment and go on there",
                ])
        }
        part("tells what is damaged and what a start would do") {
            let lines = Lines.segment(events: 3)
            var bytes = lines.bytes
            bytes[lines.starts[2] + 20] ^= 1
            let disk = SimulatedDisk()
            disk.put(.segment(1), bytes)
            disk.put(StoredFile(.journal, "00000002.tmp"), [1])
            disk.put(StoredFile(.journal, "notes.txt"), [1])
            let length = lines.starts[3] - lines.starts[2]
            let verifyReport = inspect(disk)
            expect(verifyReport.isAlarm)
            expect(
                verifyReport.sentences,
                is: [
                    "00000001.jnl: \(bytes.count) bytes, 3 good lines, "
                        + "\(length) bytes that are not lines",
                    "00000002.tmp was left unfinished", "notes.txt is not a file of the journal",
                    "2 events are pending, 0 delivered, 0 refused",
                    "\(length) damaged bytes are put in quarantine", "record 2 is missing",
                    "a start would state everything that is known again in a new segment",
                    "it would first copy \(length) bytes to the quarantine folder",
                ])
        }
        part("tells of an empty folder") {
            let verifyReport = inspect(SimulatedDisk())
            expect(!verifyReport.isAlarm)
            expect(verifyReport.sentences.last, is: "a start would begin a new store")
        }
        part("tells of a folder that has been used and is empty") {
            let verifyReport = Journal.inspect(SimulatedDisk(), isUsed: true)
            expect(verifyReport.isAlarm)
            let words = "the folder has been used, and no segment is left in it"
            expect(verifyReport.sentences.contains(words))
            expect(verifyReport.sentences.last, is: "a start would begin a new store")
        }
        part("tells of what would be in the way of a start") {
            let disk = Lines.segment().disk()
            let refused = Journal.inspect(disk, startBlockers: ["a start would be refused: why"])
            expect(refused.isAlarm)
            expect(refused.sentences.last, is: "a start would be refused: why")
            expect(!refused.sentences.contains { $0.contains("go on there") })
            disk.setFree(16 << 20)
            expect(!Journal.inspect(disk).isAlarm)
            disk.setFree(16 << 20 - 1)
            let cramped = Journal.inspect(disk)
            expect(cramped.isAlarm)
            expect(cramped.sentences.last?.hasPrefix("only 16777215 bytes are free"), is: true)
        }
        part("names the file that cannot be read") {
            let disk = Lines.segment(events: 3).disk()
            disk.put(.segment(2), Lines.segment(2).bytes)
            disk.fail("recover.read", EISDIR, after: 2, times: 100)
            let first = try require(Journal.inspect(disk).sentences.first)
            expect(first.contains("then it cannot be read: Is a directory"))
        }
        part("tells of a later version") {
            var lines = Lines()
            lines.addOpening(version: 9)
            let verifyReport = inspect(lines.disk())
            expect(verifyReport.isAlarm)
            expect(verifyReport.sentences.last?.contains("has format 9"), is: true)
        }
        part("tells of a disk that cannot be read") {
            let disk = Lines.segment().disk()
            disk.fail("recover.read", EIO, times: 100)
            let verifyReport = Journal.inspect(disk)
            expect(verifyReport.isAlarm)
            let failure = JournalOpenError.disk(DiskError("recover.read", code: EIO))
            expect(verifyReport.sentences.last, is: failure.words)
        }
    }

    @Test func `gaps`() {
        part("names a few of many gaps and counts the rest") {
            var recoveryReport = RecoveryReport()
            for index in 0..<50 as Range<UInt64> {
                recoveryReport.missing.append((index * 10)...(index * 10 + 1))
            }
            expect(recoveryReport.sentences.count, is: 11)
            expect(recoveryReport.sentences.last, is: "records are missing in 40 more places")
        }
    }
}

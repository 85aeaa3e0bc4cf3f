import Testing

@testable import BeemedDomain

/// Lines are written into blank lines that are there already, while presses follow each other.
struct PreallocationTests {
    /// Room from the third event on, for some ten events.
    private static var limits: Journal.Limits {
        var limits = Journal.Limits.plain
        limits.preallocatedBytes = 3_000
        limits.recordsBeforePreallocation = 2
        return limits
    }

    /// A journal of four events, the last of which was written into room.
    private func rig() throws -> JournalRig {
        var rig = try JournalRig(limits: PreallocationTests.limits)
        try rig.put("a", "b", "c", "d")
        return rig
    }

    private func text(_ disk: SimulatedDisk) throws -> [UInt8] {
        try require(disk.bytes(.segment(1)))
    }

    /// The bytes up to the last one that is not of a blank line.
    private func linesEnd(_ bytes: [UInt8]) -> Int {
        let blank = bytes.reversed().prefix { $0 == 0x0A }.count
        return bytes.count - max(0, blank - 1)
    }

    private func hasBlankLines(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.dropLast().contains { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A }
    }

    @Test func `when there is room`() {
        part("the file keeps its size while there is room") {
            var rig = try JournalRig(limits: PreallocationTests.limits)
            var sizes: [Int] = []
            for index in 0..<24 {
                try rig.put("e\(index)")
                sizes.append(try text(rig.disk).count)
            }
            expect(sizes[0] < sizes[1] && sizes[1] + 3_000 < sizes[2])
            expect(sizes[3] == sizes[2] && sizes[9] == sizes[2])
            expect(sizes[23] > sizes[2] + 3_000)
            expect(Set(sizes).count < 8)
            let calls = rig.disk.calls
            try rig.put("last")
            // Write, size, the bytes again, sync, mark.
            expect(rig.disk.calls - calls, is: 5)
            try expect(!hasBlankLines(text(rig.disk).prefix(linesEnd(text(rig.disk)))))
            try rig.reopen()
            expect(rig.recovered.ids, is: (0..<24).map { "e\($0)" } + ["last"])
            expect(!rig.recovered.recoveryReport.isAlarm)
            expect(rig.recovered.recoveryReport.tornTailBytes, is: 0)
        }
        part("a relay with few presses writes none") {
            var rig = try JournalRig()
            try rig.commit((0..<1_999).map { .put(.make("e\($0)")) })
            try rig.put("e1999")
            try expect(text(rig.disk).suffix(2) != [0x0A, 0x0A])
            try rig.put("e2000")
            try expect(text(rig.disk).suffix(2), is: [0x0A, 0x0A])
        }
    }

    @Test func `room is cut off or stays`() {
        part("what ends a segment cuts it off") {
            var rig = try rig()
            try rig.journal.close()
            try expect(!hasBlankLines(text(rig.disk)[...]))
            rig = try self.rig()
            rig.disk.fail("preallocate.truncate", 5)
            try rig.journal.close()
            try expect(text(rig.disk).last, is: 0x0A)
            try rig.reopen()
            expect(rig.recovered.ids, is: ["a", "b", "c", "d"])
            expect(rig.recovered.recoveryReport.wasClosed && !rig.recovered.recoveryReport.isAlarm)
        }
        part("a segment that is full ends with its last line") {
            var limits = PreallocationTests.limits
            limits.segmentBytes = 2_000
            var rig = try JournalRig(limits: limits)
            for index in 0..<16 {
                try rig.put("e\(index)")
                try rig.rotate()
            }
            let bytes = try text(rig.disk)
            expect(rig.disk.journalNames.count > 1)
            expect(!hasBlankLines(bytes[...]))
            try rig.reopen()
            expect(rig.recovered.ids, is: (0..<16).map { "e\($0)" })
            expect(!rig.recovered.recoveryReport.isAlarm)
        }
    }

    @Test func `what went elsewhere is found`() {
        part("a write that lies is found") {
            var rig = try rig()
            rig.disk.lie(at: "commit.append")
            let failed = failure { () throws(CommitFailure) in try rig.put("lost") }
            guard case .unknown(let error)? = failed else { throw Unexpected(failed) }
            expect(error.operation, is: "commit.compare")
            try rig.reopen()
            expect(rig.recovered.ids, is: ["a", "b", "c", "d"])
            expect(!rig.recovered.recoveryReport.isAlarm)
        }
        // Its size is the same while there is room.
        part("an older copy that was put back is found") {
            for isAtTheEnd in [false, true] {
                var rig = try rig()
                let older = try text(rig.disk)
                try rig.put("e")
                rig.disk.with { state in
                    guard let id = state.names[.segment(1)] else { return }
                    state.files[id]?.overwrite(older)
                }
                let failed = failure { () throws(CommitFailure) in
                    if isAtTheEnd {
                        try rig.journal.close()
                    } else {
                        try rig.put("f")
                    }
                }
                expect(failed?.cause.operation, is: "commit.compare")
                expect(rig.next, is: 6)
            }
        }
        part("a file that was cut short is found wherever the cut is") {
            let whole = try text(try rig().disk).count
            for size in stride(from: 0, to: whole, by: 7) {
                var rig = try rig()
                rig.disk.with { state in
                    guard let id = state.names[.segment(1)] else { return }
                    state.files[id]?.truncate(to: size)
                }
                let failed = failure { () throws(CommitFailure) in
                    for index in 0..<30 { try rig.put("e\(index)") }
                }
                let site = failed?.cause.operation
                expect(site == "commit.size" || site == "commit.compare", "\(size)")
                expect(rig.next, is: 5, "\(size)")
            }
        }
    }

    @Test func `a disk without room`() {
        part("a batch that finds no room on the disk leaves nothing") {
            for code in [28, 122, 27] as [Int32] {
                var rig = try rig()
                let lines = Array(try text(rig.disk)[..<linesEnd(try text(rig.disk))])
                rig.disk.fail("commit.append", code)
                let failed = failure { () throws(CommitFailure) in try rig.put("lost") }
                expect(isFull(failed))
                try expect(text(rig.disk), is: lines)
                for seed in 0..<10 as Range<UInt64> {
                    let disk = rig.disk.copy()
                    disk.crash(seed: seed)
                    try expect(JournalRig(disk).recovered.ids, is: ["a", "b", "c", "d"])
                }
                try rig.put("e", "f", "g")
                try rig.reopen()
                expect(rig.recovered.ids, is: ["a", "b", "c", "d", "e", "f", "g"])
                expect(!rig.recovered.recoveryReport.isAlarm)
            }
        }
        // Quotas and limits on a file's size are not known before.
        part("a batch is written without room where there is none") {
            for code in [28, 122, 27] as [Int32] {
                var rig = try JournalRig(limits: PreallocationTests.limits)
                try rig.put("a", "b")
                rig.disk.fail("preallocate.append", code)
                for id in ["c", "d"] {
                    try rig.put(id)
                    try expect(text(rig.disk).suffix(2) != [0x0A, 0x0A])
                }
                try rig.put("e")
                try expect(text(rig.disk).suffix(2), is: [0x0A, 0x0A])
                try rig.reopen()
                expect(rig.recovered.ids, is: ["a", "b", "c", "d", "e"])
                expect(!rig.recovered.recoveryReport.isAlarm)
            }
        }
    }

    @Test func `lines that are half written`() {
        // A power cut may stop the disk at any byte of a line that is written into room.
        part("a line that is half written is a torn tail") {
            let bytes = try text(try rig().disk)
            let lines = bytes[..<linesEnd(bytes)]
            let start = try require(lines.dropLast().lastIndex(of: 0x0A)) + 1
            for end in (start + 1)..<(lines.count - 1) {
                let disk = SimulatedDisk()
                var torn = bytes
                for index in end..<torn.count { torn[index] = 0x0A }
                disk.put(.segment(1), torn)
                let found = try openAnyway(disk).recovered
                expect(found.ids, is: ["a", "b", "c"])
                expect(!found.recoveryReport.isDamage)
                // The next line feed counts: nobody can tell it from the room.
                expect(found.recoveryReport.tornTailBytes, is: end - start + 1)
            }
        }
        part("the end of a line may come without its beginning") {
            let bytes = try text(try rig().disk)
            let start = try require(bytes[..<(linesEnd(bytes) - 1)].lastIndex(of: 0x0A)) + 1
            for count in 1..<(linesEnd(bytes) - start - 1) {
                let disk = SimulatedDisk()
                var torn = bytes
                for index in start..<(start + count) { torn[index] = 0x0A }
                disk.put(.segment(1), torn)
                let found = try openAnyway(disk).recovered
                expect(found.ids, is: ["a", "b", "c"])
                expect(!found.recoveryReport.isDamage, "\(count)")
            }
        }
        // That is what a sector looks like that was lost later: better once too often than never.
        part("a gap before a good line is damage") {
            var rig = try rig()
            try rig.put("e")
            let bytes = try text(rig.disk)
            let lines = bytes[..<(linesEnd(bytes) - 1)].indices.filter { bytes[$0] == 0x0A }
            let disk = SimulatedDisk()
            var lost = bytes
            for index in (lines[lines.count - 2] + 1)...lines[lines.count - 1] {
                lost[index] = 0x0A
            }
            disk.put(.segment(1), lost)
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["a", "b", "c", "e"])
            expect(found.recoveryReport.missing, is: [4...4])
            expect(found.recoveryReport.isAlarm)
        }
        part("a byte that has changed in the room is no line") {
            let disk = try rig().disk
            var bytes = try text(disk)
            bytes[bytes.count - 100] ^= 4
            disk.kill()
            disk.put(.segment(1), bytes)
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["a", "b", "c", "d"])
            expect(!found.recoveryReport.isDamage)
            expect(found.recoveryReport.tornTailBytes, is: 2)
        }
    }
}

import Testing

@testable import BeemedDomain

/// Blank lines behind those of a segment: room that was written ahead of lines.
@Suite struct BlankLinesTests {
    /// A segment with these events, and room behind them.
    private func segment(_ ids: String...) -> [UInt8] {
        var lines = Lines()
        lines.addOpening()
        for (index, id) in ids.enumerated() { lines.addPut(index + 1, id: id) }
        return lines.bytes + [UInt8](repeating: 0x0A, count: 3_000)
    }

    /// The bytes up to the last one that is not of a blank line.
    private func linesEnd(_ bytes: [UInt8]) -> Int {
        let blank = bytes.reversed().prefix { $0 == 0x0A }.count
        return bytes.count - max(0, blank - 1)
    }

    @Test func `blank lines are nothing`() throws {
        let disk = SimulatedDisk()
        disk.put(.segment(1), segment("a", "b"))
        let rig = try JournalRig(disk)
        expect(rig.recovered.ids, is: ["a", "b"])
        expect(rig.recovered.recoveryReport.sentences.isEmpty)
        let bytes = try require(disk.bytes(.segment(1)))
        expect(linesEnd(bytes), is: bytes.count)
    }

    /// A power cut may stop the disk at any byte of a line that is written into room.
    @Test func `a line that is half written is a torn tail`() throws {
        let bytes = segment("a", "b", "c", "d")
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

    @Test func `the end of a line may come without its beginning`() throws {
        let bytes = segment("a", "b", "c", "d")
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

    /// That is what a sector looks like that was lost later: better once too often than never.
    @Test func `a gap before a good line is damage`() throws {
        let bytes = segment("a", "b", "c", "d", "e")
        let lines = bytes[..<(linesEnd(bytes) - 1)].indices.filter { bytes[$0] == 0x0A }
        let disk = SimulatedDisk()
        var lost = bytes
        for index in (lines[lines.count - 2] + 1)...lines[lines.count - 1] { lost[index] = 0x0A }
        disk.put(.segment(1), lost)
        let found = try openAnyway(disk).recovered
        expect(found.ids, is: ["a", "b", "c", "e"])
        expect(found.recoveryReport.missing, is: [4...4])
        expect(found.recoveryReport.isAlarm)
    }

    @Test func `a byte that has changed in the room is no line`() throws {
        var bytes = segment("a", "b", "c", "d")
        bytes[bytes.count - 100] ^= 4
        let disk = SimulatedDisk()
        disk.put(.segment(1), bytes)
        let found = try openAnyway(disk).recovered
        expect(found.ids, is: ["a", "b", "c", "d"])
        expect(!found.recoveryReport.isDamage)
        expect(found.recoveryReport.tornTailBytes, is: 2)
    }
}

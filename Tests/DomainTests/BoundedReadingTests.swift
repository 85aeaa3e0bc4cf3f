import Testing

@testable import BeemedDomain

/// However much garbage there is, a start reads it through a window.
struct BoundedReadingTests {
    /// A disk with one endless segment, made up as it is read.
    private func check(_ unit: [UInt8], count: Int) throws {
        let disk = SimulatedDisk()
        var bytes = Lines.segment(events: 2).bytes
        for _ in 0..<count { bytes += unit }
        bytes.append(0x0A)
        var after = Lines()
        after.addPut(3)
        bytes += after.bytes
        disk.put(.segment(1), bytes)
        let rig = try JournalRig(disk)
        expect(rig.recovered.ids, is: ["e1", "e2", "e3"])
        let isEnded = unit.last == 0x0A
        expect(disk.totalBytes(.quarantine), is: unit.count * count + (isEnded ? 0 : 1))
        expect(disk.with { $0.longestRead } <= SegmentReader.window)
        expect(rig.recovered.quarantine.count, is: 1)
    }

    /// The factor for the amount of garbage: a debug build, which is slow, reads a twentieth of it.
    private var scale: Int {
        #if DEBUG
            1
        #else
            20
        #endif
    }

    @Test func `garbage is passed over`() {
        part("passes over a million lines of garbage") {
            try check(Array("garbage\n".utf8), count: 50_000 * scale)
        }
        part("passes over one endless line") {
            try check(Array(repeating: 0x58, count: 65_536), count: 16 * scale)
        }
        part("passes over garbage that is nothing but beginnings of lines") {
            try check(Array("{\"t\":\"".utf8), count: 60_000 * scale)
        }
        part("passes over garbage that is nothing but TAB") {
            try check(Array(repeating: 0x09, count: 1_024), count: 300 * scale)
        }
        part("passes over beginnings with check values that are wrong") {
            try check(Array("{\"t\":\"put\"}\t01234567".utf8), count: 20_000 * scale)
        }
    }

    @Test func `a window may end anywhere`() {
        part("finds every line wherever the window ends") {
            let lines = Lines.segment(events: 40)
            var damaged = lines.bytes
            damaged[lines.starts[20] + 15] ^= 4
            for window in [1, 2, 7, 64, 200, 4_095, 65_536] {
                let disk = SimulatedDisk()
                disk.put(.segment(1), damaged)
                var reader = SegmentReader(disk, .segment(1), window: window)
                var ids: [String] = []
                var damagedRanges: [Range<Int>] = []
                while let piece = try reader.next() {
                    switch piece {
                    case .line(let json, _):
                        let line = try require(Line(json: json), "window \(window)")
                        if case .record(let record) = line, case .put(let event) = record.fact {
                            ids.append(event.key.id.description)
                        }
                    case .damaged(let range): damagedRanges.append(range)
                    }
                }
                expect(ids, is: (1...40).filter { $0 != 20 }.map { "e\($0)" }, "window \(window)")
                expect(damagedRanges.count, is: 1, "window \(window)")
            }
        }
        // The start copies the last segment, which may be longer than the window.
        part("copies a segment of several windows") {
            var limits = Journal.Limits.plain
            limits.segmentBytes = 4 << 20
            var rig = try JournalRig(limits: limits)
            let comment = String(repeating: "c", count: 400)
            for batch in 0..<12 {
                let facts = (0..<100).map {
                    Record.Fact.put(.make("e\(batch * 100 + $0)", comment: comment))
                }
                try rig.commit(facts)
            }
            expect(rig.disk.totalBytes(.journal) > 2 * SegmentReader.window)
            try rig.reopen(limits: limits)
            expect(rig.recovered.ids, is: (0..<1_200).map { "e\($0)" })
            expect(rig.disk.with { $0.longestRead } <= SegmentReader.window)
        }
    }
}

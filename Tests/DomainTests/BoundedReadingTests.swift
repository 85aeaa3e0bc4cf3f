import Testing

@testable import BeemedDomain

/// However much garbage there is, a start reads it through a window.
@Suite struct BoundedReadingTests {
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
        #expect(rig.recovered.ids == ["e1", "e2", "e3"])
        let isEnded = unit.last == 0x0A
        #expect(disk.totalBytes(.quarantine) == unit.count * count + (isEnded ? 0 : 1))
        #expect(disk.with { $0.longestRead } <= SegmentReader.window)
        #expect(rig.recovered.quarantine.count == 1)
    }

    /// What a debug build can do in a second; a release build does the whole of it.
    private var scale: Int {
        #if DEBUG
            1
        #else
            20
        #endif
    }

    @Test func `passes over a million lines of garbage`() throws {
        try check(Array("garbage\n".utf8), count: 50_000 * scale)
    }

    @Test func `passes over one endless line`() throws {
        try check(Array(repeating: 0x58, count: 65_536), count: 16 * scale)
    }

    @Test func `passes over garbage that is nothing but beginnings of lines`() throws {
        try check(Array("{\"t\":\"".utf8), count: 30_000 * scale)
    }

    @Test func `passes over garbage that is nothing but TAB`() throws {
        try check(Array(repeating: 0x09, count: 1_024), count: 200 * scale)
    }

    @Test func `passes over beginnings with check values that are wrong`() throws {
        try check(Array("{\"t\":\"put\"}\t01234567".utf8), count: 10_000 * scale)
    }

    @Test func `finds every line wherever the window ends`() throws {
        let lines = Lines.segment(events: 40)
        var damaged = lines.bytes
        damaged[lines.starts[20] + 15] ^= 4
        for window in [1, 2, 7, 64, 200, 4_095, 65_536] {
            let disk = SimulatedDisk()
            disk.put(.segment(1), damaged)
            var reader = SegmentReader(disk, .segment(1), window: window)
            var count = 0
            while let piece = try reader.next() { if case .line = piece { count += 1 } }
            #expect(count == 40, "window \(window)")
        }
    }
}

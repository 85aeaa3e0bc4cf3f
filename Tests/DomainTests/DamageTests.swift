import Testing

@testable import BeemedDomain

/// Every damage that can be enumerated.
struct DamageTests {
    private func three() -> Lines { Lines.segment(events: 3) }

    // MARK: Every place

    @Test func `survives being cut off at every byte`() throws {
        let lines = three()
        for length in 0...lines.bytes.count {
            let disk = SimulatedDisk()
            disk.put(.segment(1), Array(lines.bytes.prefix(length)))
            let found = try openAnyway(disk).recovered
            // A record whose LF alone is gone is whole.
            let whole =
                lines.starts.dropFirst(2).count { $0 - 1 <= length }
                + (length >= lines.bytes.count - 1 ? 1 : 0)
            expect(found.ids, is: ["e1", "e2", "e3"].prefix(whole).map { $0 })
            expect(found.recoveryReport.isDamage, is: (length < lines.starts[1] - 1))
        }
    }

    @Test func `finds every flipped bit and loses at most its line`() throws {
        let lines = three()
        var second = Lines()
        second.addOpening(2, first: 4)
        second.addPut(4)
        for index in lines.bytes.indices {
            let bits = index % 7 == 0 ? Array(0..<8) : [index % 8]
            for bit in bits {
                var bytes = lines.bytes
                bytes[index] ^= 1 << bit
                let disk = SimulatedDisk()
                disk.put(.segment(1), bytes)
                disk.put(.segment(2), second.bytes)
                let found = try Recovery.replay(disk)
                let hit = lines.starts.lastIndex { $0 <= index } ?? 0
                var kept = ["e1", "e2", "e3", "e4"]
                // A flipped LF damages no record: its own and its neighbour are both whole.
                let isLineFeed = lines.bytes[index] == 0x0A
                if (1...3).contains(hit), !isLineFeed { kept.remove(at: hit - 1) }
                expect(found.ids, is: kept, "bit \(bit) of byte \(index)")
                expect(found.recoveryReport.damagedBytes + found.recoveryReport.tornTailBytes > 0)
                expect(found.recoveryReport.isAlarm, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test(arguments: [0x00, 0xFF, 0x0A, 0x09, 0x7B] as [UInt8], [1, 511, 4_096, 70_000])
    func `takes a tail of one byte over and over for torn`(_ byte: UInt8, _ count: Int) throws {
        let disk = SimulatedDisk()
        disk.put(.segment(1), three().bytes + Array(repeating: byte, count: count))
        let found = try openAnyway(disk).recovered
        expect(found.ids, is: ["e1", "e2", "e3"])
        // Blank lines are room, which no line was written into yet.
        expect(found.recoveryReport.tornTailBytes, is: (byte == 0x0A ? 0 : count))
        expect(!found.recoveryReport.isAlarm)
    }

    @Test func `keeps both neighbours of any stretch that was zeroed`() throws {
        let lines = Lines.segment(events: 12)
        var chance = Randomness(seed: 5)
        for _ in 0..<300 {
            let start = Int.random(in: 0..<lines.bytes.count, using: &chance)
            let end = min(lines.bytes.count, start + Int.random(in: 1...600, using: &chance))
            var bytes = lines.bytes
            for index in start..<end { bytes[index] = 0 }
            let disk = SimulatedDisk()
            disk.put(.segment(1), bytes)
            let found = try Recovery.replay(disk)
            let spans = zip(lines.starts, lines.starts.dropFirst() + [lines.bytes.count])
            let untouched = spans.dropFirst().enumerated().filter { _, span in
                span.1 - 1 <= start || span.0 >= end
            }
            expect(found.ids, is: untouched.map { "e\($0.offset + 1)" }, "\(start)..<\(end)")
        }
    }

    @Test func `survives sectors that were swapped, doubled or dropped`() throws {
        let lines = Lines.segment(events: 30)
        let offered = Set((1...30).map { "e\($0)" })
        var chance = Randomness(seed: 6)
        let sectors = stride(from: 0, to: lines.bytes.count, by: 512).map {
            Array(lines.bytes[$0..<min($0 + 512, lines.bytes.count)])
        }
        for _ in 0..<(Thorough.isEveryPlace ? 150 : 50) {
            var shuffled = sectors
            let one = Int.random(in: 0..<sectors.count, using: &chance)
            let other = Int.random(in: 0..<sectors.count, using: &chance)
            switch Int.random(in: 0..<3, using: &chance) {
            case 0: shuffled.swapAt(one, other)
            case 1: shuffled[one] = shuffled[other]
            default: shuffled.remove(at: one)
            }
            let disk = SimulatedDisk()
            disk.put(.segment(1), Array(shuffled.joined()))
            let found = try openAnyway(disk, among: offered).recovered
            expect(found.ids.count >= 18)
        }
    }

    // MARK: Numbers that no relay has written

    /// A press with those times, whose check value is right.
    private static func put(at: Int64, wall: Int64, mono: Int64) -> String {
        #"{"t":"put","q":4,"src":"button","id":"x","goal":"pushups","value":1,"#
            + #""at":\#(at),"from":"age","rx":{"wall":\#(wall),"mono":\#(mono),"boot":"b00t"}}"#
    }

    static let impossible: [String] =
        [Int64.min, -1 << 36 - 1, 1 << 38 + 1, .max].flatMap {
            [
                put(at: $0, wall: 1_760_000_000, mono: 5_000),
                put(at: 1_760_000_000, wall: $0, mono: 5_000),
                #"{"t":"timed","q":4,"of":1,"at":\#($0)}"#,
            ]
        }
        + [Int64.min, -1, 1 << 52 + 1, .max].map {
            put(at: 1_760_000_000, wall: 1_760_000_000, mono: $0)
        }

    @Test(arguments: impossible)
    func `takes a line with a time that cannot be for damage`(_ json: String) throws {
        var lines = three()
        lines.add(json)
        lines.addPut(5)
        let found = try openAnyway(lines.disk()).recovered
        expect(found.ids, is: ["e1", "e2", "e3", "e5"])
        expect(found.recoveryReport.damagedBytes, is: json.utf8.count + 10)
        expect(found.recoveryReport.missing, is: [4...4])
    }

    @Test(arguments: [(-1 << 36, 0), (1 << 38, 1 << 52)] as [(Int64, Int64)])
    func `begins with the extreme times that a record may have`(
        _ wall: Int64, _ mono: Int64
    ) throws {
        var lines = three()
        lines.add(DamageTests.put(at: wall, wall: wall, mono: mono))
        lines.add(#"{"t":"timed","q":5,"of":1,"at":\#(wall)}"#)
        for number in 6...8 {
            lines.add(
                #"{"t":"revise","q":\#(number),"of":\#(number - 5),"value":1.7e308}"#)
        }
        lines.add(#"{"t":"tried","q":9,"of":1,"n":2147483647,"why":"x"}"#)
        var bench = try CoreBench(
            disk: lines.disk(), token: .unknown, asksUpstreamTime: true)
        expect(bench.rig.recovered.recoveryReport.sentences.isEmpty)
        bench.learn()
        bench.apply(.receivedTime(UpstreamTime(bench.now.wall, at: bench.now.monotonic)))
        expect(bench.view("x")?.event.at, is: UnixTime(wall))
        expect(bench.core.view.snapshot(at: bench.now).goals.count, is: 1)
    }

    // MARK: No room

    @Test(arguments: ["publish.create", "publish.append", "publish.sync"])
    func `copies damage once, however often there is no room to go on`(_ site: String) throws {
        let bytes = Array(three().bytes.dropLast(20))
        let disk = SimulatedDisk()
        disk.put(.segment(1), bytes)
        for _ in 0..<3 {
            // Behind the copy, of which there is one however often it is made.
            disk.healFaults()
            disk.fail(site, DiskError.noSpace, after: 1, times: 1_000)
            var rig = try JournalRig(disk)
            expect(rig.recovered.recoveryReport.obstacle != nil)
            for _ in 0..<3 { #expect(throws: CommitFailure.self) { try rig.commit(.mark) } }
            expect(disk.names(.quarantine).count, is: 1)
            expect(disk.bytes(.segment(1)), is: bytes)
            disk.kill()
        }
        disk.healFaults()
        try openAnyway(disk)
    }

    /// It may have its name after the next power cut, and then the copy is all there is.
    @Test func `keeps the copy when nobody knows whether the new segment has its name`() throws {
        let disk = SimulatedDisk()
        disk.put(.segment(1), Array(three().bytes.dropLast(20)))
        disk.fail("publish.folder", 5, after: 1)
        #expect(throws: JournalOpenError.self) { try JournalRig(disk) }
        expect(disk.names(.quarantine).count, is: 1)
    }
}

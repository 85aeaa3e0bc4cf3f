import Testing

@testable import BeemedDomain

/// The table of results.
@Suite struct RecoveryTests {
    private func three() -> Lines { Lines.segment(events: 3) }

    // MARK: The table

    @Test func `takes a torn tail for what nobody was promised`() throws {
        let lines = three()
        let disk = SimulatedDisk()
        disk.put(.segment(1), Array(lines.bytes.dropLast(20)))
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2"])
        #expect(found.recoveryReport.tornTailBytes == lines.bytes.count - lines.starts[4] - 20)
        #expect(!found.recoveryReport.isAlarm)
        #expect(found.next == 3)
    }

    @Test func `takes a tail longer than a batch and its room for damage`() throws {
        let disk = SimulatedDisk()
        disk.put(
            .segment(1), three().bytes + Array(repeating: 0x58, count: Recovery.tornBytes + 1))
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2", "e3"])
        #expect(found.recoveryReport.damagedBytes == Recovery.tornBytes + 1)
    }

    @Test(arguments: ["close", "seal"])
    func `takes bytes after an end for damage`(_ type: String) throws {
        var lines = three()
        lines.add("{\"t\":\"\(type)\",\"q\":4,\"n\":3}")
        let disk = SimulatedDisk()
        disk.put(.segment(1), lines.bytes + Array("xyz".utf8))
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2", "e3"])
        #expect(found.recoveryReport.damagedBytes == 3)
        #expect(found.recoveryReport.isAlarm)
    }

    @Test func `takes a record after an end in, and says so`() throws {
        var lines = three()
        lines.add(#"{"t":"close","q":4,"n":3}"#)
        lines.addPut(4)
        let found = try openAnyway(lines.disk()).recovered
        #expect(found.ids == ["e1", "e2", "e3", "e4"])
        #expect(found.recoveryReport.isAlarm)
    }

    @Test func `loses one line to one damaged line, and names it`() throws {
        for (number, start) in three().starts.enumerated().dropFirst(2) where number < 4 {
            let lines = three()
            var bytes = lines.bytes
            bytes[start + 30] ^= 0x20
            let disk = SimulatedDisk()
            disk.put(.segment(1), bytes)
            let found = try openAnyway(disk).recovered
            let lost = UInt64(number - 1)
            #expect(found.ids == ["e1", "e2", "e3"].filter { $0 != "e\(lost)" })
            #expect(found.recoveryReport.missing == [lost...lost])
            #expect(found.recoveryReport.sentences.contains("record \(lost) is missing"))
            #expect(found.next == 4)
        }
    }

    @Test func `names what a close or a seal counts and is not there`() throws {
        for type in ["close", "seal"] {
            var lines = three()
            lines.add("{\"t\":\"\(type)\",\"q\":6,\"n\":5}")
            let found = try openAnyway(lines.disk()).recovered
            #expect(found.recoveryReport.missing == [4...5])
            #expect(found.recoveryReport.anomalies == ["segment 1 has 3 of 5 records"])
            #expect(found.next == 6)
        }
    }

    @Test func `names a missing segment and its records`() throws {
        var lines = three()
        lines.add(#"{"t":"seal","q":4,"n":3}"#)
        let disk = lines.disk()
        var third = Lines()
        third.add(#"{"t":"open","v":1,"store":"5704e","seg":3,"q":9,"base":false}"#)
        third.addPut(9)
        disk.put(.segment(3), third.bytes)
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2", "e3", "e9"])
        #expect(found.recoveryReport.missingSegments == [2])
        #expect(found.recoveryReport.missing == [4...8])
    }

    @Test func `names the segment that must follow a sealed one`() throws {
        var lines = three()
        lines.add(#"{"t":"seal","q":4,"n":3}"#)
        let found = try openAnyway(lines.disk()).recovered
        #expect(found.recoveryReport.missingSegments == [2])
    }

    @Test func `takes a torn seal for no damage, since the next segment says the same`() throws {
        let disk = SimulatedDisk()
        disk.put(.segment(1), three().bytes + Array(#"{"t":"sea"#.utf8))
        var second = Lines()
        second.add(#"{"t":"open","v":1,"store":"5704e","seg":2,"q":4,"base":false}"#)
        second.addPut(4)
        disk.put(.segment(2), second.bytes)
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2", "e3", "e4"])
        #expect(!found.recoveryReport.isAlarm)
        #expect(found.recoveryReport.tornTailBytes == 9)
    }

    @Test func `takes a torn end before another segment for damage when records are missing`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put(.segment(1), Array(three().bytes.dropLast(20)))
        var second = Lines()
        second.add(#"{"t":"open","v":1,"store":"5704e","seg":2,"q":4,"base":false}"#)
        disk.put(.segment(2), second.bytes)
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2"])
        #expect(found.recoveryReport.missing == [3...3])
        #expect(found.recoveryReport.tornTailBytes == 0)
    }

    @Test func `reads only the newest of two complete snapshots`() throws {
        let disk = three().disk()
        var second = Lines()
        second.add(#"{"t":"open","v":1,"store":"5704e","seg":2,"q":4,"base":true}"#)
        second.addPut(2)
        second.add(#"{"t":"base-end","q":4,"n":1}"#)
        disk.put(.segment(2), second.bytes)
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e2"])
        #expect(found.recoveryReport.sentences.isEmpty)
        #expect(found.next == 4)
    }

    @Test func `goes back to an older snapshot when the newest is incomplete`() throws {
        let disk = three().disk()
        var second = Lines()
        second.add(#"{"t":"open","v":1,"store":"5704e","seg":2,"q":4,"base":true}"#)
        second.addPut(2)
        second.add(#"{"t":"base-end","q":4,"n":2}"#)
        second.addPut(4)
        disk.put(.segment(2), second.bytes)
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2", "e3", "e4"])
        #expect(found.recoveryReport.anomalies == ["the snapshot in segment 2 has 1 of 2 lines"])
    }

    @Test func `keeps what is left of the only snapshot`() throws {
        var lines = Lines()
        lines.add(#"{"t":"open","v":1,"store":"5704e","seg":1,"q":9,"base":true}"#)
        for number in [2, 5, 7] { lines.addPut(number) }
        lines.add(#"{"t":"base-end","q":9,"n":3}"#)
        lines.addPut(9)
        lines.addPut(10)
        var bytes = lines.bytes
        bytes[lines.starts[2] + 30] ^= 1
        let disk = SimulatedDisk()
        disk.put(.segment(1), bytes)
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e2", "e7", "e9", "e10"])
        #expect(found.recoveryReport.missing.isEmpty)
        #expect(found.recoveryReport.isAlarm)
        #expect(found.next == 11)
    }

    @Test func `keeps events without an opening or a snapshot's end`() throws {
        for lost in 0...1 {
            let lines = three()
            var bytes = lines.bytes
            bytes[lines.starts[lost] + 8] ^= 1
            let disk = SimulatedDisk()
            disk.put(.segment(1), bytes)
            let found = try openAnyway(disk).recovered
            #expect(found.ids == ["e1", "e2", "e3"])
            #expect(found.recoveryReport.isAlarm)
            #expect(found.next == 4)
        }
    }

    @Test func `touches nothing that a later version wrote`() throws {
        var lines = Lines()
        lines.add(#"{"t":"open","v":2,"store":"5704e","seg":9,"q":1,"base":true}"#)
        let disk = three().disk()
        disk.put(.segment(9), lines.bytes)
        disk.put(StoredFile(.journal, "00000010.tmp"), [1])
        let names = disk.names(.journal)
        #expect(throws: JournalOpenError.laterVersion(segment: 9, version: 2)) {
            try JournalRig(disk)
        }
        #expect(disk.names(.journal) == names)
        #expect(disk.bytes(.segment(9)) == lines.bytes)
        #expect(disk.bytes(.segment(1)) == three().bytes)
    }

    // MARK: Files that should not be

    @Test func `counts an empty segment as odd and loses nothing`() throws {
        let disk = three().disk()
        disk.put(.segment(2), [])
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2", "e3"])
        #expect(found.recoveryReport.anomalies == ["segment 2 has no beginning"])
        #expect(found.next == 4)
    }

    @Test func `is not led astray by a copy of a segment under a later name`() throws {
        let disk = three().disk()
        disk.put(.segment(7), three().bytes)
        var more = Lines()
        more.add(#"{"t":"open","v":1,"store":"5704e","seg":2,"q":4,"base":false}"#)
        more.addPut(4)
        disk.put(.segment(2), more.bytes)
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2", "e3", "e4"])
        #expect(found.recoveryReport.anomalies.contains("00000007.jnl says that it is segment 1"))
    }

    @Test func `puts a segment of another store in quarantine`() throws {
        let disk = three().disk()
        var other = Lines()
        other.add(#"{"t":"open","v":1,"store":"07e4","seg":2,"q":4,"base":false}"#)
        other.addPut(4)
        other.addPut(5)
        disk.put(.segment(2), other.bytes)
        let found = try openAnyway(disk).recovered
        #expect(found.ids == ["e1", "e2", "e3"])
        #expect(found.recoveryReport.damagedBytes == other.bytes.count)
        let words = "segment 2 belongs to another store; it is set aside in quarantine"
        #expect(found.recoveryReport.anomalies.contains(words))
    }

    @Test func `removes what was left over of an unfinished file, by its name`() throws {
        let disk = three().disk()
        disk.put(StoredFile(.journal, "00000002.tmp"), [1, 2, 3])
        // A hard link to the live segment: to cut it off would empty that.
        disk.with { state in
            state.names[StoredFile(.journal, "00000003.tmp")] = state.names[.segment(1)]
            if let id = state.names[.segment(1)] { state.files[id]?.links += 1 }
        }
        let rig = try JournalRig(disk)
        #expect(rig.recovered.ids == ["e1", "e2", "e3"])
        #expect(disk.journalNames == ["00000001.jnl", "00000002.jnl"])
    }

    @Test func `leaves files alone whose names it does not know`() throws {
        let disk = three().disk()
        for name in ["notes.txt", "1.jnl", "x0000001.jnl", "99999999999999999999.jnl"] {
            disk.put(StoredFile(.journal, name), [1, 2, 3])
        }
        let rig = try JournalRig(disk)
        #expect(rig.recovered.ids == ["e1", "e2", "e3"])
        #expect(disk.journalNames.count == 6)
    }

    @Test func `starts anew in an empty folder`() throws {
        let rig = try openAnyway(SimulatedDisk())
        #expect(rig.recovered.entries.isEmpty)
        #expect(rig.next == 1)
    }

    // MARK: Lines that are good and do not belong

    @Test func `says so when a folder that has been used is empty`() throws {
        for isUsed in [true, false] {
            let (_, found, _) = try Journal.open(
                SimulatedDisk(), store: "5704e", time: UnixTime(0), limits: .plain,
                isUsed: isUsed)
            #expect(found.recoveryReport.isAlarm == isUsed)
            #expect(found.next == 1)
        }
    }

    @Test func `writes no segment that it could not find again`() throws {
        let disk = SimulatedDisk()
        disk.put(.segment(1 << 31 - 1), Lines.segment(1 << 31 - 1).bytes)
        let error = DiskError("publish.number", code: DiskError.tooGreat)
        #expect(throws: JournalOpenError.disk(error)) { try JournalRig(disk) }
        #expect(disk.names(.journal) == ["2147483647.jnl"])
    }

    @Test func `takes doubled lines once`() throws {
        for index in 2...4 {
            var lines = three()
            let end = index < 4 ? lines.starts[index + 1] : lines.bytes.count
            let line = Array(lines.bytes[lines.starts[index]..<end])
            let disk = SimulatedDisk()
            lines.addPut(4)
            disk.put(.segment(1), lines.bytes + line)
            let found = try openAnyway(disk).recovered
            #expect(found.ids == ["e1", "e2", "e3", "e4"])
            #expect(found.recoveryReport.repeated == 1)
            #expect(!found.recoveryReport.isAlarm)
        }
    }

    @Test func `takes lines in any order`() throws {
        var lines = Lines.segment(events: 0)
        lines.add(#"{"t":"done","q":5,"of":1,"how":"created"}"#)
        for number in [4, 2, 1, 3] { lines.addPut(number) }
        let found = try openAnyway(lines.disk()).recovered
        #expect(found.ids == ["e1", "e2", "e3", "e4"])
        #expect(found.pendingIDs == ["e2", "e3", "e4"])
        #expect(found.recoveryReport.missing.isEmpty)
        #expect(found.next == 6)
    }

    @Test func `keeps the first of two events with one number and quarantines the other`() throws {
        var lines = three()
        lines.addPut(2, id: "other")
        lines.addPut(4)
        let found = try openAnyway(lines.disk()).recovered
        #expect(found.ids == ["e1", "e2", "e3", "e4"])
        #expect(found.recoveryReport.damagedBytes > 0)
    }

    @Test func `lets a settlement go whose event is gone`() throws {
        var lines = three()
        lines.add(#"{"t":"done","q":4,"of":99,"how":"created"}"#)
        lines.add(#"{"t":"done","q":5,"of":1,"how":"created"}"#)
        lines.add(#"{"t":"refused","q":6,"of":1,"status":422,"why":""}"#)
        let found = try openAnyway(lines.disk()).recovered
        #expect(found.pendingIDs == ["e2", "e3"])
        #expect(found.entries[0].settlement == .delivered(.created, datapoint: nil))
        #expect(found.next == 7)
    }

    @Test func `reads many records about one missing event as fast as about many`() throws {
        func nanoseconds(_ of: (Int) -> Int) throws -> Int64 {
            var lines = Lines.segment(events: 0)
            for number in 1...20_000 {
                lines.add("{\"t\":\"undo\",\"q\":\(number),\"of\":\(of(number))}")
            }
            let disk = lines.disk()
            var next: SequenceNumber?
            let time = try ThreadTime.nanoseconds { next = try Recovery.read(disk).next }
            #expect(next == 20_001)
            return time
        }
        let many = try nanoseconds { 1_000_000 + $0 }
        let one = try nanoseconds { _ in 1_000_000 }
        #expect(one < 4 * many)
    }

    @Test func `quarantines garbage whose check value is right`() throws {
        let garbage: [[UInt8]] = [
            [], [0, 0, 0], Array("{}".utf8), Array("null".utf8), [0xFF, 0xFE],
            Array(#"{"t":"put","q":4}"#.utf8), Array(#"{"t":"put","q":4,"id":"\u0000"}"#.utf8),
            Array(String(repeating: "[", count: 60_000).utf8),
            Array(String(repeating: #"{"t":"#, count: 10_000).utf8),
            Array(#"{"t":"mark","q":18446744073709551615}"#.utf8),
            Array(#"{"t":"open","v":1,"store":"5704e","seg":1,"q":1,"base":true}"#.utf8),
        ]
        for json in garbage {
            var lines = three()
            lines.add(json)
            lines.addPut(4)
            let found = try openAnyway(lines.disk()).recovered
            #expect(found.ids == ["e1", "e2", "e3", "e4"])
            #expect(found.recoveryReport.damagedBytes == json.count + 10)
        }
    }

    @Test func `touches nothing when a record's number leaves none for more records`() throws {
        var lines = three()
        lines.add(#"{"t":"mark","q":9007199254740991}"#)
        let disk = lines.disk()
        let last = SequenceNumber(1 << 53)
        #expect(throws: JournalOpenError.forgedNumber(last)) { try JournalRig(disk) }
        #expect(disk.bytes(.segment(1)) == lines.bytes)
        #expect(last.forgery.contains("move the file in journal/ that has it away"))
    }
}

import Testing

@testable import BeemedDomain

/// The table of results.
struct RecoveryTests {
    private func three() -> Lines { Lines.segment(events: 3) }

    // MARK: The table

    @Test func `the table`() {
        part("takes a torn tail for what nobody was promised") {
            let lines = three()
            let disk = SimulatedDisk()
            disk.put(.segment(1), Array(lines.bytes.dropLast(20)))
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["e1", "e2"])
            expect(found.recoveryReport.tornTailBytes, is: lines.bytes.count - lines.starts[3] - 20)
            expect(!found.recoveryReport.isAlarm)
            expect(found.next, is: 3)
        }
        part("takes a tail longer than a batch and its room for damage") {
            let disk = SimulatedDisk()
            disk.put(
                .segment(1), three().bytes + Array(repeating: 0x58, count: Recovery.tornBytes + 1))
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["e1", "e2", "e3"])
            expect(found.recoveryReport.damagedBytes, is: Recovery.tornBytes + 1)
        }
        part("takes bytes after an end for damage") {
            var lines = three()
            lines.add(#"{"t":"close","q":4}"#)
            let disk = SimulatedDisk()
            disk.put(.segment(1), lines.bytes + Array("xyz".utf8))
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["e1", "e2", "e3"])
            expect(found.recoveryReport.damagedBytes, is: 3)
            expect(found.recoveryReport.isAlarm)
        }
        part("takes a record after an end in, and says so") {
            var lines = three()
            lines.add(#"{"t":"close","q":4}"#)
            lines.addPut(4)
            let found = try openAnyway(lines.disk()).recovered
            expect(found.ids, is: ["e1", "e2", "e3", "e4"])
            expect(found.recoveryReport.isAlarm)
        }
        part("loses one line to one damaged line, and names it") {
            for (number, start) in three().starts.enumerated().dropFirst() where number < 3 {
                let lines = three()
                var bytes = lines.bytes
                bytes[start + 30] ^= 0x20
                let disk = SimulatedDisk()
                disk.put(.segment(1), bytes)
                let found = try openAnyway(disk).recovered
                let lost = UInt64(number)
                let kept = (1...3).filter { $0 != number }.map { "e\($0)" }
                expect(found.ids, is: kept)
                expect(found.recoveryReport.missing, is: [lost...lost])
                expect(found.recoveryReport.sentences.contains("record \(lost) is missing"))
                expect(found.next, is: 6, "two events are stated again")
            }
        }
    }

    @Test func `segments that are missing`() {
        part("names what a close says was written and is not there") {
            var lines = three()
            lines.add(#"{"t":"close","q":6}"#)
            let found = try openAnyway(lines.disk()).recovered
            expect(found.recoveryReport.missing, is: [4...5])
            expect(found.next, is: 9, "three events are stated again")
        }
        part("names a missing segment and its records") {
            let disk = three().disk()
            var third = Lines()
            third.addOpening(3, first: 9)
            third.addPut(9)
            disk.put(.segment(3), third.bytes)
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["e1", "e2", "e3", "e9"])
            expect(found.recoveryReport.missingSegments, is: [2])
            expect(found.recoveryReport.missing, is: [4...8])
        }
        part("names the oldest segment that is needed and is not there") {
            let disk = SimulatedDisk()
            for number in 3...4 {
                var lines = Lines()
                lines.addOpening(number, first: number * 10, oldest: 2)
                for record in 0..<10 { lines.addPut(number * 10 + record) }
                disk.put(.segment(number), lines.bytes)
            }
            let found = try openAnyway(disk).recovered
            expect(found.entries.count, is: 20)
            expect(found.recoveryReport.missingSegments, is: [2])
        }
        part("takes a torn end before another segment for damage") {
            for isWhole in [true, false] {
                let disk = SimulatedDisk()
                let torn = Array(three().bytes.dropLast(20))
                disk.put(.segment(1), isWhole ? three().bytes + [0x58] : torn)
                var second = Lines()
                second.addOpening(2, first: 4)
                disk.put(.segment(2), second.bytes)
                let found = try openAnyway(disk).recovered
                expect(found.ids, is: (isWhole ? ["e1", "e2", "e3"] : ["e1", "e2"]))
                expect(found.recoveryReport.missing, is: (isWhole ? [] : [3...3]))
                expect(found.recoveryReport.tornTailBytes, is: 0)
                expect(found.recoveryReport.isAlarm)
            }
        }
        part("reads from the segment on that the newest first line names") {
            let disk = three().disk()
            var second = Lines()
            second.addOpening(2, first: 4, oldest: 2)
            second.addPut(4)
            disk.put(.segment(2), second.bytes)
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["e4"])
            expect(found.recoveryReport.sentences.isEmpty)
            expect(found.next, is: 5)
        }
    }

    @Test func `statements and versions`() throws {
        part("a later statement of an event replaces the earlier one") {
            var state = RecordedState()
            state.apply(.retry(of: 1, goal: .known("water")), 3)
            let carried = Recovered.Entry(
                number: 1, event: .make("e1"), recorded: state,
                statedAt: 4)
            for isKnown in [true, false] {
                var lines = Lines()
                lines.addOpening(first: isKnown ? 1 : 4)
                var writer = JSONWriter()
                if isKnown {
                    for number in 1...3 { lines.addPut(number) }
                }
                writer.write(Record(4, .carried(carried)))
                lines.addLines(writer.bytes)
                lines.add(#"{"t":"done","q":5,"of":1,"how":"created"}"#)
                let found = try openAnyway(lines.disk()).recovered
                let entry = try require(found.entries.first)
                expect(entry.recorded.goal, is: .known("water"))
                expect(entry.settlement, is: .delivered(.created, datapoint: nil))
                expect(entry.statedAt, is: 4)
                expect(found.next, is: 6)
            }
        }
        // The core had not heard of the record yet.
        part("a statement does not take back what was recorded just before it") {
            for isKnown in [true, false] {
                var lines = Lines()
                lines.addOpening(first: isKnown ? 1 : 2)
                if isKnown { lines.addPut(1) }
                lines.add(#"{"t":"undo","q":2,"of":1}"#)
                var writer = JSONWriter()
                let carried = Recovered.Entry(
                    number: 1, event: .make("e1"), recorded: RecordedState(), statedAt: 3)
                writer.write(Record(3, .carried(carried)))
                lines.addLines(writer.bytes)
                let found = try openAnyway(lines.disk()).recovered
                expect(found.entries.map(\.recorded.isUnwanted), is: [true])
            }
        }
        // Touches nothing that another version wrote.
        for version in [1, 3] as [Int] {
            var lines = Lines()
            lines.addOpening(9, oldest: 9, version: version)
            let disk = three().disk()
            disk.put(.segment(9), lines.bytes)
            disk.put(StoredFile(.journal, "00000010.tmp"), [1])
            let names = disk.names(.journal)
            #expect(throws: JournalOpenError.otherVersion(segment: 9, version: version)) {
                try JournalRig(disk)
            }
            expect(disk.names(.journal), is: names, "\(version)")
            expect(disk.bytes(.segment(9)), is: lines.bytes, "\(version)")
            expect(disk.bytes(.segment(1)), is: three().bytes, "\(version)")
        }
    }

    // MARK: Files that should not be

    @Test func `files that should not be`() {
        part("counts an empty segment as odd and loses nothing") {
            let disk = three().disk()
            disk.put(.segment(2), [])
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["e1", "e2", "e3"])
            expect(found.recoveryReport.anomalies, is: ["segment 2 has no beginning"])
            expect(found.next, is: 7, "three events are stated again")
        }
        part("is not led astray by a copy of a segment under a later name") {
            let disk = three().disk()
            disk.put(.segment(7), three().bytes)
            var more = Lines()
            more.addOpening(2, first: 4)
            more.addPut(4)
            disk.put(.segment(2), more.bytes)
            let found = try openAnyway(disk).recovered
            expect(found.ids, is: ["e1", "e2", "e3", "e4"])
            expect(
                found.recoveryReport.anomalies.contains("00000007.jnl says that it is segment 1"))
        }
        part("removes what was left over of an unfinished file, by its name") {
            let disk = three().disk()
            disk.put(StoredFile(.journal, "00000002.tmp"), [1, 2, 3])
            // A hard link to the live segment: to cut it off would empty that.
            disk.with { state in
                state.names[StoredFile(.journal, "00000003.tmp")] = state.names[.segment(1)]
                if let id = state.names[.segment(1)] { state.files[id]?.links += 1 }
            }
            let rig = try JournalRig(disk)
            expect(rig.recovered.ids, is: ["e1", "e2", "e3"])
            expect(disk.journalNames, is: ["00000001.jnl"])
        }
        part("leaves files alone whose names it does not know") {
            let disk = three().disk()
            for name in ["notes.txt", "1.jnl", "x0000001.jnl", "99999999999999999999.jnl"] {
                disk.put(StoredFile(.journal, name), [1, 2, 3])
            }
            let rig = try JournalRig(disk)
            expect(rig.recovered.ids, is: ["e1", "e2", "e3"])
            expect(disk.journalNames.count, is: 5)
        }
    }

    // MARK: Lines that are good and do not belong

    @Test func `good lines that do not belong`() {
        part("says so when a folder that has been used is empty") {
            for isUsed in [true, false] {
                let (_, found, _) = try Journal.open(
                    SimulatedDisk(), store: "5704e", time: UnixTime(0), limits: .plain,
                    isUsed: isUsed)
                expect(found.recoveryReport.isAlarm, is: isUsed)
                expect(found.next, is: 1)
            }
        }
        part("writes no segment that it could not find again") {
            let disk = SimulatedDisk()
            disk.put(.segment(1 << 31 - 1), Lines.segment(1 << 31 - 1).bytes)
            let error = DiskError("publish.number", code: DiskError.tooGreat)
            #expect(throws: JournalOpenError.disk(error)) { try JournalRig(disk) }
            expect(disk.names(.journal), is: ["2147483647.jnl"])
        }
        part("takes doubled lines once") {
            for index in 1...3 {
                var lines = three()
                let end = index < 3 ? lines.starts[index + 1] : lines.bytes.count
                let line = Array(lines.bytes[lines.starts[index]..<end])
                let disk = SimulatedDisk()
                lines.addPut(4)
                disk.put(.segment(1), lines.bytes + line)
                let found = try openAnyway(disk).recovered
                expect(found.ids, is: ["e1", "e2", "e3", "e4"])
                expect(found.recoveryReport.repeated, is: 1)
                expect(!found.recoveryReport.isAlarm)
            }
        }
        part("takes lines in any order, with an alarm") {
            var lines = Lines.segment(events: 0)
            lines.add(#"{"t":"done","q":5,"of":1,"how":"created"}"#)
            for number in [4, 2, 1, 3] { lines.addPut(number) }
            let found = try openAnyway(lines.disk()).recovered
            expect(found.ids, is: ["e1", "e2", "e3", "e4"])
            expect(found.pendingIDs, is: ["e2", "e3", "e4"])
            expect(found.recoveryReport.isAlarm)
            expect(found.next, is: 10)
        }
        part("keeps the first of two events with one number and quarantines the other") {
            var lines = three()
            lines.addPut(2, id: "other")
            lines.addPut(4)
            let found = try openAnyway(lines.disk()).recovered
            expect(found.ids, is: ["e1", "e2", "e3", "e4"])
            expect(found.recoveryReport.damagedBytes > 0)
        }
        part("lets a settlement go whose event is gone") {
            var lines = three()
            lines.add(#"{"t":"done","q":4,"of":99,"how":"created"}"#)
            lines.add(#"{"t":"done","q":5,"of":1,"how":"created"}"#)
            lines.add(#"{"t":"refused","q":6,"of":1,"status":422,"why":""}"#)
            let found = try openAnyway(lines.disk()).recovered
            expect(found.pendingIDs, is: ["e2", "e3"])
            expect(found.entries[0].settlement, is: .delivered(.created, datapoint: nil))
            expect(found.next, is: 7)
        }
    }

    @Test func `records that make no sense`() {
        part("reads many records about one missing event as fast as about many") {
            func nanoseconds(_ of: (Int) -> Int) throws -> Int64 {
                var lines = Lines.segment(events: 0)
                for number in 1...20_000 {
                    lines.add("{\"t\":\"undo\",\"q\":\(number),\"of\":\(of(number))}")
                }
                let disk = lines.disk()
                var next: SequenceNumber?
                let time = try ThreadTime.nanoseconds { next = try Recovery.replay(disk).next }
                expect(next, is: 20_001)
                return time
            }
            let many = try nanoseconds { 1_000_000 + $0 }
            let one = try nanoseconds { _ in 1_000_000 }
            expect(one < 4 * many)
        }
        part("quarantines garbage whose check value is right") {
            let garbage: [[UInt8]] = [
                [], [0, 0, 0], Array("{}".utf8), Array("null".utf8), [0xFF, 0xFE],
                Array(#"{"t":"put","q":4}"#.utf8), Array(#"{"t":"put","q":4,"id":"\u0000"}"#.utf8),
                Array(String(repeating: "[", count: 60_000).utf8),
                Array(String(repeating: #"{"t":"#, count: 10_000).utf8),
                Array(#"{"t":"mark","q":18446744073709551615}"#.utf8),
                Array(#"{"t":"mark","q":4503599627370496}"#.utf8),
                Array(
                    #"{"t":"open","v":2,"store":"5704e","seg":1,"q":1,"oldest":1,"at":1760000000}"#
                        .utf8
                ),
            ]
            for json in garbage {
                var lines = three()
                lines.add(json)
                lines.addPut(4)
                let found = try openAnyway(lines.disk()).recovered
                expect(found.ids, is: ["e1", "e2", "e3", "e4"])
                expect(found.recoveryReport.damagedBytes, is: json.count + 10)
            }
        }
    }
}

import Foundation
import Testing

@testable import BeemedDomain

/// Files in the journal's folder that are not the journal's, and a journal that others have cut.
struct ForeignFileTests {
    private let now = UnixTime(1_760_000_000)

    /// A store with some presses, as a killed process leaves it: the first segment is retired, and
    /// the second one has all events.
    private func filled() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.put(.segment(1), Lines.segment(events: 2).bytes)
        var second = Lines()
        second.addOpening(2, first: 3, oldest: 2)
        for (index, id) in ["a", "b", "c", "d", "e"].enumerated() {
            second.addPut(index + 3, id: id)
        }
        disk.put(.segment(2), second.bytes)
        disk.put(HighWaterMark.file, StorePosition(store: "5704e", next: 8).mark)
        return disk
    }

    private func open(_ disk: SimulatedDisk) throws -> Recovered {
        defer { disk.kill() }
        return try Journal.open(
            disk, store: "new", time: now, limits: .plain, known: "5704e"
        ).1
    }

    private func stranger(_ number: Int, isFirst: Bool) -> [UInt8] {
        var lines = Lines()
        lines.addOpening(number, first: 50, oldest: isFirst ? number : 1, store: "07e4")
        lines.addPut(50, id: "x")
        return lines.bytes
    }

    static let strangers = [3, 4, 99, 1 << 31 - 1].flatMap { [($0, true), ($0, false)] }

    @Test func `segments of another store`() throws {
        // A segment of another store stands in for none of ours.
        for (number, isFirst) in Self.strangers {
            let disk = try filled()
            let bytes = stranger(number, isFirst: isFirst)
            disk.put(.segment(number), bytes)
            let verifyReport = Journal.inspect(disk, known: "5704e")
            expect(verifyReport.isAlarm, "\(number)")
            let found = try open(disk)
            expect(found.ids, is: ["a", "b", "c", "d", "e"], "\(number)")
            expect(found.recoveryReport.isAlarm, "\(number)")
            let words = "segment \(number) belongs to another store; it is set aside in quarantine"
            expect(found.recoveryReport.anomalies.contains(words), "\(number)")
            expect(found.recoveryReport.damagedBytes, is: bytes.count, "\(number)")
            expect(disk.names(.quarantine).count, is: 1, "\(number)")
            expect(disk.totalBytes(.quarantine), is: bytes.count, "\(number)")
            let again = try open(disk)
            expect(again.ids, is: found.ids, "\(number)")
            expect(again.recoveryReport.sentences.isEmpty, "\(number)")
        }
        part("without the store's name the mark says it") {
            let disk = try filled()
            disk.put(.segment(99), stranger(99, isFirst: true))
            let rig = try JournalRig(disk)
            expect(rig.recovered.ids, is: ["a", "b", "c", "d", "e"])
            expect(rig.recovered.recoveryReport.isAlarm)
            expect(rig.journal.store, is: "5704e")
        }
        part("where nothing says the store's name, two stores are an alarm") {
            let disk = try filled()
            disk.remove(HighWaterMark.file)
            disk.put(.segment(99), stranger(99, isFirst: true))
            let rig = try JournalRig(disk)
            expect(rig.recovered.ids, is: ["a", "b", "c", "d", "e"])
            expect(
                rig.recovered.recoveryReport.anomalies.contains { $0.contains("several stores") })
        }
        part("segments of another store alone leave an empty store and an alarm") {
            let disk = SimulatedDisk()
            disk.put(.segment(7), stranger(7, isFirst: true))
            let found = try open(disk)
            expect(found.entries.isEmpty)
            expect(found.recoveryReport.isAlarm)
            expect(disk.totalBytes(.quarantine), is: stranger(7, isFirst: true).count)
        }
    }

    // MARK: Files that are no segment

    @Test func `what is no segment`() throws {
        part("an empty file of the greatest number is an alarm and costs nothing") {
            let disk = try filled()
            disk.put(.segment(1 << 31 - 1), [])
            let found = try open(disk)
            expect(found.ids, is: ["a", "b", "c", "d", "e"])
            expect(found.recoveryReport.isAlarm)
            expect(found.recoveryReport.missingSegments.isEmpty)
            expect(!disk.journalNames.contains("2147483647.jnl"))
            try expect(open(disk).recoveryReport.sentences.isEmpty)
        }
        // A folder where a file should be is set aside with an alarm.
        for place in [
            StoredFile(.journal, "x.tmp"), .segment(3), StoredFile(.journal, "00000003.tmp"),
            .segment(99), .segment(1),
        ] as [StoredFile] {
            let disk = try filled()
            if place == .segment(1) { disk.remove(place) }
            disk.makeFolder(place)
            expect(Journal.inspect(disk, known: "5704e").isAlarm, "\(place)")
            let found = try open(disk)
            expect(found.ids, is: ["a", "b", "c", "d", "e"], "\(place)")
            expect(
                found.recoveryReport.anomalies,
                is: [
                    "\(place) is a folder where a file should be; it is set aside"
                ])
            expect(!disk.names(place.folder).contains(place.name) || place == .segment(3))
            expect(disk.names(.quarantine).count, is: 1, "\(place)")
            try expect(open(disk).recoveryReport.sentences.isEmpty, "\(place)")
        }
        part("a folder with the next segment's name does not end a running relay") {
            var rig = try JournalRig(limits: .small)
            try rig.put("a", "b", "c", "d", "e")
            rig.disk.makeFolder(.segment(2))
            try rig.rotate()
            try rig.put("f")
            rig.disk.kill()
            let found = try open(rig.disk)
            expect(found.ids, is: ["a", "b", "c", "d", "e", "f"])
        }
        // A name with other digits than a segment's is left alone, and `journal verify` tells it.
        for name in ["000000002.jnl", "0000000099.jnl", "3.jnl", "2147483648.jnl"] {
            let disk = try filled()
            let file = StoredFile(.journal, name)
            let bytes = try require(disk.bytes(.segment(2)))
            disk.put(file, bytes)
            let found = try open(disk)
            expect(found.ids, is: ["a", "b", "c", "d", "e"], "\(name)")
            expect(found.recoveryReport.sentences.isEmpty, "\(name)")
            let words = "\(name) is not a file of the journal"
            expect(Journal.inspect(disk, known: "5704e").sentences.contains(words), "\(name)")
            expect(disk.bytes(file), is: bytes, "\(name)")
        }
        // A pipe or socket where a file should be is set aside with an alarm.
        for (place, special) in [
            (.segment(3), .pipe), (.segment(99), .socket),
            (StoredFile(.journal, "00000003.tmp"), .pipe), (.segment(3), .socket),
            (.segment(99), .pipe), (StoredFile(.journal, "00000003.tmp"), .socket),
        ] as [(StoredFile, Special)] {
            try withFolder { disk in
                try special.make(at: disk.path(place))
                expect(Journal.inspect(disk, known: "5704e").isAlarm, "\(place)")
                let found = try Journal.open(
                    disk, store: "new", time: now, limits: .plain, known: "5704e"
                ).1
                expect(found.ids, is: ["a", "b", "c", "d", "e"], "\(place)")
                let words = "\(place) is not a file but a pipe, socket or device; it is set aside"
                expect(found.recoveryReport.anomalies, is: [words], "\(place)")
                try expect(disk.list(.quarantine, "test.list").count, is: 1, "\(place)")
            }
        }
        part("a link in the place of a segment keeps its start back, and is told") {
            try withFolder { disk in
                try Special.link.make(at: disk.path(.segment(3)))
                #expect(throws: JournalOpenError.link(.segment(3))) {
                    try Journal.open(disk, store: "new", time: now, limits: .plain, known: "5704e")
                }
                // Also if it may be the only segment of this store.
                #expect(throws: JournalOpenError.link(.segment(3))) {
                    try Journal.open(disk, store: "new", time: now, limits: .plain, known: nil)
                }
                let words =
                    "journal/00000003.jnl is a symbolic link: put the file itself in its place"
                expect(
                    Journal.inspect(disk, known: "5704e").sentences.contains { $0.hasPrefix(words) }
                )
            }
        }
    }

    /// The entries that a real file system has besides files and folders.
    enum Special: CaseIterable, Sendable {
        case pipe, socket, link

        func make(at path: String) throws {
            switch self {
            case .pipe: try require(unsafe mkfifo(path, 0o600) == 0)
            case .socket:
                try require(unsafe mknod(path, mode_t(S_IFSOCK) | 0o600, 0) == 0)
            case .link:
                try FileManager.default.createSymbolicLink(
                    atPath: path, withDestinationPath: "/dev/zero")
            }
        }
    }

    /// A real folder with five presses.
    private func withFolder(_ body: (SystemDisk) throws -> Void) throws {
        let path = TestProcess.folder + "beemed-foreign-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let disk = try SystemDisk(dataFolder: DataFolder(path: path, note: "test").path)
        for ids in [["a", "b"], ["c", "d", "e"]] {
            var (journal, found, _) = try Journal.open(
                disk, store: "5704e", time: now, limits: .plain)
            for (index, id) in ids.enumerated() {
                let number = SequenceNumber(found.next.value + UInt64(index))
                _ = try journal.commit(
                    [Record(number, .put(.make(id)))], live: LiveSize(bytes: 0))
            }
            try journal.close()
        }
        try body(disk)
    }

    // MARK: Segments that cannot be read

    @Test func `what cannot be read`() throws {
        // A superseded segment that cannot be read keeps no relay from starting.
        for code in [EIO, EACCES] as [Int32] {
            let disk = try filled()
            disk.with { $0.unreadable[.segment(1)] = code }
            let found = try open(disk)
            expect(found.ids, is: ["a", "b", "c", "d", "e"], "\(code)")
            expect(found.recoveryReport.missing.isEmpty, "\(code)")
            let words = "journal/00000001.jnl cannot be read, and is not needed"
            expect(found.recoveryReport.anomalies.contains { $0.hasPrefix(words) }, "\(code)")
            try expect(open(disk).recoveryReport.sentences.isEmpty, "\(code)")
        }
        // A segment that is needed and cannot be read refuses the start.
        for code in [EIO, EACCES] as [Int32] {
            let disk = try filled()
            disk.with { $0.unreadable[.segment(2)] = code }
            let error = DiskError("recover.read", code: code)
            #expect(throws: JournalOpenError.disk(error)) { try open(disk) }
            // Without its first line nothing says that the older segment is not needed.
            disk.with { $0.unreadable = [.segment(1): code] }
            let whole = try require(disk.bytes(.segment(2)))
            disk.put(.segment(2), Array(whole.dropFirst(20)))
            #expect(throws: JournalOpenError.disk(error)) { try open(disk) }
            expect(disk.journalNames, is: ["00000001.jnl", "00000002.jnl"], "\(code)")
        }
        part("a stranger replaces no segment that cannot be read") {
            let disk = try filled()
            disk.remove(HighWaterMark.file)
            disk.with { $0.unreadable = [.segment(1): EIO, .segment(2): EIO] }
            disk.put(.segment(99), stranger(99, isFirst: true))
            #expect(throws: JournalOpenError.self) { try JournalRig(disk) }
            expect(disk.journalNames, is: ["00000001.jnl", "00000002.jnl", "00000099.jnl"])
        }
    }

    // MARK: Cut off

    @Test func `a journal that was cut off`() throws {
        part("a journal cut anywhere says what is missing, and not that it never was") {
            let disk = try filled()
            let whole = try require(disk.bytes(.segment(2)))
            for length in 0..<whole.count {
                let cut = disk.copy()
                cut.put(.segment(2), Array(whole.prefix(length)))
                let found = try Recovery.replay(cut, store: "5704e")
                // A record that lacks nothing but its LF is whole.
                guard length < whole.count - 1 else { continue }
                expect(found.recoveryReport.isDamage, "\(length)")
                expect(found.recoveryReport.missing.last?.upperBound, is: 7, "\(length)")
                expect(found.recoveryReport.tornTailBytes, is: 0, "\(length)")
                expect(found.next, is: 8)
            }
        }
        // A journal without its tabs is damage, and not a torn tail.
        for hasMark in [true, false] as [Bool] {
            let disk = try filled()
            if !hasMark { disk.remove(HighWaterMark.file) }
            var bytes = 0
            for number in 1...2 {
                let spaced = try require(disk.bytes(.segment(number))).map {
                    $0 == 0x09 ? 0x20 : $0
                }
                disk.put(.segment(number), spaced)
                bytes += spaced.count
            }
            let found = try open(disk)
            expect(found.entries.isEmpty, "\(hasMark)")
            expect(found.recoveryReport.damagedBytes, is: bytes, "\(hasMark)")
            expect(found.recoveryReport.tornTailBytes, is: 0, "\(hasMark)")
            expect(found.recoveryReport.missing, is: (hasMark ? [1...7] : []), "\(hasMark)")
            expect(disk.totalBytes(.quarantine), is: bytes, "\(hasMark)")
            try expect(open(disk).recoveryReport.sentences.isEmpty, "\(hasMark)")
        }
        part("what nobody was promised is still a torn tail") {
            let disk = try filled()
            let whole = try require(disk.bytes(.segment(2)))
            disk.put(.segment(2), whole + Array(#"{"t":"put","q":8,"src":"d"#.utf8))
            let found = try open(disk)
            expect(found.ids, is: ["a", "b", "c", "d", "e"])
            expect(!found.recoveryReport.isAlarm)
            expect(found.recoveryReport.tornTailBytes > 0)
        }
        part("an older copy of the journal is known for what it is") {
            var rig = try JournalRig()
            try rig.put("a")
            let old = try require(rig.disk.bytes(.segment(1)))
            try rig.put("b", "c")
            rig.disk.kill()
            rig.disk.put(.segment(1), old)
            let found = try open(rig.disk)
            expect(found.ids, is: ["a"])
            expect(found.recoveryReport.missing, is: [2...3])
            expect(found.next, is: 5, "one event is stated again")
        }
        part("the newest segment removed is missed, though older ones are left") {
            let disk = try filled()
            disk.remove(.segment(2))
            let found = try open(disk)
            expect(found.ids, is: ["e1", "e2"])
            expect(found.recoveryReport.missing, is: [3...7])
        }
    }
}

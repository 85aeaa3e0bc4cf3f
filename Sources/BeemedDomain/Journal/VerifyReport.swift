/// The contents of a journal's folder and what a start would do about it, determined without
/// changing anything: for `journal verify`.
package struct VerifyReport: Sendable {
    /// A segment file.
    package struct Segment: Sendable, Equatable {
        package let name: String
        package let bytes: Int
        /// Lines with a valid checksum.
        package let lines: Int
        /// Bytes that are not lines.
        let badBytes: Int
        /// Why the file could not be read to its end.
        package var fault: DiskError?
    }

    /// The segments, in order.
    package let segments: [Segment]
    /// The findings of a start. Nil if it would fail or could not read the journal.
    package let recoveryReport: RecoveryReport?
    /// How many events are pending, delivered and refused, in words.
    private let counts: String?
    /// Why a start would fail; nil if it would succeed.
    package let failure: JournalOpenError?
    /// Whether a start would go on in the last segment.
    let canContinue: Bool
    /// The files of the history, in order.
    package let past: [Segment]
    /// The events that no start would know any more, in the history or still in segments.
    let pastEvents: Int
    /// The damage of the history, one sentence each. A start leaves it unchanged.
    package let pastDamage: [String]
    /// Other names in the folder.
    package let others: [String]
    /// Files in quarantine.
    let quarantined: [String]
    /// The free bytes if a press needs more, else nil.
    let scarceBytes: Int?
    /// Why a start would be refused or could not write, whatever the contents of the journal.
    package let startBlockers: [String]

    /// Whether a person must check.
    package var isAlarm: Bool {
        failure != nil || recoveryReport?.isAlarm ?? true || !pastDamage.isEmpty
            || scarceBytes != nil
            || !startBlockers.isEmpty
    }

    /// The whole report, one sentence each.
    package var sentences: [String] {
        var all = segments.map { segment in
            "\(segment.name): \(segment.bytes) bytes, \(segment.lines) good lines"
                + (segment.badBytes > 0 ? ", \(segment.badBytes) bytes that are not lines" : "")
                + (segment.fault.map { ", then it cannot be read: \($0)" } ?? "")
        }
        if segments.isEmpty { all.append("there is no segment") }
        for name in others where name != "reserve" && name != HighWaterMark.file.name {
            all.append(
                SegmentName.isTemporary(name)
                    ? "\(name) was left unfinished" : "\(name) is no file of the journal")
        }
        if !quarantined.isEmpty { all.append("\(quarantined.count) files are in quarantine") }
        if !past.isEmpty {
            let bytes = past.reduce(0) { $0 + $1.bytes }
            all.append(
                "\(pastEvents) older events are settled and not known any more; "
                    + "\(past.count) files of \(bytes) bytes are in the history")
        }
        all += pastDamage
        if let failure { return all + startBlockers + [VerifyReport.words(failure)] }
        if let counts { all.append(counts) }
        all += recoveryReport?.sentences ?? []
        if recoveryReport?.wasClosed == true { all.append("the last shutdown was clean") }
        return all + plan
    }

    /// The contents and damage of the journal, one sentence each: for a copy of one.
    package var contents: [String] {
        (counts.map { [$0] } ?? []) + (recoveryReport?.sentences ?? [])
    }

    /// The steps of a start.
    private var plan: [String] {
        guard let recoveryReport, startBlockers.isEmpty else { return startBlockers }
        if segments.isEmpty { return ["a start would begin a new store"] }
        var all = [
            canContinue
                ? "a start would copy the last segment and go on there"
                : "a start would state everything that is known again in a new segment"
        ]
        if let scarceBytes {
            all.append(
                "only \(scarceBytes) bytes are free: that might find no room, and no press would "
                    + "be accepted")
        }
        let bad = recoveryReport.damagedBytes + recoveryReport.tornTailBytes
        if bad > 0 { all.append("it would first copy \(bad) bytes to the quarantine folder") }
        return all
    }

    private static func words(_ failure: JournalOpenError) -> String {
        switch failure {
        case .disk(let error): "it cannot be read: \(error)"
        case .link(let file):
            "\(file) is a symbolic link: put the file itself in its place, or move the link away "
                + "if it is none of the journal's; this program would not start"
        case .otherVersion(let segment, let version):
            "\(SegmentName.live(segment)) has format \(version), which a "
                + JournalOpenError.otherVersion(version)
                + " of the program wrote: this one would not start, and would touch nothing"
        case .forgedNumber(let next):
            "\(next.forgery); this program would not start, and would touch nothing"
        }
    }
}

extension Journal {
    /// Reads a journal without changing it. A relay may be running meanwhile.
    ///
    /// - Parameters:
    ///   - isUsed: whether a relay has used this folder, so that a journal must exist.
    ///   - known: the store's name from a source other than the segments.
    ///   - blockers: known obstacles to a start, one sentence each.
    package static func inspect(
        _ disk: any Disk, limits: Limits = Limits(), isUsed: Bool = false,
        known: String? = nil, startBlockers: [String] = []
    ) -> VerifyReport {
        let result: Result<Recovered, JournalOpenError>
        do throws(JournalOpenError) {
            result = .success(
                try Recovery.replay(
                    disk, window: limits.windowBytes, remembered: limits.remembered,
                    isUsed: isUsed, store: known))
        } catch { result = .failure(error) }
        return VerifyReport(disk, limits, result, startBlockers)
    }
}

extension VerifyReport {
    fileprivate init(
        _ disk: any Disk, _ limits: Journal.Limits, _ result: Result<Recovered, JournalOpenError>,
        _ startBlockers: [String]
    ) {
        let window = limits.windowBytes
        let found = try? result.get()
        if case .failure(let error) = result { failure = error } else { failure = nil }
        self.startBlockers = startBlockers
        scarceBytes = (try? disk.freeBytes("inspect.free")).flatMap {
            $0 < limits.freeBytes ? $0 : nil
        }
        let names = (try? disk.list(.journal, "inspect.list")) ?? []
        let known = names.compactMap { name in SegmentName.number(name).map { (name, $0) } }
        segments = known.map { name, number in
            VerifyReport.segment(name, SegmentReader(disk, segment: number, window: window))
        }
        others = names.filter { SegmentName.number($0) == nil }
        quarantined = (try? disk.list(.quarantine, "inspect.list")) ?? []
        let entries = found?.entries ?? []
        let history = History(disk, window: window)
        (past, pastDamage) = VerifyReport.past(history, disk)
        pastEvents = past.isEmpty ? 0 : VerifyReport.eventCount(in: history, besides: entries)
        canContinue = found?.canContinue ?? false
        recoveryReport = found?.recoveryReport
        counts = found?.counts
    }

    private static func past(
        _ history: History, _ disk: any Disk
    ) -> (files: [Segment], damage: [String]) {
        var files: [Segment] = []
        var damage: [String] = []
        for number in (try? history.files()) ?? [] {
            let file = StoredFile(.history, SegmentName.live(number))
            let found = segment(file.name, SegmentReader(disk, file))
            files.append(found)
            if found.fault != nil { damage.append("\(file) cannot be read") }
            if found.badBytes > 0 { damage.append("\(file): \(found.badBytes) bytes are damaged") }
        }
        return (files, damage)
    }

    /// The number of events besides those, which are in order.
    private static func eventCount(in history: History, besides known: [Recovered.Entry]) -> Int {
        var count = 0
        try? history.newestFirst { entry in
            let index = known.partitioningIndex { $0.number >= entry.number }
            if index == known.endIndex || known[index].number != entry.number { count += 1 }
            return true
        }
        return count
    }

    private static func segment(_ name: String, _ reader: SegmentReader) -> Segment {
        var reader = reader
        var (bytes, lines, bad) = (0, 0, 0)
        do throws(DiskError) {
            while let piece = try reader.next() {
                switch piece {
                case .line(_, let range):
                    lines += 1
                    bytes = range.upperBound
                case .damaged(let range):
                    bad += range.count
                    bytes = range.upperBound
                }
            }
            return Segment(name: name, bytes: bytes, lines: lines, badBytes: bad)
        } catch {
            return Segment(name: name, bytes: bytes, lines: lines, badBytes: bad, fault: error)
        }
    }
}

extension Recovered {
    /// How many events are pending, delivered and refused.
    var counts: String {
        let ends = entries.map(\.settlement)
        let pending = ends.count { $0 == nil }
        let refused = ends.count { if case .refused? = $0 { true } else { false } }
        let delivered = ends.count - pending - refused
        return "\(pending) events are pending, \(delivered) delivered, \(refused) refused"
    }
}

/// The open work in a journal: for the status of a relay that does not run.
package struct JournalQueue: Sendable, Equatable {
    /// The number of presses that wait.
    package let presses: Int
    /// The number of datapoints that wait to be deleted.
    package let deletions: Int
    /// The number of presses that Beeminder has refused.
    package let refused: Int

    /// Creates it from known numbers.
    package init(presses: Int, deletions: Int, refused: Int) {
        (self.presses, self.deletions, self.refused) = (presses, deletions, refused)
    }

    /// Reads a journal without changing it; nil when there is no readable journal.
    ///
    /// - Parameters:
    ///   - isUsed: whether a relay has used this folder.
    ///   - store: the store's name from a source other than the segments.
    package init?(in disk: any Disk, isUsed: Bool, store: String?) {
        guard let found = try? Recovery.replay(disk, isUsed: isUsed, store: store),
            !found.segments.isEmpty
        else { return nil }
        var counts = (presses: 0, deletions: 0, refused: 0)
        for entry in found.entries {
            switch entry.settlement {
            case _ where entry.recorded.isUnwanted: counts.deletions += 1
            case nil: counts.presses += 1
            case .refused?: counts.refused += 1
            case .delivered?, .undone?, .guarded?, .merged?: break
            }
        }
        self.init(presses: counts.presses, deletions: counts.deletions, refused: counts.refused)
    }
}

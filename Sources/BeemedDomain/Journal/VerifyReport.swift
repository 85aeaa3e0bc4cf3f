/// The contents of a journal's folder and what a start would do about it, determined without
/// changing anything: for `journal verify`.
package struct VerifyReport: Sendable {
    /// A segment file.
    package struct Segment: Sendable, Equatable {
        package let name: String
        package var bytes = 0
        /// Lines with a valid checksum.
        package var lines = 0
        /// Bytes that are not lines.
        var badBytes = 0
        /// Why the file could not be read to its end.
        package var fault: DiskError?
    }

    /// The segments, in order.
    package let segments: [Segment]
    /// The contents as a start would find them, or why it would fail.
    private let start: Result<Recovered, JournalOpenError>
    /// The files of the history, in order.
    package let past: [Segment]
    /// The events that no start would know any more, in the history or still in segments.
    let pastEvents: Int
    /// The damage of the history, one sentence each. A start leaves it unchanged.
    package var pastDamage: [String] {
        past.flatMap { segment in
            let file = StoredFile(.history, segment.name)
            return (segment.fault == nil ? [] : ["\(file) cannot be read"])
                + (segment.badBytes == 0 ? [] : ["\(file): \(segment.badBytes) bytes are damaged"])
        }
    }
    /// Other names in the folder.
    package let others: [String]
    /// The number of files in quarantine.
    let quarantined: Int
    /// The free bytes if a press needs more, else nil.
    let scarceBytes: Int?
    /// Why a start would be refused or could not write, whatever the contents of the journal.
    package let startBlockers: [String]

    /// Whether a person must check.
    package var isAlarm: Bool {
        recoveryReport?.isAlarm ?? true || !pastDamage.isEmpty || scarceBytes != nil
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
                    ? "\(name) was left unfinished" : "\(name) is not a file of the journal")
        }
        if quarantined > 0 { all.append("\(quarantined) files are in quarantine") }
        if !past.isEmpty {
            let bytes = past.reduce(0) { $0 + $1.bytes }
            all.append(
                "\(pastEvents) older events are settled and not known any more; "
                    + "\(past.count) files of \(bytes) bytes are in the history")
        }
        all += pastDamage
        switch start {
        case .failure(let failure): return all + startBlockers + [VerifyReport.words(failure)]
        case .success(let found):
            all += found.sentences
            if found.recoveryReport.wasClosed { all.append("the last shutdown was clean") }
            return all + plan(for: found)
        }
    }

    /// The contents and damage of the journal, one sentence each: for a copy of one.
    package var contents: [String] { (try? start.get())?.sentences ?? [] }

    /// The findings of a start. Nil if it would fail.
    package var recoveryReport: RecoveryReport? { (try? start.get())?.recoveryReport }

    /// The steps of a start.
    private func plan(for found: Recovered) -> [String] {
        guard startBlockers.isEmpty else { return startBlockers }
        if segments.isEmpty { return ["a start would begin a new store"] }
        var all = [
            found.canContinue
                ? "a start would copy the last segment and go on there"
                : "a start would state everything that is known again in a new segment"
        ]
        if let scarceBytes {
            all.append(
                "only \(scarceBytes) bytes are free: that might find no room, and no press would "
                    + "be accepted")
        }
        let bad = found.recoveryReport.damagedBytes + found.recoveryReport.tornTailBytes
        if bad > 0 { all.append("it would first copy \(bad) bytes to the quarantine folder") }
        return all
    }

    private static func words(_ failure: JournalOpenError) -> String {
        if case .disk = failure { return failure.words }
        return "\(failure.words); this program would not start, and would touch nothing"
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
        let start = Result { () throws(JournalOpenError) in
            try Recovery.replay(disk, isUsed: isUsed, store: known)
        }
        return VerifyReport(disk, limits, start, startBlockers)
    }

    /// The open work in a journal: the presses and the deletions that wait, and the presses that
    /// Beeminder has refused.
    package typealias OpenWork = (presses: Int, deletions: Int, refused: Int)

    /// Reads a journal without changing it, for the status of a relay that does not run; nil when
    /// there is no readable journal.
    ///
    /// - Parameters:
    ///   - isUsed: whether a relay has used this folder.
    ///   - store: the store's name from a source other than the segments.
    package static func openWork(in disk: any Disk, isUsed: Bool, store: String?) -> OpenWork? {
        guard let found = try? Recovery.replay(disk, isUsed: isUsed, store: store),
            !found.segments.isEmpty
        else { return nil }
        let wanted = found.entries.filter { !$0.recorded.isUnwanted }
        return (
            wanted.count { $0.settlement == nil }, found.entries.count - wanted.count,
            wanted.count { $0.isRefused }
        )
    }
}

extension VerifyReport {
    fileprivate init(
        _ disk: any Disk, _ limits: Journal.Limits,
        _ start: Result<Recovered, JournalOpenError>, _ startBlockers: [String]
    ) {
        (self.start, self.startBlockers) = (start, startBlockers)
        scarceBytes = (try? disk.freeBytes("inspect.free")).flatMap {
            $0 < limits.freeBytes ? $0 : nil
        }
        let names = (try? disk.list(.journal, "inspect.list")) ?? []
        segments = names.filter { SegmentName.number($0) != nil }.map { name in
            VerifyReport.segment(StoredFile(.journal, name), on: disk)
        }
        others = names.filter { SegmentName.number($0) == nil }
        quarantined = ((try? disk.list(.quarantine, "inspect.list")) ?? []).count
        let history = History(disk)
        past = ((try? history.files()) ?? []).map { number in
            VerifyReport.segment(.segment(number, in: .history), on: disk)
        }
        let known = (try? start.get())?.entries ?? []
        pastEvents = past.isEmpty ? 0 : VerifyReport.eventCount(in: history, besides: known)
    }

    /// The number of events besides those, which are in order.
    private static func eventCount(in history: History, besides known: [Recovered.Entry]) -> Int {
        var count = 0
        var reader = try? history.reader()
        while let entries = try? reader?.next() {
            count += entries.count { known.entry($0.number) == nil }
        }
        return count
    }

    private static func segment(_ file: StoredFile, on disk: any Disk) -> Segment {
        var reader = SegmentReader(disk, file)
        var found = Segment(name: file.name)
        do throws(DiskError) {
            while let piece = try reader.next() {
                switch piece {
                case .line(_, let range):
                    found.lines += 1
                    found.bytes = range.upperBound
                case .damaged(let range):
                    found.badBytes += range.count
                    found.bytes = range.upperBound
                }
            }
        } catch { found.fault = error }
        return found
    }
}

extension Recovered {
    /// How many events are pending, delivered and refused, and the findings, one sentence each.
    package var sentences: [String] {
        let pending = entries.count { $0.settlement == nil }
        let refused = entries.count { $0.isRefused }
        let delivered = entries.count - pending - refused
        return ["\(pending) events are pending, \(delivered) delivered, \(refused) refused"]
            + recoveryReport.sentences
    }
}

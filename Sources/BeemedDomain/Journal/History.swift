/// Events that a relay has forgotten: their lines are in the ring's segments, until these are
/// retired, and in the files of the history, which are retired segments. Only exports, imports and
/// `journal verify` read them, never a start or a press, so a million cost nothing.
///
/// Reading is slow, so it must not run on the loop's thread. A relay may use the folder at the same
/// time.
package struct History: Sendable {
    private let disk: any Disk

    /// The history beside the journal on that disk.
    package init(_ disk: any Disk) { self.disk = disk }

    /// Reads the files that are there now, and the lines of a cluster's journal, which are in none.
    package func reader(behind remote: [UInt8] = []) throws(DiskError) -> PastReader {
        let names =
            try disk.list(.journal, "history.list") + disk.list(.history, "history.list")
        let files = Set(names.compactMap(SegmentName.number)).sorted()
        // Without the mark the oldest file tells: one of another store comes with a greater number.
        let mark = StorePosition(markOn: disk)
        let store = mark?.store ?? files.lazy.compactMap(opening).first?.store
        return PastReader(disk, files: files, of: store, remote)
    }

    /// The files of the history, in order.
    func files() throws(DiskError) -> [Int] {
        try disk.list(.history, "history.list").compactMap(SegmentName.number).sorted()
    }

    /// The first line of a segment, read from the history if present; nil when another store's or
    /// damaged.
    func opening(of file: Int) -> Opening? {
        for folder in [StoredFile.Folder.history, .journal] {
            let line = try? SegmentReader.firstLine(of: .segment(file, in: folder), on: disk)
            if case .open(let opening)? = line { return opening }
        }
        return nil
    }

    /// Removes expired files: at most as many as were added, so that a clock that is years ahead
    /// for a while removes almost nothing. The next file's time tells when a file ended.
    ///
    /// - Parameter seconds: how long a file is kept.
    func removeExpired(
        atMost count: Int, after seconds: Int64, at now: UnixTime
    ) throws(DiskError) {
        let files = try files()
        for (file, next) in zip(files, files.dropFirst()).prefix(count) {
            // A time that cannot be is none: it must not make a file look expired.
            guard let end = opening(of: next)?.at, UnixTime.recordable.contains(end),
                end.adding(seconds) < now
            else { return }
            try disk.unlink(.segment(file, in: .history), "history.remove")
        }
    }
}

/// Reads segments from the newest to the oldest. Gives each event in the segment that states it
/// last, with the later records about it: a segment's events are in memory at once, and the records
/// about events that are stated before.
package struct PastReader: Sendable {
    private let disk: any Disk
    /// Lines that are in no file, newer than all files.
    private var remote: [UInt8]
    /// The number of the first record among them; files of a leader may have some of theirs.
    private var end: SequenceNumber?
    /// The segments that are left, in order.
    private var files: [Int]
    private var store: String?
    /// The number of the first record of the segment that was read last.
    private var first: SequenceNumber?
    /// Records about events that were not met yet.
    private var later: [SequenceNumber: [Record]] = [:]
    /// Events that are stated once more in older segments.
    private var told: Set<SequenceNumber> = []

    /// - Parameter store: the store's name; nil for that of the newest segment.
    fileprivate init(_ disk: any Disk, files: [Int], of store: String?, _ remote: [UInt8]) {
        (self.disk, self.files, self.store, self.remote) = (disk, files, store, remote)
    }

    /// The events of the next segment, the newest first; nil after the last. None when a relay has
    /// just removed the file. Damaged lines are skipped.
    package mutating func next() throws(DiskError) -> [Recovered.Entry]? {
        if !remote.isEmpty {
            let reader = SegmentReader(remote)
            remote = []
            let entries = try events(reader)
            end = first
            return entries
        }
        guard let file = files.popLast() else { return nil }
        // The history first: an older copy of the file may have been put back into the journal. It
        // may come there meanwhile.
        for folder in [StoredFile.Folder.history, .journal, .history] {
            do throws(DiskError) {
                return try events(SegmentReader(disk, .segment(file, in: folder)))
            } catch {
                if !error.isMissing { throw error }
            }
        }
        return []
    }

    private mutating func events(_ reader: SegmentReader) throws(DiskError) -> [Recovered.Entry] {
        var reader = reader
        var found: [SequenceNumber: Recovered.Entry] = [:]
        var records: [SequenceNumber: [Record]] = [:]
        while let piece = try reader.next() {
            guard case .line(let json, _) = piece, let line = Line(json: json) else {
                continue
            }
            switch line {
            case .open(let opening):
                // A segment of another store.
                if let store, opening.store != store { return [] }
                store = opening.store
                // A journal that was lost and begun anew has given its numbers again.
                if let first, opening.firstNumber > first { (later, told) = ([:], []) }
                first = opening.firstNumber
            case .record(let record):
                first = first ?? record.number
                guard end.map({ record.number < $0 }) ?? true else { continue }
                if let entry = record.statement {
                    found[entry.number] = entry
                } else if let of = record.of {
                    records[of, default: []].append(record)
                }
            case .close, .unknown, .otherVersion: continue
            }
        }
        return tell(found, records)
    }

    private mutating func tell(
        _ found: [SequenceNumber: Recovered.Entry], _ records: [SequenceNumber: [Record]]
    ) -> [Recovered.Entry] {
        for (number, records) in records where !told.contains(number) {
            later[number] = records + (later[number] ?? [])
        }
        var entries: [Recovered.Entry] = []
        for (number, statement) in found where !told.contains(number) {
            var entry = statement
            for record in later.removeValue(forKey: number) ?? [] { entry.apply(record) }
            if entry.statedAt > number { told.insert(number) }
            entries.append(entry)
        }
        entries.sort { $0.number < $1.number }
        entries.settleParts()
        return entries.reversed()
    }
}

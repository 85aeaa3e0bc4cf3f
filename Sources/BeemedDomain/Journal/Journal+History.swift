/// What the journal does for the history: events that are known no longer leave their lines there,
/// verbatim, before the segment that goes on without them is published.
///
/// A file counts from the moment on at which the segment of its number is there. If that never
/// comes, the next rewrite, which then has the same number, removes the file and writes it anew:
/// whenever the power fails, an event is in the journal or in the history, and never in neither.
extension Journal {
    /// Writes the past to the history, if there is any, and makes it durable.
    ///
    /// - Parameter segment: the number of the segment that is about to be published.
    /// - Throws: `DiskError`; what was written counts for nothing then.
    func keepPast(_ found: Recovered, with segment: Int) throws(DiskError) {
        let groups = found.past.filter { $0.count > 0 }
        guard !groups.isEmpty else { return }
        for (part, lines) in groups.enumerated() {
            try write(lines, found.next, to: ArchiveFileName(segment: segment, part: part))
        }
        try disk.syncFolder(.history, "history.folder")
        try? removeOldPast(atMost: groups.count, before: segment)
    }

    /// The number of the segment that is published next. Whoever publishes one makes sure that no
    /// file of its number is here: it would be of a rewrite that came to nothing, and its events
    /// are still in the journal.
    ///
    /// Where segments are lost or come from a backup, there are files of greater numbers. They have
    /// counted, so they are left alone, and the numbers go on after theirs.
    /// A name that is in use is passed over, whatever has it.
    func numberNext(after last: Int?) throws(DiskError) -> Int {
        let names = try disk.list(.history, "history.list")
        let newest = names.compactMap { ArchiveFileName($0)?.segment }.max() ?? 0
        let next = (last ?? 0) + 1
        let isUnfinished = newest == next && last != nil
        let gone = names.filter { name in
            SegmentName.isTemporary(name) || isUnfinished && ArchiveFileName(name)?.segment == next
        }
        for name in gone {
            do throws(DiskError) {
                try disk.unlink(StoredFile(.history, name), "history.unlink")
            } catch {
                if !error.isFolder { throw error }
            }
        }
        if !gone.isEmpty { try disk.syncFolder(.history, "history.folder") }
        var free = isUnfinished ? next : max(next, newest + 1)
        let taken = Set(try disk.list(.journal, "publish.list"))
        while taken.contains(SegmentName.live(free)) { free += 1 }
        return free
    }

    private func write(
        _ lines: LineRanges, _ next: SequenceNumber, to name: ArchiveFileName
    ) throws(DiskError) {
        let temporary = StoredFile(.history, name.temporary)
        let (store, time) = (store, time)
        let draft = try AtomicFileWriter.write(temporary, on: disk, .history) {
            (draft) throws(DiskError) in
            try draft.writeSnapshot(of: lines, next, by: limits.windowBytes) {
                $0.writePastOpen(store: store, segment: name.segment, next, at: time)
            }
            var end = LineWriter()
            end.writeEnd("close", next: next, count: 0)
            try draft.write(end.bytes)
        }
        disk.close(draft.file)
        try disk.rename(temporary, to: name.live, "history.rename")
        try draft.verify(StoredFile(.history, name.live), by: limits.windowBytes)
    }

    /// Removes files whose events have long been past: as many as have come, and no more, so that
    /// a clock that is years ahead for a while costs next to nothing.
    private func removeOldPast(atMost count: Int, before segment: Int) throws(DiskError) {
        var removed = 0
        let names = try disk.list(.history, "history.list").compactMap(ArchiveFileName.init)
            .sorted()
        for name in names where name.segment < segment && removed < count {
            let file = StoredFile(.history, name.live)
            guard let written = History.time(of: file, on: disk) else { continue }
            guard written.adding(limits.historySeconds) < time else { return }
            try disk.unlink(file, "history.remove")
            removed += 1
        }
    }
}

extension LineWriter {
    /// The first line of a file of the history: as that of a segment, and when it was written.
    fileprivate mutating func writePastOpen(
        store: String, segment: Int, _ next: SequenceNumber, at time: UnixTime
    ) {
        line("open") { line in
            line.add("v", Int64(Opening.version))
            line.add("store", store)
            line.add("seg", Int64(segment))
            line.add("q", Int64(next.value))
            line.add("base", true)
            line.add("at", time.seconds)
        }
    }
}

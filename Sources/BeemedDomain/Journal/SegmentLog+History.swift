/// Moves forgotten events to the history: their lines are copied there unchanged, before the
/// segment without them is published.
///
/// A file counts from the moment when the segment of its number exists. If that never happens, the
/// next rewrite has the same number, removes the file and writes it again: whenever the power
/// fails, an event is in the journal or in the history, and never in neither.
extension SegmentLog {
    /// Writes the lines of forgotten events, if any, to the history and makes them durable.
    ///
    /// - Parameter segment: the number of the segment that is about to be published.
    /// - Throws: `DiskError`; then the files that were written do not count.
    func keepPast(_ found: Recovered, with segment: Int) throws(DiskError) {
        let groups = found.past.filter { $0.count > 0 }
        guard !groups.isEmpty else { return }
        for (part, lines) in groups.enumerated() {
            try write(lines, found.next, to: ArchiveFileName(segment: segment, part: part))
        }
        try disk.syncFolder(.history, "history.folder")
        try? removeOldPast(atMost: groups.count, before: segment)
    }

    /// The number of the next segment to publish. The caller makes sure that no history file of
    /// that number exists: it would belong to a rewrite that failed, and its events are still in
    /// the journal.
    ///
    /// If segments were lost or restored from a backup, there are files of greater numbers. They
    /// have counted, so they are kept, and the numbering continues after theirs. A name that is in
    /// use by anything is skipped.
    ///
    /// - Parameter unfinished: numbers of compactions whose snapshot never got its name.
    func numberNext(
        after last: Int?, unfinished: [Int] = []
    ) throws(DiskError) -> Int {
        let names = try disk.list(.history, "history.list")
        let newest = names.compactMap { ArchiveFileName($0)?.segment }.max() ?? 0
        let next = (last ?? 0) + 1
        let isUnfinished = newest == next && last != nil
        let gone = names.filter { name in
            guard let segment = ArchiveFileName(name)?.segment else {
                return SegmentName.isTemporary(name)
            }
            return isUnfinished && segment == next || unfinished.contains(segment)
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
        let plan = plan(of: name, lines, next)
        var writer = try SnapshotWriter(plan, on: disk, window: limits.windowBytes)
        try writer.finish()
        disk.close(writer.draft.file)
        try disk.rename(plan.temporary, to: name.live, "history.rename")
    }

    /// How a file of the history is written.
    func plan(
        of name: ArchiveFileName, _ lines: LineRanges, _ next: SequenceNumber
    ) -> SnapshotWriter.Plan {
        .archive(name, lines, next, store: store, at: time)
    }

    /// Removes expired history files: at most as many as were added, so that a clock that is years
    /// ahead for a while removes almost nothing.
    func removeOldPast(atMost count: Int, before segment: Int) throws(DiskError) {
        try History.removeExpired(
            on: disk, atMost: count, before: segment, after: limits.historySeconds, at: time)
    }
}

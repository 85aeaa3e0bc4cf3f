extension Recovered {
    /// The contents as they will be when a start has gone on: where the journal cannot go on in the
    /// last segment, everything known is stated again, by the next numbers. So no later start reads
    /// the damaged files, and what was found in them is reported once.
    var restated: Recovered {
        if canContinue { return self }
        var result = self
        if result.user != nil {
            result.userStatedAt = result.next
            result.next = result.next.next
        }
        for index in result.entries.indices {
            result.entries[index].statedAt = result.next
            result.next = result.next.next
        }
        return result
    }
}

/// How a start goes on behind what it has found.
extension SegmentLog {
    /// Quarantines files that are not the journal's, and opens a segment to append to: a copy of
    /// the last one, since bytes that an earlier process failed to sync may exist in memory only,
    /// and a sync would not report it. They can only be there: nothing is written behind a failed
    /// sync.
    ///
    /// - Parameter found: as restated.
    mutating func begin(_ found: Recovered) throws(CommitFailure) {
        retired = found.retired
        while true {
            do throws(CommitFailure) {
                segment = try openSegment(found)
                break
            } catch {
                guard error.isHarmless, error.cause.isFull, reclaim(for: found) else { throw error }
            }
        }
        if found.canContinue {
            ring.parts = Array(found.segments.dropLast())
        } else {
            retireAll(of: found)
        }
        // Before space is short: what is removed then is the oldest of the history.
        keep(retired)
        remove(found.scan.foreign + found.scan.unreadable.keys)
        disk.makeReserve(limits)
        marks.open(at: StorePosition(store: store, next: next))
    }

    private func openSegment(_ found: Recovered) throws(CommitFailure) -> Segment {
        disk.setAside(found.scan.specialFiles.map(\.file), at: time)
        do throws(DiskError) { try removeTemporaries() } catch { throw .full(error) }
        try disk.quarantine(found.quarantine)
        guard found.canContinue, let last = found.segments.last, let opening = found.opening else {
            return try stateAgain(found)
        }
        // The valid lines, without that of a clean shutdown.
        let made = try disk.publish(last.number) { (draft) throws(DiskError) in
            try draft.add { $0.writeOpen(opening) }
            let records = try copyRecords(of: last.number, upTo: last.bytes, to: &draft)
            guard records == found.lastRecords else {
                throw DiskError("publish.copy", code: DiskError.inputOutput)
            }
        }
        return Segment(last.number, last.first, made)
    }

    /// Unlinks instead of truncating: a name may be a hard link to another file.
    private func removeTemporaries() throws(DiskError) {
        for name in try disk.list(.journal, "open.list") where SegmentName.isTemporary(name) {
            do throws(DiskError) {
                try disk.unlink(StoredFile(.journal, name), "open.unlink")
            } catch {
                // A folder that could not be set aside blocks only its own name.
                if !error.isFolder { throw error }
            }
        }
    }

    /// Copies the records of a segment, and returns their number. They are not parsed again: that
    /// took a third of a start.
    ///
    /// - Parameter end: where the last valid line ends.
    private func copyRecords(
        of segment: Int, upTo end: Int = .max, to draft: inout AtomicFileWriter
    ) throws(DiskError) -> Int {
        var reader = SegmentReader(disk, .segment(segment))
        var records = 0
        while let piece = try reader.next() {
            guard case .line(let json, let range) = piece, range.upperBound <= end,
                !Line.isOfSegment(json)
            else { continue }
            records += 1
            try draft.add { $0.copy(json) }
        }
        return records
    }

    /// States everything known in a new segment, from which on the next start reads.
    private func stateAgain(_ found: Recovered) throws(CommitFailure) -> Segment {
        let number: Int
        do throws(DiskError) {
            number = try freeNumber(after: found.lastSegment)
        } catch { throw .full(error) }
        let user = found.user.flatMap { user in found.userStatedAt.map { Record($0, .user(user)) } }
        let first = user?.number ?? found.entries.first?.statedAt ?? found.next
        let opening = Opening(
            store: store, segment: number, firstNumber: first, oldest: number, at: time)
        let made = try disk.publish(number) { (draft) throws(DiskError) in
            try draft.add { $0.writeOpen(opening) }
            if let user { try draft.add { $0.write(user) } }
            for entry in found.entries {
                try draft.add { $0.write(Record(entry.statedAt, .carried(entry))) }
            }
        }
        return Segment(number, first, made)
    }

    /// The next number that no file has, in the journal or in the history.
    private func freeNumber(after last: Int) throws(DiskError) -> Int {
        let taken = Set(try disk.list(.journal, "publish.list"))
            .union(try disk.list(.history, "publish.list"))
        var number = last + 1
        while taken.contains(SegmentName.live(number)) { number += 1 }
        return number
    }

    /// Retires all segments that were found, after everything known was stated in another one.
    private mutating func retireAll(of found: Recovered) {
        guard let number = segment?.number else { return }
        let damaged = Set(found.quarantine.map(\.segment))
        let own = found.segments.map(\.number)
        // Of damaged ones only the lines: the other bytes are in the quarantine, and are told of
        // once.
        retired += own.filter { $0 < number && (!damaged.contains($0) || keepLines(of: $0)) }
        // Their numbers were never ours, and the next start would read them.
        remove(own.filter { $0 > number })
    }

    /// Copies the lines of a segment to the history. Returns whether they are there.
    func keepLines(of segment: Int) -> Bool {
        disk.writeHistory(segment) { (draft) throws(DiskError) in
            _ = try copyRecords(of: segment, to: &draft)
        }
    }

    /// Gives up space where a start has none: the reserve, then the oldest of the history, then the
    /// retired segments, which may not be in the history yet. Returns whether there may be space now.
    private mutating func reclaim(for found: Recovered) -> Bool {
        if disk.giveUpReserve() { return true }
        // About what a start writes.
        let needed = (found.canContinue ? found.segments.last?.bytes ?? 0 : found.bytes) + 4_096
        guard (try? disk.freeBytes("space.free")) ?? 0 < needed else { return false }
        return shortenHistory(toFree: needed) || removeRetired()
    }

    /// Tries again to write after the disk was full or read-only.
    mutating func resume() throws(CommitFailure) {
        do throws(DiskError) { try probe() } catch { throw .full(error) }
        let found: Recovered
        do throws(JournalOpenError) {
            found = try Recovery.replay(disk, store: store).restated
        } catch {
            if case .disk(let cause) = error, cause.isPassing { throw .full(cause) }
            throw .unknown(DiskError("resume.read", code: DiskError.inputOutput))
        }
        guard found.next == next else {
            throw .unknown(DiskError("resume.read", code: DiskError.inputOutput))
        }
        do throws(CommitFailure) {
            try begin(found)
        } catch { throw error.isHarmless ? error : .unknown(error.cause) }
    }

    /// Tests whether the disk can be written.
    private func probe() throws(DiskError) {
        let file = StoredFile(.journal, SegmentName.temporary(0))
        try removeTemporaries()
        disk.close(try disk.create(file, "probe.create"))
        try disk.unlink(file, "probe.unlink")
    }
}

/// How a start goes on behind what it has found.
extension SegmentLog {
    /// The recovered contents, as they will be when a start has gone on: where the journal cannot
    /// go on in the last segment, everything known is stated again, by the next numbers. So no
    /// later start reads the damaged files, and what was found in them is reported once.
    func prepared(_ found: Recovered) -> Recovered {
        if found.canContinue { return found }
        var result = found
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

    /// Quarantines files that are not the journal's, and opens a segment to append to: a copy of
    /// the last one, since bytes that an earlier process failed to sync may exist in memory only,
    /// and a sync would not report it. They can only be there: nothing is written behind a failed
    /// sync. Without free space, a start gives up the `Reclaimable` space in order.
    ///
    /// - Parameter found: as prepared.
    mutating func begin(_ found: Recovered) throws(RewriteFailure) {
        retired = pastOnes(of: found)
        var reclaimable = Reclaimable.allCases[...]
        while true {
            do throws(RewriteFailure) {
                segment = try openSegment(found)
                break
            } catch {
                guard error.isHarmless, error.cause.isFull else { throw error }
                var isRelieved = false
                while !isRelieved {
                    guard let next = reclaimable.popFirst() else { throw error }
                    isRelieved = reclaim(next, for: found)
                }
            }
        }
        if found.canContinue {
            ring.parts = found.segments.dropLast().map {
                Ring.Part(number: $0.number, first: $0.first, bytes: $0.bytes)
            }
        } else {
            try retireAll(of: found)
        }
        remove(found.foreign + found.unreadable)
        makeReserve()
        marks.open(at: HighWaterMark(store: store, next: next))
    }

    /// The retired segments. A name that is missing in the history comes with the next retirement.
    private func pastOnes(of found: Recovered) -> [Retired] {
        let names = (try? disk.list(.history, "history.list")) ?? []
        return found.retired.map {
            Retired(number: $0, isInHistory: names.contains(SegmentName.live($0)))
        }
    }

    private func openSegment(_ found: Recovered) throws(RewriteFailure) -> Segment {
        var copies: [StoredFile] = []
        do throws(RewriteFailure) {
            do throws(DiskError) {
                setAside(found.specialFiles)
                try removeTemporaries()
                try quarantine(found.quarantine, noting: &copies)
            } catch { throw .beforeName(error) }
            if found.canContinue, let last = found.segments.last, let opening = found.opening {
                return try publish(as: last.number, last.first) {
                    (draft) throws(DiskError) in
                    try copy(last, opening, to: &draft)
                }
            }
            return try stateAgain(found)
        } catch {
            // The copied bytes are still in the journal. On a full disk every waiting record tries
            // again: the copies must not fill it.
            if case .beforeName = error { remove(copies) }
            throw error
        }
    }

    /// Writes the valid lines of the last segment, without that of a clean shutdown.
    private func copy(
        _ last: Recovered.Segment, _ opening: Opening, to draft: inout AtomicFileWriter
    ) throws(DiskError) {
        var head = LineWriter()
        head.writeOpen(opening)
        try draft.write(head.bytes)
        let file = StoredFile(.journal, SegmentName.live(last.number))
        guard try copyRecords(of: file, upTo: last.bytes, to: &draft) == last.records else {
            throw DiskError("publish.copy", code: DiskError.inputOutput)
        }
    }

    /// Copies the records of a file. They are not read once more: that took a third of a start.
    ///
    /// - Parameter end: where the last valid line ends.
    /// - Returns: their number.
    func copyRecords(
        of file: StoredFile, upTo end: Int = .max, to draft: inout AtomicFileWriter
    ) throws(DiskError) -> Int {
        var reader = SegmentReader(disk, file, window: limits.windowBytes)
        var records = 0
        var lines = LineWriter()
        while let piece = try reader.next() {
            guard case .line(let json, let range) = piece, range.upperBound <= end,
                !Line.isOfSegment(json)
            else { continue }
            records += 1
            lines.copy(json)
            if lines.count >= limits.windowBytes {
                try draft.write(lines.bytes)
                lines.cut(to: 0)
            }
        }
        try draft.write(lines.bytes)
        return records
    }

    /// States everything known in a new segment, from which on the next start reads.
    private func stateAgain(_ found: Recovered) throws(RewriteFailure) -> Segment {
        let count = (found.user == nil ? 0 : 1) + found.entries.count
        let first = SequenceNumber(found.next.value - UInt64(count))
        let number: Int
        do throws(DiskError) {
            number = try freeNumber(after: found.lastSegment)
        } catch { throw .beforeName(error) }
        let opening = Opening(
            store: store, segment: number, firstNumber: first, oldest: number, at: time)
        return try publish(as: number, first) { (draft) throws(DiskError) in
            var lines = LineWriter()
            lines.writeOpen(opening)
            var next = first
            func add(_ fact: Record.Fact) throws(DiskError) {
                lines.write(Record(next, fact))
                next = next.next
                if lines.count >= limits.windowBytes {
                    try draft.write(lines.bytes)
                    lines.cut(to: 0)
                }
            }
            if let user = found.user { try add(.user(user)) }
            for entry in found.entries { try add(.carried(entry)) }
            try draft.write(lines.bytes)
        }
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
    private mutating func retireAll(of found: Recovered) throws(RewriteFailure) {
        guard let number = segment?.number else { return }
        let damaged = Set(found.quarantine.map(\.segment))
        let own = found.segments.map(\.number)
        for file in own where damaged.contains(file) && file < number {
            // Only its lines: the damaged bytes are in the quarantine, and are told of once.
            if keepLines(of: file) { retired.append(Retired(number: file, isInHistory: true)) }
        }
        for file in own where !damaged.contains(file) && file < number {
            retired.append(Retired(number: file))
        }
        keepRetired()
        // Their numbers were never ours, and the next start would read them.
        remove(own.filter { $0 > number })
    }

    /// Copies the lines of a segment to the history.
    ///
    /// - Returns: whether they are there.
    func keepLines(of segment: Int) -> Bool {
        let file = StoredFile(.journal, SegmentName.live(segment))
        do throws(DiskError) {
            try disk.writeHistory(segment, by: limits.windowBytes) { (draft) throws(DiskError) in
                _ = try copyRecords(of: file, to: &draft)
            }
            return true
        } catch { return false }
    }

    // MARK: Free space

    /// The space that a start without free space gives up, in this order.
    private enum Reclaimable: CaseIterable {
        case reserve, history, retired
    }

    /// About what a start writes.
    private func neededBytes(for found: Recovered) -> Int {
        (found.canContinue ? found.segments.last?.bytes ?? 0 : found.bytes) + 4_096
    }

    /// - Returns: whether there may be free space now.
    private mutating func reclaim(_ part: Reclaimable, for found: Recovered) -> Bool {
        switch part {
        case .reserve: return giveUpReserve()
        case .history:
            let before = pastBytes
            return shortenHistory(toFree: neededBytes(for: found)) && pastBytes < before
        case .retired:
            // They may not be in the history yet.
            let free = (try? disk.freeBytes("space.free")) ?? 0
            return free < neededBytes(for: found) && removeRetired()
        }
    }

    /// Tries again to write after the disk was full or read-only.
    mutating func resume() throws(CommitFailure) {
        do throws(DiskError) { try probe() } catch { throw .full(error) }
        let found: Recovered
        do throws(JournalOpenError) {
            found = prepared(
                try Recovery.replay(
                    disk, window: limits.windowBytes, remembered: limits.remembered, store: store))
        } catch {
            if case .disk(let cause) = error, cause.isPassing { throw .full(cause) }
            throw .unknown(DiskError("resume.read", code: DiskError.inputOutput))
        }
        guard found.next == next else {
            throw .unknown(DiskError("resume.read", code: DiskError.inputOutput))
        }
        do throws(RewriteFailure) {
            try begin(found)
        } catch {
            throw error.isHarmless ? .full(error.cause) : .unknown(error.cause)
        }
    }

    /// Tests whether the disk can be written.
    private func probe() throws(DiskError) {
        let file = StoredFile(.journal, SegmentName.temporary(0))
        try removeTemporaries()
        disk.close(try disk.create(file, "probe.create"))
        try disk.unlink(file, "probe.unlink")
    }
}

/// Why a new segment could not be written.
enum RewriteFailure: Error, Equatable, Sendable {
    /// The file did not get its name, so nothing has changed.
    case beforeName(DiskError)
    /// The file has its name, at least in memory: which segment a start would find is unknown.
    case afterName(DiskError)

    /// The failed system call.
    var cause: DiskError {
        switch self {
        case .beforeName(let error), .afterName(let error): error
        }
    }

    /// Whether the journal can continue without it: nothing has changed, and there is only no free
    /// space, or the failed call may succeed a moment later.
    var isHarmless: Bool {
        guard case .beforeName(let error) = self else { return false }
        return error.isFull || error.isReadOnly || error.isPassing
    }
}

/// Changes from one segment to the next.
extension SegmentLog {
    /// Whether the segment is full. Appending is still possible.
    var wantsRotation: Bool {
        guard upkeep == nil, let segment else { return false }
        return segment.size - segment.baseSize >= limits.segmentBytes
    }

    /// Starts a new segment when this one is full, and a compaction when most lines are dead or
    /// many forgotten events are still among them.
    mutating func rotate(live: LiveSize, time: UnixTime) throws(CommitFailure) {
        guard wantsRotation, let old = segment else { return }
        self.time = time
        try rotate(old, live)
    }

    private mutating func rotate(_ old: Segment, _ live: LiveSize) throws(CommitFailure) {
        // An event usually has at most two lines: its acceptance and its outcome.
        let isDue = linesOnDisk > 4 * live.events || live.hasManyUnarchived
        do throws(RewriteFailure) {
            try rotate(old, isCompacting: isDue && linesOnDisk > earlier.compactFrom)
        } catch {
            guard error.isHarmless else { throw .unknown(error.cause) }
            // The old segment stays in use. A full disk is not tried again at once; a transient
            // error, such as too many open files, is tried again soon.
            let pause = error.cause.isPassing ? limits.segmentBytes / 16 : limits.segmentBytes
            let base = old.size - limits.segmentBytes + max(1, pause)
            segment?.baseSize = base
        }
    }

    /// The contents of the disk, if they are complete. If not, the next start reports the missing
    /// records; compaction would hide them.
    func healthyContents() -> Recovered? {
        guard let found = try? contents(remembering: limits.rememberedEvents),
            found.next == next, !found.recoveryReport.isDamage, found.quarantine.isEmpty
        else { return nil }
        return found
    }

    /// The contents of the disk, as a start would find them.
    func contents(remembering count: Int) throws(JournalOpenError) -> Recovered {
        let remembered = Retention.Limits(events: count, bytes: limits.rememberedBytes)
        return try Recovery.read(
            disk, window: limits.windowBytes, remembered: remembered, store: store)
    }

    /// The new file is complete, with its name, before the old one is sealed: whatever fails, there
    /// is one file to append to. The seal is a part of the upkeep, so no press waits for it: the
    /// next segment's first line also says where this one must end.
    ///
    /// - Parameter isCompacting: whether to reserve the number between for a snapshot of all
    ///   segments before the new one.
    private mutating func rotate(
        _ old: Segment, isCompacting: Bool
    ) throws(RewriteFailure) {
        let number = old.number + (isCompacting ? 2 : 1)
        var header = LineWriter()
        header.writeOpen(
            Opening(
                store: store, segment: number, firstNumber: next, hasBase: false,
                before: isCompacting ? old.number : nil))
        do throws(DiskError) {
            // Segments must follow each other without a gap, so another number is not possible.
            guard try numberNext(after: old.number) == old.number + 1,
                try !disk.list(.journal, "rotate.list").contains(SegmentName.live(number))
            else {
                throw DiskError("rotate.number", code: DiskError.nameTaken)
            }
        } catch { throw .beforeName(error) }
        segment = try publish(header.bytes, as: number)
        earlier.sealed.append(old.number)
        earlier.bytes += old.size
        upkeep = Upkeep(
            sealing: seal(of: old),
            before: isCompacting ? compaction(as: old.number + 1) : nil)
    }

    private func seal(of old: Segment) -> Upkeep.Seal {
        var line = LineWriter()
        line.writeEnd("seal", next: next, count: old.records)
        return Upkeep.Seal(disk: disk, segment: old, line: line.bytes)
    }

    private func compaction(as number: Int) -> Compaction {
        Compaction(
            Compaction.Site(disk: disk, limits: limits, store: store, time: time),
            segment: number, sources: earlier.sealed, next: next)
    }

    /// Writes the live lines into a new segment and continues there.
    mutating func begin(_ found: Recovered) throws(RewriteFailure) {
        try endUpkeep()
        let (fresh, written) = try rewrite(found)
        segment = fresh
        linesOnDisk = written.kept.count
        if written.kept.count < found.kept.count { isShortened = true }
        earlier = EarlierSegments(
            superseded: written.segments.filter { $0 < fresh.number })
        marks.open(at: HighWaterMark(store: store, next: next))
    }

    /// Tries again to write after the disk was full or read-only.
    mutating func resume() throws(CommitFailure) {
        do throws(DiskError) { try probe() } catch { throw .full(error) }
        let found: Recovered
        do throws(JournalOpenError) {
            found = try contents(remembering: limits.rememberedEvents)
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
}

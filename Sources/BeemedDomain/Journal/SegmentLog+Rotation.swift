/// Changes from one segment to the next, and retires those that leave the ring.
extension SegmentLog {
    /// Whether the segment is full; or where space is short, one can make room: the oldest, or this
    /// one behind a short successor; or segments have left the ring. Appending is still possible.
    var isMaintenanceDue: Bool {
        if unnamed > 0 { return true }
        guard let segment else { return false }
        let size = segment.size - segment.baseSize
        if size >= limits.segmentBytes { return true }
        guard isShort else { return false }
        return size >= limits.shortSegmentBytes || ring.retirable(before: segment.first) > 0
    }

    mutating func carrying(for live: LiveSize) -> CarryRequest? {
        ring.update(live)
        guard let segment else { return nil }
        return ring.carrying(segment.part, live, limits, isShort: isShort)
    }

    mutating func maintain(live: LiveSize, time: UnixTime) throws(CommitFailure) -> Bool {
        ring.update(live)
        self.time = time
        do throws(CommitFailure) {
            if unnamed > 0 {
                try retire()
            } else if isMaintenanceDue, let segment {
                try rotate(segment)
            }
        } catch {
            guard error.isHarmless else { throw .unknown(error.cause) }
            // The old segment stays in use. A full disk is not tried again at once; a transient
            // error, such as too many open files, is tried again soon.
            let pause = error.cause.isPassing ? limits.segmentBytes / 16 : limits.segmentBytes
            let base = (segment?.size ?? 0) - limits.segmentBytes + max(1, pause)
            segment?.baseSize = base
        }
        return unnamed > 0
    }

    /// Starts a new segment, whose first line says from which one on a start reads. The others leave
    /// the ring.
    private mutating func rotate(_ old: Segment) throws(CommitFailure) {
        let gone = ring.retirable(before: old.first)
        let number = old.number + 1
        do throws(DiskError) {
            // Segments must follow each other without a gap, so another number is not possible.
            let name = SegmentName.live(number)
            guard try !disk.list(.journal, "rotate.list").contains(name),
                try !disk.list(.history, "rotate.list").contains(name)
            else { throw DiskError("rotate.number", code: DiskError.nameTaken) }
        } catch { throw .full(error) }
        let all = ring.parts + [old.part]
        let opening = Opening(
            store: store, segment: number, firstNumber: next, oldest: all[gone].number, at: time)
        let made = try disk.publish(number) { (draft) throws(DiskError) in
            try draft.add { $0.writeOpen(opening) }
        }
        // Readers skip the blank lines, but they take up space.
        truncatePreallocation()
        disk.close(old.file)
        segment = Segment(number, next, made)
        ring.parts = Array(all[gone...])
        retired += all[..<gone].map(\.number)
        unnamed = gone
    }

    /// Gives the segments that have left the ring their names in the history, and removes those that
    /// were retired before. Not in the turn of the rotation: a press waits for two syncs of one or of
    /// the other.
    private mutating func retire() throws(CommitFailure) {
        let (former, new) = (Array(retired.dropLast(unnamed)), Array(retired.suffix(unnamed)))
        (retired, unnamed) = (new, 0)
        let kept = keep(isShort ? former : former + new, copying: former)
        if isShort {
            removeRetired()
        } else {
            try? History(disk).removeExpired(
                atMost: new.count, after: limits.historySeconds, at: time)
        }
        let gone = former.filter(kept.contains)
        guard !gone.isEmpty else { return }
        for segment in gone {
            try? disk.unlink(.segment(segment), "retire.unlink")
        }
        do throws(DiskError) {
            try disk.syncFolder(.journal, "retire.unlink.sync")
        } catch {
            if !error.isFull { throw .unknown(error) }
        }
    }

    /// Gives segments their names in the history, beside those that they have, and returns those that
    /// have them there for certain. The others stay where they are.
    ///
    /// - Parameter copied: those to be copied if they cannot get a second name: a file system may
    ///   have none.
    @discardableResult
    func keep(_ segments: [Int], copying copied: [Int] = []) -> [Int] {
        let kept = segments.filter { segment in
            do throws(DiskError) {
                try disk.link(
                    .segment(segment), to: .segment(segment, in: .history), "retire.link")
                return true
            } catch {
                return error.code == DiskError.nameTaken
                    || copied.contains(segment) && keepLines(of: segment)
            }
        }
        guard !kept.isEmpty, (try? disk.syncFolder(.history, "retire.folder")) != nil else {
            return []
        }
        return kept
    }

    /// Removes the retired segments to make room. Returns whether there were any.
    @discardableResult
    mutating func removeRetired() -> Bool {
        defer { (retired, unnamed) = ([], 0) }
        remove(retired)
        return !retired.isEmpty
    }
}

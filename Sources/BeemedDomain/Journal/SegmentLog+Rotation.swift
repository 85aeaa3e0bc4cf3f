/// Changes from one segment to the next, and retires those that leave the ring.
extension SegmentLog {
    /// Whether the segment is full, or where space is short, one can make room: the oldest, or this
    /// one behind a short successor. Appending is still possible.
    var isMaintenanceDue: Bool {
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

    mutating func maintain(live: LiveSize, time: UnixTime) throws(CommitFailure) {
        ring.update(live)
        guard isMaintenanceDue, let old = segment else { return }
        self.time = time
        do throws(CommitFailure) {
            try retire(rotate(old))
        } catch {
            guard error.isHarmless else { throw .unknown(error.cause) }
            // The old segment stays in use. A full disk is not tried again at once; a transient
            // error, such as too many open files, is tried again soon.
            let pause = error.cause.isPassing ? limits.segmentBytes / 16 : limits.segmentBytes
            let base = old.size - limits.segmentBytes + max(1, pause)
            segment?.baseSize = base
        }
    }

    /// Starts a new segment, whose first line says from which one on a start reads. Returns those
    /// that no start reads any more.
    private mutating func rotate(_ old: Segment) throws(CommitFailure) -> [Int] {
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
        return all[..<gone].map(\.number)
    }

    /// Gives these segments their names in the history, and removes those that were retired before.
    private mutating func retire(_ segments: [Int]) throws(CommitFailure) {
        guard !segments.isEmpty else { return }
        let gone = keep(retired, copies: true)
        retired = segments
        if isShort {
            removeRetired()
        } else {
            keep(retired)
            try? History(disk).removeExpired(
                atMost: segments.count, after: limits.historySeconds, at: time)
        }
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
    /// - Parameter copies: whether to copy those that cannot get a second name: a file system may
    ///   have none.
    @discardableResult
    func keep(_ segments: [Int], copies: Bool = false) -> [Int] {
        let kept = segments.filter { segment in
            do throws(DiskError) {
                try disk.link(
                    .segment(segment), to: .segment(segment, in: .history), "retire.link")
                return true
            } catch {
                return error.code == DiskError.nameTaken || copies && keepLines(of: segment)
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
        defer { retired = [] }
        remove(retired)
        return !retired.isEmpty
    }
}

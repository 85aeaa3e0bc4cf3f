/// Changes from one segment to the next.
extension SegmentLog {
    /// Whether the segment is full, or where space is short, one can make room: the oldest, or this
    /// one behind a short successor. Appending is still possible.
    var wantsRotation: Bool {
        guard let segment else { return false }
        let size = segment.size - segment.baseSize
        if size >= limits.segmentBytes { return true }
        guard isShort else { return false }
        return size >= limits.shortSegmentBytes || ring.retirable(before: segment.first) > 0
    }

    mutating func carrying(for live: LiveSize) -> CarryRequest? {
        ring.hear(live)
        guard let segment else { return nil }
        return ring.carrying(segment.part, live, limits, isShort: isShort)
    }

    /// Starts a new segment, whose first line says from which one on a start reads.
    mutating func rotate(live: LiveSize, time: UnixTime) throws(CommitFailure) {
        ring.hear(live)
        guard wantsRotation, let old = segment else { return }
        self.time = time
        do throws(RewriteFailure) {
            try rotate(old)
        } catch {
            guard error.isHarmless else { throw .unknown(error.cause) }
            // The old segment stays in use. A full disk is not tried again at once; a transient
            // error, such as too many open files, is tried again soon.
            let pause = error.cause.isPassing ? limits.segmentBytes / 16 : limits.segmentBytes
            let base = old.size - limits.segmentBytes + max(1, pause)
            segment?.baseSize = base
        }
    }

    private mutating func rotate(_ old: Segment) throws(RewriteFailure) {
        let gone = ring.retirable(before: old.first)
        let number = old.number + 1
        do throws(DiskError) {
            // Segments must follow each other without a gap, so another number is not possible.
            let name = SegmentName.live(number)
            guard try !disk.list(.journal, "rotate.list").contains(name),
                try !disk.list(.history, "rotate.list").contains(name)
            else { throw DiskError("rotate.number", code: DiskError.nameTaken) }
        } catch { throw .beforeName(error) }
        let all = ring.parts + [old.part]
        let opening = Opening(
            store: store, segment: number, firstNumber: next, oldest: all[gone].number, at: time)
        let fresh = try publish(as: number, next) { (draft) throws(DiskError) in
            var head = LineWriter()
            head.writeOpen(opening)
            try draft.write(head.bytes)
        }
        // Blank lines would be nothing to a reader, but space.
        if old.length > old.size { try? disk.truncate(old.file, to: old.size, "rotate.truncate") }
        disk.close(old)
        segment = fresh
        ring.parts = Array(all[gone...])
        newlyRetired += all[..<gone].map { Retired(number: $0.number) }
    }
}

/// Segments that leave the ring.
extension SegmentLog {
    var hasUpkeep: Bool { !newlyRetired.isEmpty }

    /// Moves the segments to the history that the last rotation has retired, and removes those that
    /// were retired before.
    mutating func maintain() throws(CommitFailure) {
        guard hasUpkeep else { return }
        let count = newlyRetired.count
        copyRest()
        let before = retired
        retired = newlyRetired
        newlyRetired = []
        if isShort {
            removeRetired()
        } else {
            keepRetired()
            try? History.removeExpired(
                on: disk, atMost: count, after: limits.historySeconds, at: time)
        }
        guard !before.isEmpty else { return }
        for file in before where file.isInHistory {
            let name = StoredFile(.journal, SegmentName.live(file.number))
            try? disk.unlink(name, "retire.unlink")
        }
        do throws(DiskError) {
            try disk.syncFolder(.journal, "retire.unlink.sync")
        } catch {
            if !error.isFull { throw .unknown(error) }
        }
    }

    /// Gives the retired segments their names in the history, beside those that they have. Where
    /// that fails, they stay where they are.
    mutating func keepRetired() {
        var isLinked = false
        for index in retired.indices where !retired[index].isInHistory {
            let name = SegmentName.live(retired[index].number)
            do throws(DiskError) {
                try disk.link(
                    StoredFile(.journal, name), to: StoredFile(.history, name), "retire.link")
            } catch { if error.code != DiskError.nameTaken { continue } }
            (retired[index].isInHistory, isLinked) = (true, true)
        }
        guard isLinked else { return }
        do throws(DiskError) {
            try disk.syncFolder(.history, "retire.folder")
        } catch {
            for index in retired.indices { retired[index].isInHistory = false }
        }
    }

    /// Copies retired segments that have no name in the history: a file system may have no second
    /// names.
    private mutating func copyRest() {
        keepRetired()
        for index in retired.indices where !retired[index].isInHistory {
            retired[index].isInHistory = keepLines(of: retired[index].number)
        }
    }

    /// Removes the retired segments that are not needed for room.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    mutating func removeRetired() -> Bool {
        defer { retired = [] }
        return remove(retired.map(\.number))
    }
}

/// Gives new segments their names, once they are complete, durable and compared.
extension SegmentLog {
    /// Writes a segment under a temporary name, and gives it its own, in place of an earlier file.
    ///
    /// - Parameters:
    ///   - first: the number of its first record.
    ///   - body: writes its contents.
    func publish(
        as number: Int, _ first: SequenceNumber,
        _ body: (inout AtomicFileWriter) throws(DiskError) -> Void
    ) throws(RewriteFailure) -> Segment {
        let temporary = StoredFile(.journal, SegmentName.temporary(number))
        var draft: AtomicFileWriter
        do throws(DiskError) {
            guard SegmentName.number(SegmentName.live(number)) == number else {
                throw DiskError("publish.number", code: DiskError.tooGreat)
            }
            draft = try AtomicFileWriter(creating: temporary, on: disk, .publish)
            do throws(DiskError) {
                try body(&draft)
                try draft.finish(temporary, by: limits.windowBytes)
            } catch {
                draft.discard(temporary)
                throw error
            }
        } catch { throw .beforeName(error) }
        return try publish(draft, as: number, first)
    }

    /// Gives a complete segment its name, or removes it.
    private func publish(
        _ draft: AtomicFileWriter, as number: Int, _ first: SequenceNumber
    ) throws(RewriteFailure) -> Segment {
        let name = StoredFile(.journal, SegmentName.live(number))
        let temporary = StoredFile(.journal, SegmentName.temporary(number))
        do throws(DiskError) {
            try disk.rename(temporary, to: name.name, draft.labels.rename)
        } catch {
            // The folder may have no free space for a name. After any other error the name may be
            // there.
            if error.isFull || error.isReadOnly, exists(temporary) {
                draft.discard(temporary)
                throw .beforeName(error)
            }
            disk.close(draft.file)
            throw .afterName(error)
        }
        do throws(DiskError) {
            try disk.syncFolder(.journal, draft.labels.folder)
            let named = try disk.named(draft.file, name, "publish.name")
            guard try disk.size(of: named, "publish.name") == draft.size else {
                throw DiskError("publish.name", code: DiskError.inputOutput)
            }
            return Segment(number, first, named, size: draft.size)
        } catch {
            disk.close(draft.file)
            throw .afterName(error)
        }
    }

    private func exists(_ name: StoredFile) -> Bool {
        (try? disk.size(of: name, "publish.name")) != nil
    }
}

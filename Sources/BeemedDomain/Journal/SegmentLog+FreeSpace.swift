/// Free space on the disk: how much a press needs, and what is removed if there is too little.
extension SegmentLog {
    /// A search for free space that found too little, so that the next press does not search again.
    struct FailedSearch: Sendable {
        var freeBytes: Int
        var lines: Int
        var attempts = 0
    }

    /// New events are accepted only while there is free space to rewrite everything, and a mark
    /// must prove that there is. Records about known events are written as long as there is any
    /// free space: they lead to more free space.
    mutating func checkFreeSpace(for live: LiveSize) throws(CommitFailure) {
        if uncheckedBatches > 0 {
            uncheckedBatches -= 1
            return
        }
        if try hasSpace(for: live) { return }
        if isWorthSearching() {
            try shorten(for: live)
            if try hasSpace(for: live) { return }
        }
        throw .full(DiskError("commit.free", code: DiskError.noSpace))
    }

    private mutating func hasSpace(for live: LiveSize) throws(CommitFailure) -> Bool {
        do throws(DiskError) {
            let free = try disk.freeBytes("commit.free")
            let needed = neededBytes(for: live)
            // With plenty of free space, it is not checked for every batch.
            if free / 8 >= needed { uncheckedBatches = 31 }
            return free >= needed
        } catch { throw .full(error) }  // Nothing was written, so the contents are known.
    }

    /// Once delivered events were dropped, the relay still counts them until its next start; then
    /// only the bytes on the disk must be rewritten.
    private func neededBytes(for live: LiveSize) -> Int {
        let onDisk = earlier.bytes + (segment?.size ?? 0)
        return limits.freeBytesNeeded(
            besides: isShortened ? min(live.bytes, onDisk) : live.bytes)
    }

    // MARK: Removing delivered events

    /// Removes delivered events, the oldest first, but only if that makes enough free space: first
    /// the files that the last rewrite left, then the history, then delivered events of the journal
    /// itself. Pending and refused events are never removed.
    private mutating func shorten(for live: LiveSize) throws(CommitFailure) {
        if remove(earlier.superseded) {
            earlier.superseded = []
            if try hasSpace(for: live) { return }
        }
        if shortenHistory(toFree: neededBytes(for: live)) { return }
        try dropDelivered()
        guard try !hasSpace(for: live) else { return }
        if shortenHistory(toFree: neededBytes(for: live)) { return }
        let free = (try? disk.freeBytes("space.free")) ?? 0
        failedSearch = FailedSearch(freeBytes: free, lines: linesOnDisk)
    }

    /// Whether a search for free space may find more than the last one: a search reads the whole
    /// journal.
    private mutating func isWorthSearching() -> Bool {
        guard let last = failedSearch else { return true }
        let free = (try? disk.freeBytes("space.free")) ?? 0
        failedSearch?.attempts += 1
        let isDue = (last.attempts + 1) % 64 == 0
        guard isDue || abs(free - last.freeBytes) > 1 << 20 || linesOnDisk >= last.lines + 256
        else { return false }
        failedSearch = nil
        return true
    }

    /// Rewrites the journal with a quarter of its delivered events, or fewer, if that makes free
    /// space for presses.
    private mutating func dropDelivered() throws(CommitFailure) {
        guard let old = segment, let found = healthyContents(),
            let free = try? disk.freeBytes("space.free")
        else { return }
        let onDisk = earlier.bytes + old.size
        for share in [4, 16, 64, Int.max] {
            guard let fewer = shortened(found, to: share) else { continue }
            let gain = onDisk - fewer.kept.bytes + pastBytes
            guard free + gain >= limits.freeBytesNeeded(besides: fewer.kept.bytes) else { continue }
            do throws(RewriteFailure) {
                try begin(fewer)
            } catch {
                guard error.isHarmless else { throw .unknown(error.cause) }
                return
            }
            disk.close(old)
            isShortened = true
            if remove(earlier.superseded) { earlier.superseded = [] }
            return
        }
    }

    /// The same contents with only that part of the delivered events, the newest; nil when there
    /// are none to drop. The others are not moved to the history: there is no free space for them.
    ///
    /// - Parameter share: `Int.max` keeps `fewestRemembered`, smaller values at least
    ///   `leastRemembered`.
    func shortened(_ found: Recovered, to share: Int) -> Recovered? {
        let delivered = found.entries.count { $0.recorded.isAtRest }
        let count =
            share == .max
            ? limits.fewestRemembered : max(limits.leastRemembered, delivered / share)
        guard count < delivered, var fewer = try? contents(remembering: count),
            fewer.next == found.next
        else { return nil }
        fewer.past = []
        return fewer
    }

    // MARK: Files

    /// - Returns: whether there were any.
    func remove(_ segments: [Int]) -> Bool {
        guard !segments.isEmpty else { return false }
        for segment in segments {
            try? disk.unlink(StoredFile(.journal, SegmentName.live(segment)), "space.unlink")
        }
        try? disk.syncFolder(.journal, "space.unlink.sync")
        return true
    }

    /// Removes the oldest history files until this many bytes are free, if the history is large
    /// enough for that.
    ///
    /// - Returns: whether this many bytes are free now.
    func shortenHistory(toFree needed: Int) -> Bool {
        do throws(DiskError) {
            var free = try disk.freeBytes("space.free")
            guard free < needed else { return true }
            guard free + pastBytes >= needed else { return false }
            let names = try disk.list(.history, "space.list").compactMap(ArchiveFileName.init)
                .sorted()
            for name in names where free < needed {
                try disk.unlink(StoredFile(.history, name.live), "space.unlink")
                try disk.syncFolder(.history, "space.unlink.sync")
                free = try disk.freeBytes("space.free")
            }
            return free >= needed
        } catch { return false }
    }

    /// The size of the history, in bytes.
    var pastBytes: Int {
        let names = (try? disk.list(.history, "space.list")) ?? []
        return names.reduce(0) { bytes, name in
            bytes + ((try? disk.size(of: StoredFile(.history, name), "space.size")) ?? 0)
        }
    }
}

/// Room on the disk: how much a press needs, and what is given up when there is too little.
extension Journal {
    /// A search for room that found too little, so that the next press does not search again.
    struct VainSearch: Sendable {
        var freeBytes: Int
        var lines: Int
        var attempts = 0
    }

    /// What is not there yet is only accepted as long as there is room to rewrite everything, and a
    /// mark is to show that there is. What has become of events is written as long as there is any
    /// room: it makes room.
    mutating func checkRoom(for live: LiveSize) throws(CommitFailure) {
        if roomyBatches > 0 {
            roomyBatches -= 1
            return
        }
        if try hasRoom(for: live) { return }
        if isWorthSearching() {
            try shorten(for: live)
            if try hasRoom(for: live) { return }
        }
        throw .full(DiskError("commit.free", code: DiskError.noSpace))
    }

    private mutating func hasRoom(for live: LiveSize) throws(CommitFailure) -> Bool {
        do throws(DiskError) {
            let free = try disk.freeBytes("commit.free")
            let needed = neededBytes(for: live)
            // Where there is plenty, it is not looked at for every batch.
            if free / 8 >= needed { roomyBatches = 31 }
            return free >= needed
        } catch { throw .full(error) }  // Nothing was written, so nothing is unknown.
    }

    /// Once delivered events were dropped here, the relay still counts them until its next start:
    /// then no more need be rewritten than is on the disk.
    private func neededBytes(for live: LiveSize) -> Int {
        let onDisk = olderBytes + (segment?.size ?? 0)
        return limits.freeBytesNeeded(
            besides: isShortened ? min(live.bytes, onDisk) : live.bytes)
    }

    // MARK: What is given up

    /// Gives up what was delivered, the oldest first, and only if that makes room enough: the files
    /// that the last rewrite left, then the history, then delivered events of the journal itself.
    /// What is pending or refused is never touched.
    private mutating func shorten(for live: LiveSize) throws(CommitFailure) {
        if remove(leftover) {
            leftover = []
            if try hasRoom(for: live) { return }
        }
        if shortenHistory(toFree: neededBytes(for: live)) { return }
        try dropDelivered()
        guard try !hasRoom(for: live) else { return }
        if shortenHistory(toFree: neededBytes(for: live)) { return }
        let free = (try? disk.freeBytes("room.free")) ?? 0
        vain = VainSearch(freeBytes: free, lines: linesOnDisk)
    }

    /// Whether a search for room may find more than the last one: to search is to read the journal.
    private mutating func isWorthSearching() -> Bool {
        guard let last = vain else { return true }
        let free = (try? disk.freeBytes("room.free")) ?? 0
        vain?.attempts += 1
        let isDue = (last.attempts + 1) % 64 == 0
        guard isDue || abs(free - last.freeBytes) > 1 << 20 || linesOnDisk >= last.lines + 256
        else { return false }
        vain = nil
        return true
    }

    /// Rewrites the journal with a quarter of its delivered events, or fewer, if there is room for
    /// presses then.
    private mutating func dropDelivered() throws(CommitFailure) {
        guard let old = segment, let found = healthyContents(),
            let free = try? disk.freeBytes("room.free")
        else { return }
        let onDisk = olderBytes + old.size
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
            disk.close(old.file)
            isShortened = true
            if remove(leftover) { leftover = [] }
            return
        }
    }

    /// The same contents with that part of the delivered events, the newest; nil when there are
    /// none to drop. The others are not handed to the history: there is no room for them.
    ///
    /// - Parameter share: `Int.max` leaves `fewestRemembered`, smaller ones no less than
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
            try? disk.unlink(StoredFile(.journal, SegmentName.live(segment)), "room.unlink")
        }
        try? disk.syncFolder(.journal, "room.unlink.sync")
        return true
    }

    /// Removes the oldest files of the history until so many bytes are free, if there is enough in
    /// it for that.
    ///
    /// - Returns: whether so many are free now.
    func shortenHistory(toFree needed: Int) -> Bool {
        do throws(DiskError) {
            var free = try disk.freeBytes("room.free")
            guard free < needed else { return true }
            guard free + pastBytes >= needed else { return false }
            let names = try disk.list(.history, "room.list").compactMap(ArchiveFileName.init)
                .sorted()
            for name in names where free < needed {
                try disk.unlink(StoredFile(.history, name.live), "room.unlink")
                try disk.syncFolder(.history, "room.unlink.sync")
                free = try disk.freeBytes("room.free")
            }
            return free >= needed
        } catch { return false }
    }

    /// What the history takes, in bytes.
    var pastBytes: Int {
        let names = (try? disk.list(.history, "room.list")) ?? []
        return names.reduce(0) { bytes, name in
            bytes + ((try? disk.size(of: StoredFile(.history, name), "room.size")) ?? 0)
        }
    }
}

/// Free space on the disk: how much a press needs, and what is removed if there is too little.
extension SegmentLog {
    /// New events are accepted only while some free space is left for the rest of the system and
    /// for what becomes of them, and a mark must prove that there is. Records about known events
    /// are written as long as there is any free space: they lead to more free space.
    mutating func checkFreeSpace(
        for live: LiveSize, isProof: Bool
    ) throws(CommitFailure) {
        if isProof { uncheckedBatches = 0 }
        if uncheckedBatches > 0 {
            uncheckedBatches -= 1
            return
        }
        isShort = false
        var free = try freeBytes()
        // Early, since the oldest segments can leave only when more was written.
        if free < limits.scarceBytes {
            makeSpace(for: live)
            free = try freeBytes()
        }
        // With plenty of free space, it is not checked for every batch: that costs a sixth of a
        // press that comes alone.
        if free / 8 >= limits.freeBytes, !isShort { uncheckedBatches = SegmentLog.maxUnchecked }
        guard free >= limits.freeBytes else {
            throw .full(DiskError("commit.free", code: DiskError.noSpace))
        }
    }

    /// The batches that are written without a look where there is plenty of space.
    private static let maxUnchecked = 31

    private func freeBytes() throws(CommitFailure) -> Int {
        do throws(DiskError) {
            return try disk.freeBytes("commit.free")
        } catch { throw .full(error) }  // Nothing was written, so the contents are known.
    }

    /// Removes retired segments, then the oldest files of the history. If that is not enough, the
    /// oldest segments of the ring are retired without a place in the history: what is settled in
    /// them is forgotten, what waits or is refused is stated again. Nothing is given up where all
    /// of that would not be enough.
    private mutating func makeSpace(for live: LiveSize) {
        // A small disk never has as much as is wanted of a large one, and must begin early, too:
        // there must be room for the batch that is being written, and for the statements behind it.
        let early = limits.freeBytes + 6 * limits.shortSegmentBytes
        let free = (try? disk.freeBytes("space.free")) ?? 0
        let most = free + disk.bytes(in: .history, "space.list") + ringBytes
        let wanted = [limits.scarceBytes, early, limits.freeBytes].first { most >= $0 }
        guard let wanted, free < wanted else { return }
        removeRetired()
        if shortenHistory(toFree: wanted) { return }
        // Where most of the ring is settled: to state waiting events again only takes space.
        isShort = ringBytes > 2 * live.unsettledBytes + 2 * limits.shortSegmentBytes
    }

    private var ringBytes: Int { ring.parts.reduce(segment?.size ?? 0) { $0 + $1.bytes } }

    // MARK: Files

    func remove(_ segments: [Int]) {
        guard !segments.isEmpty else { return }
        for segment in segments {
            try? disk.unlink(.segment(segment), "space.unlink")
        }
        try? disk.syncFolder(.journal, "space.unlink.sync")
    }

    /// Removes the oldest history files until this many bytes are free, if the history is large
    /// enough for that. Returns whether so many are free now.
    func shortenHistory(toFree needed: Int) -> Bool {
        do throws(DiskError) {
            var free = try disk.freeBytes("space.free")
            guard free < needed else { return true }
            guard free + disk.bytes(in: .history, "space.list") >= needed else { return false }
            for file in try History(disk).files() where free < needed {
                try disk.unlink(.segment(file, in: .history), "space.unlink")
                try disk.syncFolder(.history, "space.unlink.sync")
                free = try disk.freeBytes("space.free")
            }
            return free >= needed
        } catch { return false }
    }
}

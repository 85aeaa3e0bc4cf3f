/// Learns of the upkeep after a rotation, which goes on without the journal.
extension SegmentLog {
    var wantsKnownEvents: Bool { upkeep?.wantsKnownEvents ?? false }

    var compactedBefore: SequenceNumber { earlier.compactedBefore }

    var isCompacting: Bool { upkeep?.isDue ?? false }

    /// Begins the compaction that waits for this.
    ///
    /// - Parameter known: the events that the relay knows, now or at any time since the rotation.
    mutating func compact(keeping known: KnownEvents) { upkeep?.compact(keeping: known) }

    var slice: JournalSlice? {
        guard let upkeep, upkeep.isDue else { return nil }
        return { upkeep.step() }
    }

    /// Learns of the last slices. Without free space the compaction ends, and the journal goes on
    /// without it.
    mutating func compactSome() throws(CommitFailure) {
        guard let upkeep else { return }
        do throws(RewriteFailure) {
            guard let report = try upkeep.report() else { return }
            switch report {
            case .unfit: try postponeCompaction()
            case .replaced(let snapshot):
                let removable = earlier.superseded
                replaceSealed(by: snapshot)
                upkeep.remove(removable)
            case .ended(let removed):
                self.upkeep = nil
                earlier.superseded.removeAll { removed.contains($0) }
            }
        } catch {
            guard error.isHarmless else { throw .unknown(error.cause) }
            do throws(RewriteFailure) { try postponeCompaction() } catch {
                throw .unknown(error.cause)
            }
        }
    }

    /// Ends the upkeep, after the slice that is under way. A compaction whose snapshot has its name
    /// counts; of any other no file is left.
    mutating func endUpkeep() throws(RewriteFailure) {
        guard let ended = upkeep.take() else { return }
        if case .replaced(let snapshot)? = try ended.end() { replaceSealed(by: snapshot) }
    }

    /// The next rotations do without a compaction, until the journal has twice as many lines.
    private mutating func postponeCompaction() throws(RewriteFailure) {
        try endUpkeep()
        earlier.compactFrom = 2 * linesOnDisk
    }

    private mutating func replaceSealed(by snapshot: Compaction.Replacement) {
        linesOnDisk = snapshot.lines + (segment?.records ?? 0)
        earlier = EarlierSegments(
            sealed: [snapshot.segment], bytes: snapshot.bytes,
            superseded: earlier.superseded + snapshot.sources, compactedBefore: snapshot.next)
    }
}

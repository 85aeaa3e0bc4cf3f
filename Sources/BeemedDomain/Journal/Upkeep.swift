import Synchronization

/// What follows a rotation, in files that no press is written to: the segment before is sealed and,
/// if most lines are dead, all sealed segments are compacted.
///
/// It is done in slices, each under a lock of its own and without the journal: presses are written
/// meanwhile. `SegmentLog` learns of the results between slices.
final class Upkeep: Sendable {
    /// The last line of a segment, which is still to be written.
    struct Seal: Sendable {
        let disk: any Disk
        let segment: SegmentLog.Segment
        let line: [UInt8]

        /// The seal may fail for want of free space.
        func write() throws(RewriteFailure) {
            defer { disk.close(segment) }
            do throws(DiskError) {
                // Only the file as it was left: a shorter one would get back its size.
                if segment.length > segment.size,
                    try disk.size(of: segment.file, "rotate.size") == segment.length
                {
                    try disk.truncate(segment.file, to: segment.size, "rotate.truncate")
                }
                try disk.writeAll(line, to: segment.file, "rotate.seal")
                try disk.sync(segment.file, "rotate.seal.sync")
            } catch {
                guard error.isFull else { throw .afterName(error) }
                // Half a seal would look like damage. If it stays, the next start finds it.
                try? disk.truncate(segment.file, to: segment.size, "rotate.truncate")
            }
        }
    }

    private struct Work: Sendable {
        var seal: Seal?
        var compaction: Compaction?
        var failure: RewriteFailure?
    }

    /// What can be asked while a slice is under way.
    private struct Status: Sendable {
        var isSealed = false
        var awaitsKnown: Bool
        /// The events that a compaction keeps, until it has begun.
        var known: KnownEvents?
        /// No slice may begin any more.
        var isEnding = false
        /// The compaction has something to do.
        var isCompacting = false
    }

    private let work: Mutex<Work>
    private let status: Mutex<Status>

    init(sealing seal: Seal, before compaction: Compaction?) {
        status = Mutex(Status(awaitsKnown: compaction != nil))
        work = Mutex(Work(seal: seal, compaction: compaction))
    }

    /// Whether its compaction waits to hear which events are known.
    var wantsKnownEvents: Bool { status.withLock { $0.awaitsKnown } }

    /// Whether it has something to do now.
    var isDue: Bool { status.withLock { !$0.isSealed || $0.isCompacting } }

    func compact(keeping known: KnownEvents) {
        status.withLock { status in
            guard status.awaitsKnown else { return }
            (status.known, status.awaitsKnown, status.isCompacting) = (known, false, true)
        }
    }

    /// Does the next slice.
    ///
    /// - Returns: whether another one can follow at once. If not, the journal must hear of it.
    func step() -> Bool {
        work.withLock { work in
            guard !status.withLock({ $0.isEnding }) else { return false }
            do throws(RewriteFailure) { try advance(&work) } catch { work.failure = error }
            return work.failure == nil && isDue && work.compaction?.mustBeProcessed != true
        }
    }

    private func advance(_ work: inout Work) throws(RewriteFailure) {
        if let seal = work.seal.take() {
            try seal.write()
            status.withLock { $0.isSealed = true }
            return
        }
        if let known = status.withLock({ $0.known.take() }) { work.compaction?.begin(known) }
        try work.compaction?.step()
    }

    /// Waits for the slice that is under way, and does no other. An unfinished compaction leaves no
    /// file; the seal is written.
    ///
    /// - Returns: what the journal has not heard yet.
    func end() throws(RewriteFailure) -> Compaction.Report? {
        status.withLock { $0.isEnding = true }
        let ended = work.withLock { work in
            defer { work = Work(failure: work.failure) }
            if let seal = work.seal, work.failure == nil {
                do throws(RewriteFailure) { try seal.write() } catch { work.failure = error }
            }
            work.compaction?.discard()
            return (work.failure, work.compaction?.report)
        }
        if let failure = ended.0, !failure.isHarmless { throw failure }
        return ended.1
    }

    /// What the journal must hear: nil while there is nothing.
    func report() throws(RewriteFailure) -> Compaction.Report? {
        let (failure, report) = work.withLock { work in
            (
                work.failure,
                work.seal != nil ? nil : work.compaction.map(\.report) ?? .ended(removed: [])
            )
        }
        if let failure { throw failure }
        return report
    }

    /// Lets the compaction remove these segments, after its snapshot has taken their place.
    func remove(_ superseded: [Int]) {
        work.withLock { $0.compaction?.remove(superseded) }
    }
}

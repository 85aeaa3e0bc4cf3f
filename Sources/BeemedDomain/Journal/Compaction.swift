/// A rewrite of the sealed segments without the lines of forgotten events, while presses are
/// appended to the segment after them.
///
/// A rotation leaves a number free between the sealed segments and the new one. The snapshot is
/// written under a temporary name, a slice at a time, and gets that number when it is complete: a
/// start finds the old segments or the snapshot, and in both cases the segment that follows.
struct Compaction: Sendable {
    /// Where it writes, and how.
    struct Site: Sendable {
        let disk: any Disk
        let limits: Journal.Limits
        let store: String
        let time: UnixTime
    }

    /// What is done next.
    private enum Phase: Sendable {
        /// It waits to hear which events are known.
        case waiting
        case reading(CompactionReader)
        /// A file of the history is written, the one of that index.
        case archiving(SnapshotWriter, Int)
        case copying(SnapshotWriter)
        /// The snapshot is complete, and has its temporary name.
        case complete(AtomicFileWriter)
        /// The snapshot has its name, and that many bytes.
        case named(Int)
        /// These segments were superseded before, and are removed; then those that are removed.
        case removing([Int], gone: [Int])
        case ended(gone: [Int])
        /// The segments are not what this process has written.
        case unfit
    }

    /// What the journal must know about it.
    enum Report: Sendable {
        /// A snapshot of that size has replaced the segments.
        case replaced(Replacement)
        /// These superseded segments are removed.
        case ended(removed: [Int])
        /// The segments are not what this process has written: a start must tell what happened.
        case unfit
    }

    /// The snapshot that has replaced the segments.
    struct Replacement: Sendable {
        let segment: Int
        let bytes: Int
        let lines: Int
        /// The segments that it replaces.
        let sources: [Int]
        /// The number after their last record.
        let next: SequenceNumber
    }

    private let site: Site
    /// The number that is reserved for the snapshot.
    private let segment: Int
    /// The segments that it replaces, in order.
    private let sources: [Int]
    /// The number after their last record.
    private let next: SequenceNumber
    private var phase = Phase.waiting
    private var contents = CompactionReader.Contents()

    init(_ site: Site, segment: Int, sources: [Int], next: SequenceNumber) {
        (self.site, self.segment, self.sources, self.next) = (site, segment, sources, next)
    }

    /// The files of the history that it writes.
    private var archives: [ArchiveFileName] {
        contents.past.indices.map { ArchiveFileName(segment: segment, part: $0) }
    }

    private var disk: any Disk { site.disk }

    /// What the journal must know; nil while there is nothing.
    var report: Report? {
        switch phase {
        case .waiting, .reading, .archiving, .copying, .complete, .removing: nil
        case .named(let bytes):
            .replaced(
                Replacement(
                    segment: segment, bytes: bytes, lines: contents.kept.count, sources: sources,
                    next: next))
        case .ended(let gone): .ended(removed: gone)
        case .unfit: .unfit
        }
    }

    /// Whether the journal must hear of it before the next slice.
    var mustBeProcessed: Bool { report != nil }

    /// - Parameter known: the events that the relay knows, now or at any time since the rotation.
    mutating func begin(_ known: KnownEvents) {
        phase = .reading(
            CompactionReader(
                disk, store: site.store, segments: sources, next: next, known: known,
                window: window))
    }

    /// Removes its files, if the snapshot has not got its name.
    mutating func discard() {
        switch phase {
        case .named, .removing, .ended: return
        case .waiting, .reading, .unfit: break
        case .archiving(let writer, _), .copying(let writer): writer.discard()
        case .complete(let draft):
            draft.discard(StoredFile(.journal, SegmentName.temporary(segment)))
        }
        for archive in archives {
            for name in [archive.temporary, archive.live] {
                try? disk.unlink(StoredFile(.history, name), "compact.unlink")
            }
        }
        phase = .waiting
    }

    /// Lets it remove these segments, after its snapshot has replaced others.
    mutating func remove(_ superseded: [Int]) {
        guard case .named = phase else { return }
        contents = CompactionReader.Contents()
        phase = .removing(superseded, gone: [])
    }

    // MARK: Slices

    /// Does the next slice.
    mutating func step() throws(RewriteFailure) {
        switch phase {
        case .waiting, .named, .ended, .unfit: return
        case .reading(let reader):
            // Nobody else may hold the reader's tables while it changes them.
            phase = .waiting
            try read(reader)
        case .archiving(let writer, let index): try archive(writer, index)
        case .copying(let writer): try copy(writer)
        case .complete(let draft): try replaceSources(by: draft)
        case .removing(let rest, let gone): try removeNext(of: rest, gone)
        }
    }

    private var window: Int { min(site.limits.windowBytes, site.limits.sliceBytes) }

    private mutating func read(_ reader: consuming CompactionReader) throws(RewriteFailure) {
        let contents: CompactionReader.Contents?
        do throws(CompactionReader.Unfit) {
            contents = try reader.step(of: site.limits.sliceBytes / 4)
        } catch {
            phase = .unfit
            return
        }
        guard let contents else {
            phase = .reading(reader)
            return
        }
        self.contents = contents
        try beginFile(0)
    }

    private mutating func archive(
        _ writer: consuming SnapshotWriter, _ index: Int
    ) throws(RewriteFailure) {
        if try step(&writer) {
            disk.close(writer.draft.file)
            phase = .waiting
            try beginFile(index + 1)
        } else {
            phase = .archiving(writer, index)
        }
    }

    private mutating func copy(_ writer: consuming SnapshotWriter) throws(RewriteFailure) {
        let isComplete = try step(&writer)
        phase = isComplete ? .complete(writer.draft) : .copying(writer)
    }

    /// - Returns: whether the file is complete.
    private mutating func step(_ writer: inout SnapshotWriter) throws(RewriteFailure) -> Bool {
        do throws(DiskError) {
            return try writer.step(of: site.limits.sliceBytes, isSynced: true)
        } catch {
            // The writer has removed its file.
            phase = .waiting
            throw .beforeName(error)
        }
    }

    /// Begins a file of the history or, after the last, the snapshot.
    private mutating func beginFile(_ index: Int) throws(RewriteFailure) {
        let isArchive = index < contents.past.count
        let plan: SnapshotWriter.Plan =
            isArchive
            ? .archive(
                archives[index], contents.past[index], next, store: site.store, at: site.time)
            : .segment(segment, contents.kept, next, .compact, store: site.store)
        let writer: SnapshotWriter
        do throws(DiskError) {
            writer = try SnapshotWriter(plan, on: disk, window: window)
        } catch { throw .beforeName(error) }
        phase = isArchive ? .archiving(writer, index) : .copying(writer)
    }

    // MARK: The switch

    /// Names the files of the history, then the snapshot, which makes them count.
    private mutating func replaceSources(by draft: AtomicFileWriter) throws(RewriteFailure) {
        let archives = archives
        do throws(DiskError) {
            for archive in archives {
                try disk.rename(
                    StoredFile(.history, archive.temporary), to: archive.live, "history.rename")
            }
            if !archives.isEmpty { try disk.syncFolder(.history, "history.folder") }
        } catch { throw .beforeName(error) }
        let snapshot = try disk.publish(draft, as: segment)
        disk.close(snapshot.file)
        phase = .named(snapshot.size)
        try? History.removeExpired(
            on: disk, atMost: archives.count, before: segment,
            after: site.limits.historySeconds, at: site.time)
    }

    /// Removes one of the segments that were superseded before this compaction.
    private mutating func removeNext(of segments: [Int], _ gone: [Int]) throws(RewriteFailure) {
        guard let first = segments.first else {
            phase = .ended(gone: gone)
            FreedMemory.giveBack()
            do throws(DiskError) {
                try disk.syncFolder(.journal, "compact.old.sync")
            } catch {
                if !error.isFull { throw .afterName(error) }
            }
            return
        }
        try? disk.unlink(StoredFile(.journal, SegmentName.live(first)), "compact.old.unlink")
        phase = .removing(Array(segments.dropFirst()), gone: gone + [first])
    }
}

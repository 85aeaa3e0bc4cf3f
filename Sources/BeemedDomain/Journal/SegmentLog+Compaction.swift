/// Compacts the journal, a slice at a time between batches.
extension SegmentLog {
    var wantsKnownEvents: Bool {
        if case .waiting? = compaction?.phase { true } else { false }
    }

    var isCompacting: Bool { compaction != nil && !wantsKnownEvents }

    /// Begins the compaction that waits for this.
    ///
    /// - Parameter known: the events that the relay knows, now or at any time since the rotation.
    mutating func compact(keeping known: KnownEvents) {
        guard wantsKnownEvents, let waiting = compaction else { return }
        let reader = CompactionReader(
            disk, store: store, segments: waiting.sources, next: waiting.next, known: known,
            window: min(limits.windowBytes, limits.sliceBytes))
        compaction?.phase = .reading(reader)
    }

    /// Does the next slice of the compaction. Without room it ends, and the journal goes on without
    /// it.
    mutating func compactSome() throws(CommitFailure) {
        do throws(RewriteFailure) {
            try advanceCompaction()
        } catch {
            guard error.isHarmless else { throw .unknown(error.cause) }
            postponeCompaction()
        }
    }

    /// Ends a compaction before its snapshot has its name, and removes its files.
    mutating func abandonCompaction() {
        guard let abandoned = compaction else { return }
        compaction = nil
        switch abandoned.phase {
        case .removing: return
        case .waiting, .reading: break
        case .archiving(let writer, _), .copying(let writer): writer.discard()
        case .complete(let draft):
            draft.discard(StoredFile(.journal, SegmentName.temporary(abandoned.segment)))
        }
        for archive in abandoned.archives {
            for name in [archive.temporary, archive.live] {
                try? disk.unlink(StoredFile(.history, name), "compact.unlink")
            }
        }
    }

    /// The next rotations do without a compaction, until the journal has twice as many lines.
    private mutating func postponeCompaction() {
        abandonCompaction()
        earlier.compactFrom = 2 * linesOnDisk
    }

    // MARK: Slices

    private mutating func advanceCompaction() throws(RewriteFailure) {
        switch compaction?.phase {
        case .waiting, nil: return
        case .reading(let reader):
            // Nobody else may hold the reader's tables while it changes them.
            compaction?.phase = .waiting
            try read(reader)
        case .archiving(let writer, let index): try archive(writer, index)
        case .copying(let writer): try copy(writer)
        case .complete(let draft): try replaceSealed(by: draft)
        case .removing(let rest): try removeNext(of: rest)
        }
    }

    private mutating func read(_ reader: consuming CompactionReader) throws(RewriteFailure) {
        let contents: CompactionReader.Contents?
        do throws(CompactionReader.Unfit) {
            contents = try reader.step(of: limits.sliceBytes / 4)
        } catch { return postponeCompaction() }
        guard let contents else {
            compaction?.phase = .reading(reader)
            return
        }
        compaction?.contents = contents
        try beginFile(0)
    }

    private mutating func archive(
        _ writer: consuming SnapshotWriter, _ index: Int
    ) throws(RewriteFailure) {
        if try step(&writer) {
            disk.close(writer.draft.file)
            compaction?.phase = .waiting
            try beginFile(index + 1)
        } else {
            compaction?.phase = .archiving(writer, index)
        }
    }

    private mutating func copy(_ writer: consuming SnapshotWriter) throws(RewriteFailure) {
        let isComplete = try step(&writer)
        compaction?.phase = isComplete ? .complete(writer.draft) : .copying(writer)
    }

    /// - Returns: whether the file is complete.
    private mutating func step(_ writer: inout SnapshotWriter) throws(RewriteFailure) -> Bool {
        do throws(DiskError) {
            return try writer.step(of: limits.sliceBytes, isSynced: true)
        } catch {
            // The writer has removed its file.
            compaction?.phase = .waiting
            throw .beforeName(error)
        }
    }

    /// Begins a file of the history or, after the last, the snapshot.
    private mutating func beginFile(_ index: Int) throws(RewriteFailure) {
        guard let compaction else { return }
        let contents = compaction.contents
        let isArchive = index < contents.past.count
        let plan =
            isArchive
            ? plan(of: compaction.archives[index], contents.past[index], compaction.next)
            : plan(of: compaction.segment, contents.kept, compaction.next, .compact)
        let writer: SnapshotWriter
        do throws(DiskError) {
            let window = min(limits.windowBytes, limits.sliceBytes)
            writer = try SnapshotWriter(plan, on: disk, window: window)
        } catch { throw .beforeName(error) }
        self.compaction?.phase = isArchive ? .archiving(writer, index) : .copying(writer)
    }

    // MARK: The switch

    /// Names the files of the history, then the snapshot, which makes them count.
    private mutating func replaceSealed(by draft: AtomicFileWriter) throws(RewriteFailure) {
        guard let compaction, let open = segment else { return }
        do throws(DiskError) {
            for archive in compaction.archives {
                try disk.rename(
                    StoredFile(.history, archive.temporary), to: archive.live, "history.rename")
            }
            if !compaction.archives.isEmpty {
                try disk.syncFolder(.history, "history.folder")
            }
        } catch { throw .beforeName(error) }
        let snapshot = try publish(draft, as: compaction.segment)
        disk.close(snapshot.file)
        try? removeOldPast(atMost: compaction.archives.count, before: compaction.segment)
        self.compaction?.phase = .removing(earlier.superseded)
        linesOnDisk = compaction.contents.kept.count + open.records
        earlier = EarlierSegments(
            sealed: [compaction.segment], bytes: snapshot.size,
            superseded: earlier.superseded + compaction.sources)
    }

    /// Removes one of the segments that were superseded before this compaction.
    private mutating func removeNext(of segments: [Int]) throws(RewriteFailure) {
        guard let first = segments.first else {
            compaction = nil
            FreedMemory.giveBack()
            do throws(DiskError) {
                try disk.syncFolder(.journal, "compact.old.sync")
            } catch {
                if !error.isFull { throw .afterName(error) }
            }
            return
        }
        try? disk.unlink(StoredFile(.journal, SegmentName.live(first)), "compact.old.unlink")
        earlier.superseded.removeAll { $0 == first }
        compaction?.phase = .removing(Array(segments.dropFirst()))
    }
}

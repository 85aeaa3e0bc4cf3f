/// A snapshot of the journal that is made while batches are appended: the batches are read back,
/// lines of forgotten events leave for the history, the rest is written as a new snapshot, and one
/// transaction makes it count.
struct KeyedCompaction: Sendable {
    /// What is done next.
    enum Phase: Sendable {
        /// It waits to hear which events are known.
        case waiting
        case loading(StoreLoader)
        case reading(CompactionReader)
        /// A file of the history is written, the one of that index.
        case archiving(SnapshotWriter, Int)
        case copying(SnapshotWriter)
        /// The parts from that one on are not in the store yet.
        case uploading([UInt8], part: Int)
        /// All parts are in the store: the snapshot is about to count.
        case switching(BaseRecord)
        /// The snapshot counts. What it replaces is deleted.
        case deleting
    }

    /// The number of the new snapshot.
    let number: Int
    /// The number after its last record.
    let next: SequenceNumber
    var phase = Phase.waiting
    var known: KnownEvents?
    var image: StoreImage?
    var contents = CompactionReader.Contents()

    init(number: Int, next: SequenceNumber) {
        self.number = number
        self.next = next
    }

    /// The files of the history that it writes.
    var archives: [ArchiveFileName] {
        contents.past.indices.map { ArchiveFileName(segment: number, part: $0) }
    }

    /// Removes its files of the history: their events are still in the journal.
    func discard(on local: any Disk) {
        switch phase {
        // The snapshot counts, or may: its events are in the history only.
        case .switching, .deleting: return
        case .archiving(let writer, _), .copying(let writer): writer.discard()
        case .waiting, .loading, .reading, .uploading: break
        }
        for archive in archives {
            for name in [archive.temporary, archive.live] {
                try? local.unlink(StoredFile(.history, name), "compact.unlink")
            }
        }
    }
}

extension KeyedLog {
    var wantsKnownEvents: Bool {
        if case .waiting? = compaction?.phase { compaction?.known == nil } else { false }
    }

    var compactedBefore: SequenceNumber { base.through.next }

    var isCompacting: Bool { compaction != nil && !wantsKnownEvents }

    mutating func compact(keeping known: KnownEvents) {
        guard wantsKnownEvents else { return }
        compaction?.known = known
    }

    /// Its steps use the connection to the store that batches use.
    var slice: JournalSlice? { nil }

    /// Does the next step. Whatever hinders it only postpones the compaction, unless another relay
    /// leads.
    mutating func compactSome() throws(CommitFailure) {
        guard site.term.isValid else { throw .unknown(site.depose()) }
        do throws(CompactionObstacle) {
            try advance()
        } catch {
            switch error {
            case .passing: return
            case .lasting: postponeCompaction()
            case .deposed: throw .unknown(site.depose())
            case .impossible:
                throw .unknown(DiskError("compact.current", code: DiskError.inputOutput))
            }
        }
    }

    private mutating func advance() throws(CompactionObstacle) {
        switch compaction?.phase {
        case nil: return
        // These change nothing before they succeed.
        case .waiting?: enter(.loading(try begin()))
        case .uploading(let bytes, let part)?: enter(try upload(bytes, part))
        case .switching(let record)?: enter(try switchTo(record))
        case .deleting?: if try delete() { compaction = nil }
        // Nobody else may hold their tables while they change them.
        case .loading(let loader)?:
            compaction?.phase = .waiting
            try load(loader)
        case .reading(let reader)?:
            compaction?.phase = .waiting
            try read(reader)
        case .archiving(let writer, let index)?:
            compaction?.phase = .waiting
            try archive(writer, index)
        case .copying(let writer)?:
            compaction?.phase = .waiting
            try copy(writer)
        }
    }

    private mutating func load(_ loader: consuming StoreLoader) throws(CompactionObstacle) {
        let isComplete: Bool
        do throws(StoreImage.Fault) {
            isComplete = try loader.step()
        } catch {
            compaction?.phase = .loading(loader)
            throw CompactionObstacle(error)
        }
        guard isComplete else { return enter(.loading(loader)) }
        enter(.reading(try reader(of: loader.image(besides: site.local))))
    }

    private mutating func enter(_ phase: consuming KeyedCompaction.Phase) {
        compaction?.phase = phase
    }

    private mutating func read(_ reader: consuming CompactionReader) throws(CompactionObstacle) {
        let contents: CompactionReader.Contents?
        do throws(CompactionReader.Unfit) {
            contents = try reader.step(of: limits.sliceBytes / 4)
        } catch { throw .lasting }
        guard let contents else {
            compaction?.phase = .reading(reader)
            return
        }
        compaction?.contents = contents
        enter(try beginFile(0))
    }

    private mutating func archive(
        _ writer: consuming SnapshotWriter, _ index: Int
    ) throws(CompactionObstacle) {
        guard try step(&writer, isSynced: true) else {
            compaction?.phase = .archiving(writer, index)
            return
        }
        site.local.close(writer.draft.file)
        enter(try beginFile(index + 1))
    }

    private mutating func copy(_ writer: consuming SnapshotWriter) throws(CompactionObstacle) {
        let isComplete = try step(&writer, isSynced: false)
        enter(isComplete ? try beginUpload() : .copying(writer))
    }

    /// - Returns: whether the file is complete.
    private func step(
        _ writer: inout SnapshotWriter, isSynced: Bool
    ) throws(CompactionObstacle) -> Bool {
        do throws(DiskError) {
            return try writer.step(of: limits.sliceBytes, isSynced: isSynced)
        } catch { throw .lasting }
    }

    private func begin() throws(CompactionObstacle) -> StoreLoader {
        guard let number = compaction?.number else { throw .lasting }
        // Files of that number belong to a compaction that came to nothing.
        let names = (try? site.local.list(.history, "history.list")) ?? []
        for name in names
        where ArchiveFileName(name)?.segment == number || SegmentName.isTemporary(name) {
            try? site.local.unlink(StoredFile(.history, name), "history.unlink")
        }
        do throws(StoreImage.Fault) {
            return try StoreLoader(site.store, site.keys, before: compaction?.next)
        } catch { throw CompactionObstacle(error) }
    }

    private mutating func reader(
        of image: StoreImage
    ) throws(CompactionObstacle) -> CompactionReader {
        guard image.revision == revision, let known = compaction?.known, let compaction else {
            throw .lasting
        }
        self.compaction?.image = image
        self.compaction?.known = nil
        return CompactionReader(
            image.disk, store: store, segments: image.segments, next: compaction.next,
            known: known, window: limits.windowBytes)
    }

    /// Begins a file of the history or, after the last, the snapshot.
    private func beginFile(_ index: Int) throws(CompactionObstacle) -> KeyedCompaction.Phase {
        guard let compaction, let image = compaction.image else { throw .lasting }
        let contents = compaction.contents
        let isArchive = index < contents.past.count
        let plan: SnapshotWriter.Plan =
            isArchive
            ? .archive(
                compaction.archives[index], contents.past[index], compaction.next, store: store,
                at: time)
            : .segment(compaction.number, contents.kept, compaction.next, .compact, store: store)
        do throws(DiskError) {
            let writer = try SnapshotWriter(plan, on: image.disk, window: limits.windowBytes)
            return isArchive ? .archiving(writer, index) : .copying(writer)
        } catch { throw .lasting }
    }

    /// Names the files of the history: the snapshot without their events follows.
    private func beginUpload() throws(CompactionObstacle) -> KeyedCompaction.Phase {
        guard let compaction, let image = compaction.image else { throw .lasting }
        do throws(DiskError) {
            for archive in compaction.archives {
                try site.local.rename(
                    StoredFile(.history, archive.temporary), to: archive.live, "history.rename")
            }
            if !compaction.archives.isEmpty {
                try site.local.syncFolder(.history, "history.folder")
            }
        } catch { throw .lasting }
        let file = StoredFile(.journal, SegmentName.temporary(compaction.number))
        guard let bytes = image.disk.take(file) else { throw .lasting }
        return .uploading(bytes, part: 0)
    }
}

/// Why a step of a compaction was not done.
enum CompactionObstacle: Error {
    /// The same step may succeed a moment later.
    case passing
    /// The compaction comes to nothing.
    case lasting
    /// Another relay leads.
    case deposed
    /// The store has what only this relay could have written, and did not.
    case impossible

    init(_ fault: StoreImage.Fault) {
        switch fault {
        case .store(let fault): self.init(fault)
        case .laterVersion, .missing, .damaged: self = .lasting
        }
    }

    init(_ fault: KeyValueFault) {
        switch fault {
        case .unanswered: self = .passing
        case .noSpace, .refused: self = .lasting
        }
    }
}

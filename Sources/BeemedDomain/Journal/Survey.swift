/// Determines which files of a journal's folder belong to its store, before any of them is read
/// whole.
///
/// Every segment names its store in its first line. A segment copied here from another relay must
/// never replace one of ours, whatever its number and however complete it is.
struct Survey: Sendable {
    /// Segments to read: those of this store, and those with an unreadable first line.
    private(set) var segments: [Int] = []
    /// Segments of other stores, in order.
    private(set) var foreign: [Int] = []
    /// Those of `segments` whose first line cannot be read: a start needs only the newest ones.
    private(set) var unreadable: [Int: DiskError] = [:]
    /// Segments' names with other digits: nothing of those files is read.
    private(set) var misnamed: [StoredFile] = []
    /// What has the name of a file of the journal or of the history, and is none.
    private(set) var specialFiles: [SpecialFile] = []
    /// The store's name; nil when unknown.
    private(set) var store: String?
    /// Whether there are several stores, and only the segments show which one is ours.
    private(set) var isGuess = false

    /// A folder, or a pipe, socket or device, with the name of a file.
    struct SpecialFile: Sendable {
        let name: StoredFile
        let isFolder: Bool

        /// Nil if reading has failed for another reason.
        init?(_ name: StoredFile, _ error: DiskError) {
            guard error.isFolder || error.isSpecial else { return nil }
            self.name = name
            isFolder = error.isFolder
        }
    }

    /// - Parameters:
    ///   - store: the store's name from a source other than the segments; nil when unknown.
    ///   - mark: the journal's mark, which also has the name.
    /// - Throws: `JournalOpenError` when the folder cannot be read, or a segment only just now, or
    ///   one that may be the only one of this store.
    init(_ disk: any Disk, store: String?, mark: HighWaterMark?) throws(JournalOpenError) {
        var openings: [Int: Opening] = [:]
        do throws(DiskError) {
            for name in try disk.list(.journal, "recover.list") {
                try look(at: StoredFile(.journal, name), on: disk, &openings)
            }
        } catch { throw .disk(error) }
        segments.sort()
        lookAtHistory(on: disk)
        self.store = store ?? mark?.store
        if self.store == nil {
            // The one that cannot be read may be the only one of this store.
            if let (segment, error) = unreadable.min(by: { $0.key < $1.key }) {
                throw JournalOpenError(error, of: segment)
            }
            self.store = Survey.likeliest(openings)
            isGuess = Set(openings.values.map(\.store)).count > 1
        }
        foreign = segments.filter { number in
            openings[number].map { $0.store != self.store } ?? false
        }
        segments.removeAll(where: Set(foreign).contains)
    }

    /// Sorts a file of the journal's folder.
    private mutating func look(
        at file: StoredFile, on disk: any Disk, _ openings: inout [Int: Opening]
    ) throws(DiskError) {
        guard let number = SegmentName.number(file.name) else {
            if SegmentName.isTemporary(file.name) { lookWhatItIs(file, on: disk) }
            if SegmentName.isLike(file.name) { misnamed.append(file) }
            return
        }
        do throws(DiskError) {
            openings[number] = try Survey.opening(of: file, on: disk)
        } catch {
            if let found = SpecialFile(file, error) { return specialFiles.append(found) }
            // A relay that is running has removed it, or there is no descriptor for it.
            if error.isMissing || error.isPassing { throw error }
            unreadable[number] = error
        }
        segments.append(number)
    }

    /// Looks for what is no file in the history: only among the names of an unfinished rewrite,
    /// however long it is.
    private mutating func lookAtHistory(on disk: any Disk) {
        let newest = segments.last ?? 0
        for name in (try? disk.list(.history, "recover.list")) ?? []
        where SegmentName.isTemporary(name)
            || ArchiveFileName(name).map({ $0.segment > newest }) ?? false
        {
            lookWhatItIs(StoredFile(.history, name), on: disk)
        }
    }

    /// The contents of a segment's first line; nil when it is unreadable.
    private static func opening(
        of file: StoredFile, on disk: any Disk
    ) throws(DiskError) -> Opening? {
        var reader = SegmentReader(disk, file, window: Line.longest)
        guard case .line(let json, _)? = try reader.next(),
            case .open(let opening)? = try? Line(json: json)
        else { return nil }
        return opening
    }

    private mutating func lookWhatItIs(_ file: StoredFile, on disk: any Disk) {
        do throws(DiskError) {
            _ = try disk.read(file, from: 0, count: 1, "recover.look")
        } catch {
            if let found = SpecialFile(file, error) { specialFiles.append(found) }
        }
    }

    /// The store with most snapshots; if equal, the one with most segments, then the one with the
    /// newest segment.
    private static func likeliest(_ openings: [Int: Opening]) -> String? {
        let groups = Dictionary(grouping: openings, by: \.value.store)
        let ranked = groups.map { store, segments in
            (
                rank: (
                    segments.count { $0.value.hasBase }, segments.count,
                    segments.map(\.key).max() ?? 0
                ), store: store
            )
        }
        return ranked.max { $0.rank < $1.rank }?.store
    }
}

/// Determines which files of a journal's folder belong to its store, before any of them is read
/// whole.
///
/// Every segment names its store in its first line. A segment copied here from another relay must
/// never replace one of ours, whatever its number and however complete it is.
struct SegmentScan: Sendable {
    /// Segments to read: those of this store, and those with an unreadable first line.
    private(set) var segments: [Int] = []
    /// Segments of other stores, in order.
    private(set) var foreign: [Int] = []
    /// The ones of `segments` whose first line cannot be read: a start needs only the newest ones.
    private(set) var unreadable: [Int: DiskError] = [:]
    /// Folders, pipes, sockets and devices with the name of a file of the journal.
    private(set) var specialFiles: [(file: StoredFile, isFolder: Bool)] = []
    /// The store's name; nil when unknown.
    private(set) var store: String?
    /// Whether there are several stores, and only the segments show which one is ours.
    private(set) var isGuess = false
    /// The first lines of `segments`, as far as they can be read.
    private(set) var openings: [Int: Opening] = [:]
    /// The versions of segments that another version of the program wrote.
    private(set) var otherVersions: [Int: Int] = [:]
    /// The greatest number of a segment in the history.
    private(set) var lastPast = 0

    /// Segments' numbers are below this one, as a start gives them.
    static let endOfNumbers = 100_000_000

    /// No files.
    init() {}

    /// - Parameters:
    ///   - store: the store's name from a source other than the segments; nil when unknown.
    ///   - mark: the journal's mark, which also has the name.
    /// - Throws: `JournalOpenError` when the folder cannot be read, or a segment only just now, or
    ///   one that may be the only one of this store.
    init(_ disk: any Disk, store: String?, mark: StorePosition?) throws(JournalOpenError) {
        do throws(DiskError) {
            for name in try disk.list(.journal, "recover.list") {
                try classify(StoredFile(.journal, name), on: disk)
            }
        } catch { throw .disk(error) }
        segments.sort()
        // Only the names: however long the history is, a start does not read it.
        let past = ((try? disk.list(.history, "recover.list")) ?? []).compactMap(SegmentName.number)
        lastPast = past.filter { $0 < SegmentScan.endOfNumbers }.max() ?? 0
        self.store = store ?? mark?.store
        if self.store == nil {
            // The one that cannot be read may be the only one of this store.
            if let (segment, error) = unreadable.min(by: { $0.key < $1.key }) {
                throw JournalOpenError(error, of: segment)
            }
            // The store with most segments, or of two with as many the one with the newest.
            let stores = Dictionary(grouping: openings, by: \.value.store)
                .mapValues { ($0.count, $0.map(\.key).max() ?? 0) }
            self.store = stores.max { $0.value < $1.value }?.key
            isGuess = stores.count > 1
        }
        foreign = segments.filter { number in
            openings[number].map { $0.store != self.store } ?? false
        }
        segments.removeAll(where: Set(foreign).contains)
        for segment in foreign { openings[segment] = nil }
    }

    /// Sorts a file of the journal's folder.
    private mutating func classify(_ file: StoredFile, on disk: any Disk) throws(DiskError) {
        let segment = SegmentName.number(file.name)
        guard segment != nil || SegmentName.isTemporary(file.name) else { return }
        do throws(DiskError) {
            let line = try SegmentReader.firstLine(of: file, on: disk)
            guard let number = segment else { return }
            switch line {
            case .open(let opening): openings[number] = opening
            case .otherVersion(let version): otherVersions[number] = version
            case .record, .close, .unknown, nil: break
            }
        } catch {
            if error.isFolder || error.isSpecial {
                return specialFiles.append((file, error.isFolder))
            }
            guard let number = segment else { return }
            // A running relay has removed the file, or there is no descriptor for it.
            if error.isMissing || error.isPassing { throw error }
            unreadable[number] = error
        }
        if let segment { segments.append(segment) }
    }
}

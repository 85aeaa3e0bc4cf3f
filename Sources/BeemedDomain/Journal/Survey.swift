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
    /// Folders with the name of a file of the journal or of the history.
    private(set) var folders: [StoredFile] = []
    /// The store's name; nil when unknown.
    private(set) var store: String?
    /// Whether there are several stores, and only the segments show which one is ours.
    private(set) var isGuess = false

    /// - Parameters:
    ///   - store: the store's name from a source other than the segments; nil when unknown.
    ///   - mark: the journal's mark, which also has the name.
    /// - Throws: `DiskError` when a segment cannot be read.
    init(_ disk: any Disk, store: String?, mark: Mark?) throws(DiskError) {
        var openings: [Int: Opening] = [:]
        var numbers: [Int] = []
        for name in try disk.list(.journal, "recover.list") {
            let file = StoredFile(.journal, name)
            if let number = SegmentName.number(name) {
                do throws(DiskError) {
                    openings[number] = try Survey.opening(of: file, on: disk)
                    numbers.append(number)
                } catch {
                    guard error.isFolder else { throw error }
                    folders.append(file)
                }
            } else if SegmentName.isTemporary(name), Survey.isFolder(file, on: disk) {
                folders.append(file)
            }
        }
        numbers.sort()
        // Of the history, only files of an unfinished rewrite are checked, however long it is.
        let newest = numbers.last ?? 0
        for name in (try? disk.list(.history, "recover.list")) ?? []
        where SegmentName.isTemporary(name)
            || ArchiveFileName(name).map({ $0.segment > newest }) ?? false
        {
            let file = StoredFile(.history, name)
            if Survey.isFolder(file, on: disk) { folders.append(file) }
        }
        self.store = store ?? mark?.store
        if self.store == nil {
            self.store = Survey.likeliest(openings)
            isGuess = Set(openings.values.map(\.store)).count > 1
        }
        for number in numbers {
            if let opening = openings[number], opening.store != self.store {
                foreign.append(number)
            } else {
                segments.append(number)
            }
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

    private static func isFolder(_ file: StoredFile, on disk: any Disk) -> Bool {
        do throws(DiskError) {
            _ = try disk.read(file, from: 0, count: 1, "recover.look")
            return false
        } catch { return error.isFolder }
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

/// The journal of a key-value store, read into memory.
struct StoreImage: Sendable {
    /// Its snapshot is segment `base.number`, and the batches after it are the next segment.
    let disk: ImageDisk
    /// The store's name, as its snapshot has it; nil if that cannot be read.
    let store: String?
    let base: BaseRecord
    /// When `base/current` was written.
    let revision: Int64
    /// The number of batches, and their bytes.
    let batches: Tail

    /// What follows the snapshot.
    struct Tail: Sendable, Equatable {
        var count = 0
        var bytes = 0
    }

    /// Both segments.
    var segments: [Int] { [base.number, base.number + 1] }

    /// Why a journal cannot be read.
    enum Fault: Error, Equatable {
        case store(KeyValueFault)
        /// A later version of the program wrote it.
        case laterVersion
        /// There is none.
        case missing
        /// What is there is not a journal, for this reason.
        case damaged(String)
    }

    /// Reads all of it. A leader may write and compact meanwhile: then it is read again.
    ///
    /// - Parameter local: has the history; nil for none.
    /// - Returns: the journal as it was at one moment.
    static func read(
        _ store: any KeyValueStore, _ keys: StoreKeys, besides local: (any Disk)? = nil
    ) throws(Fault) -> StoreImage {
        for _ in 0..<8 {
            var loader = try StoreLoader(store, keys)
            while try !loader.step() {}
            if try loader.isStillPresent() { return loader.image(besides: local) }
        }
        throw .damaged("it is compacted again and again while it is read")
    }
}

/// Reads the journal of a key-value store, a page at a time.
struct StoreLoader: Sendable {
    private let store: any KeyValueStore
    private let keys: StoreKeys
    private let base: BaseRecord
    private let revision: Int64
    private var snapshot: [UInt8] = []
    private var parts = 0
    private var batches: [UInt8] = []
    private var tail = StoreImage.Tail()
    /// The batches that are not read yet; nil when all are.
    private var rest: KeyRange?

    /// How many entries are read at once: fewer after a page that had no answer in time, because
    /// batches may be large and the network slow.
    private var pageEntries = StoreLoader.mostEntries

    /// Entries read at once, at most.
    private static let mostEntries = 256

    /// Reads which snapshot counts.
    ///
    /// - Parameter end: the number before which batches are read; nil for all.
    init(
        _ store: any KeyValueStore, _ keys: StoreKeys, before end: SequenceNumber? = nil
    ) throws(StoreImage.Fault) {
        self.store = store
        self.keys = keys
        let current: KeyValue?
        let version: [UInt8]?
        do throws(KeyValueFault) {
            current = try store.get(keys.currentBase)
            version = try store.get(keys.format)?.value
        } catch { throw .store(error) }
        if let version, version != Array(StoreKeys.version.utf8) { throw .laterVersion }
        guard let current else { throw version == nil ? .missing : .damaged("it has no snapshot") }
        guard let base = BaseRecord(current.value) else {
            throw .damaged("the description of its snapshot cannot be read")
        }
        self.base = base
        revision = current.modRevision
        let last = end.map { keys.batch($0) } ?? keys.batches.end ?? ""
        rest = KeyRange(from: keys.batch(base.through.next), to: last)
    }

    /// Reads one part of the snapshot, or one page of batches.
    ///
    /// - Returns: whether that was the end.
    /// - Throws: `StoreImage.Fault`; the same step may be tried again.
    mutating func step() throws(StoreImage.Fault) -> Bool {
        do throws(KeyValueFault) {
            let isComplete = try read()
            pageEntries = min(2 * pageEntries, StoreLoader.mostEntries)
            return isComplete
        } catch {
            guard case .unanswered = error, pageEntries > 1 else { throw .store(error) }
            pageEntries = max(1, pageEntries / 4)
            return false
        }
    }

    private mutating func read() throws(KeyValueFault) -> Bool {
        if parts < base.parts {
            // If a part is missing, recovery reports an incomplete snapshot.
            let part = try store.get(keys.part(parts, ofBase: base.number))
            snapshot += part?.value ?? []
            parts += 1
            return false
        }
        guard let range = rest else { return true }
        let page = try store.get(range, limit: pageEntries)
        for entry in page { batches += entry.value }
        tail.count += page.count
        tail.bytes = batches.count
        guard page.count == pageEntries, let last = page.last else {
            rest = nil
            return true
        }
        // No key lies between a key and the same with a zero byte.
        rest?.first = last.key + "\0"
        return false
    }

    /// Whether the same snapshot counts as at the beginning, so that all parts belong together.
    func isStillPresent() throws(StoreImage.Fault) -> Bool {
        do throws(KeyValueFault) {
            return try store.get(keys.currentBase)?.modRevision == revision
        } catch { throw .store(error) }
    }

    /// What was read, as files.
    consuming func image(besides local: (any Disk)?) -> StoreImage {
        let disk = ImageDisk(besides: local)
        let name = StoreLoader.name(in: snapshot)
        var head = LineWriter()
        head.writeOpen(
            Opening(
                store: name ?? "", segment: base.number + 1, firstNumber: base.through.next,
                hasBase: false))
        disk.put(snapshot, as: base.number)
        disk.put(head.bytes + batches, as: base.number + 1)
        return StoreImage(
            disk: disk, store: name, base: base, revision: revision, batches: tail)
    }

    /// The store's name in the first line of a snapshot.
    private static func name(in snapshot: [UInt8]) -> String? {
        guard let tab = snapshot.firstIndex(of: 0x09),
            case .open(let opening)? = try? Line(json: snapshot[..<tab])
        else { return nil }
        return opening.store
    }
}

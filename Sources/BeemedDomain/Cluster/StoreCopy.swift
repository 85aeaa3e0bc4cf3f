/// Moves a journal between a folder and a key-value store, while no relay uses either. Lines are
/// copied unchanged.
package enum StoreCopy {
    /// Why nothing was copied, in words.
    package struct Fault: Error, Equatable, Sendable {
        package let words: String

        /// Creates a fault.
        package init(words: String) { self.words = words }
    }

    /// Puts the live lines of a folder into a store that has none yet.
    ///
    /// - Parameters:
    ///   - known: the store's name from a source other than the segments; nil when unknown.
    ///   - name: the name if the folder has no journal yet.
    ///   - settings: the relay's other files.
    /// - Returns: the number of events.
    package static func upload(
        _ disk: any Disk, known: String?, orElse name: String, to store: any KeyValueStore,
        _ keys: StoreKeys, with settings: [(name: String, bytes: [UInt8])] = [],
        limits: Journal.Limits = Journal.Limits()
    ) throws(Fault) -> Int {
        let image = ImageDisk(besides: nil)
        let found: Recovered
        let bytes: [UInt8]
        do throws(JournalOpenError) {
            let segments = try Recovery.read(disk, store: known).segments
            do throws(DiskError) {
                for segment in segments {
                    let file = StoredFile(.journal, SegmentName.live(segment))
                    let size = try disk.size(of: file, "copy.size")
                    let contents = try disk.read(file, from: 0, count: size, "copy.read")
                    image.put(contents, as: segment)
                }
                found = try readWhole(image, known)
                var writer = try SnapshotWriter(
                    .segment(
                        1, found.kept, found.next, .compact, store: found.store ?? known ?? name),
                    on: image, window: limits.windowBytes)
                try writer.finish()
            } catch { throw .disk(error) }
            bytes = image.take(StoredFile(.journal, SegmentName.temporary(1))) ?? []
        } catch { throw Fault(words: "the folder's journal cannot be read: \(error)") }
        guard !found.recoveryReport.isDamage else {
            throw Fault(
                words: "the folder's journal is damaged, see 'journal verify'; start a relay on it "
                    + "once, which sets the damage aside")
        }
        try put(bytes, through: SequenceNumber(found.next.value - 1), settings, to: store, keys)
        return found.entries.count
    }

    private static func readWhole(
        _ image: ImageDisk, _ known: String?
    ) throws(DiskError) -> Recovered {
        do throws(JournalOpenError) {
            let all = Retention.Limits(events: .max, bytes: .max)
            return try Recovery.read(image, remembered: all, store: known)
        } catch { throw DiskError("copy.recover", code: DiskError.inputOutput) }
    }

    /// Writes the description of the snapshot last: whatever fails before can be repeated.
    private static func put(
        _ bytes: [UInt8], through: SequenceNumber, _ settings: [(name: String, bytes: [UInt8])],
        to store: any KeyValueStore, _ keys: StoreKeys
    ) throws(Fault) {
        let isFree = isFree(keys)
        for (name, bytes) in settings {
            try commit(Transaction(if: isFree, then: [.put(keys.setting(name), bytes)]), store)
        }
        var parts = 0
        while parts * KeyedLog.batchBytes < bytes.count {
            let start = parts * KeyedLog.batchBytes
            let part = Array(bytes[start..<min(bytes.count, start + KeyedLog.batchBytes)])
            try commit(
                Transaction(if: isFree, then: [.put(keys.part(parts, ofBase: 1), part)]), store)
            parts += 1
        }
        let record = BaseRecord(number: 1, through: through, parts: parts)
        do throws(Fault) {
            try commit(
                Transaction(
                    if: isFree,
                    then: [
                        .put(keys.format, Array(StoreKeys.version.utf8)),
                        .put(keys.currentBase, record.value),
                    ]), store)
        } catch {
            // An earlier try has arrived.
            let known = store.look(at: [keys.currentBase])?.first?.first?.value
            guard known == record.value else { throw error }
        }
    }

    /// No relay leads, and there is no journal.
    private static func isFree(_ keys: StoreKeys) -> [Transaction.Comparison] {
        [.createRevision(of: keys.leader, is: 0), .createRevision(of: keys.currentBase, is: 0)]
    }

    private static func commit(
        _ transaction: Transaction, _ store: any KeyValueStore
    ) throws(Fault) {
        do throws(KeyValueFault) {
            guard try store.commit(transaction).isSuccess else {
                throw .refused("the store is in use by a relay, or has a journal already")
            }
        } catch { throw Fault(words: error.words) }
    }

    /// Writes a store's journal into the empty journal of a folder. The next start there checks and
    /// rewrites it.
    ///
    /// - Returns: the number of events.
    package static func download(
        _ store: any KeyValueStore, _ keys: StoreKeys, to disk: any Disk
    ) throws(Fault) -> Int {
        guard let leader = store.look(at: [keys.leader])?.first else {
            throw Fault(words: "etcd does not answer")
        }
        guard leader.isEmpty else {
            throw Fault(words: "a relay leads there; stop all relays of that store first")
        }
        let image: StoreImage
        do throws(StoreImage.Fault) {
            image = try StoreImage.read(store, keys)
        } catch { throw Fault(words: words(error)) }
        do throws(DiskError) {
            let names = try disk.list(.journal, "copy.list")
            guard names.allSatisfy({ SegmentName.number($0) == nil }) else {
                throw DiskError("copy.list", code: DiskError.nameTaken)
            }
            for segment in image.segments {
                let bytes = image.disk.bytes(of: segment) ?? []
                let file = try disk.create(
                    StoredFile(.journal, SegmentName.live(segment)), "copy.create")
                defer { disk.close(file) }
                try disk.writeAll(bytes, to: file, "copy.append")
                try disk.sync(file, "copy.sync")
            }
            try disk.syncFolder(.journal, "copy.folder")
            return try readWhole(image.disk, image.store).entries.count
        } catch { throw Fault(words: "\(error)") }
    }

    private static func words(_ fault: StoreImage.Fault) -> String {
        switch fault {
        case .store(let fault): fault.words
        case .laterVersion: "a later version of the program wrote the journal"
        case .missing: "there is no journal of that name"
        case .damaged(let why): why
        }
    }
}

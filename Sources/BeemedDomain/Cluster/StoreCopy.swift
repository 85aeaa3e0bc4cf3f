/// Moves a journal between a folder and a key-value store, while no relay uses either. Lines are
/// copied unchanged.
package enum StoreCopy {
    /// Puts the journal of a folder into a store that has none yet.
    ///
    /// - Parameters:
    ///   - known: the store's name from a source other than the segments; nil when unknown.
    ///   - name: the name if the folder has no journal yet.
    ///   - settings: the relay's other files.
    /// - Returns: the number of events.
    package static func upload(
        _ disk: any Disk, known: String?, orElse name: String, to store: any KeyValueStore,
        _ keys: StoreKeys, with settings: [(name: String, bytes: [UInt8])]
    ) throws(StoreFault) -> Int {
        let found: Recovered
        do throws(JournalOpenError) {
            found = try Recovery.replay(disk, store: known)
        } catch { throw .unusable("the folder's journal cannot be read: \(error)") }
        guard !found.recoveryReport.isDamage else {
            throw .unusable(
                "the folder's journal is damaged, see 'journal verify'; start a relay on it once, "
                    + "which sets the damage aside")
        }
        let isFree = isFree(keys)
        for (name, bytes) in settings {
            try commit(Transaction(if: isFree, then: [.put(keys.setting(name), bytes)]), store)
        }
        let first = found.segments.first?.first ?? found.next
        var batches = BatchCopy(store, keys, next: first)
        for segment in found.segments { try batches.add(disk, segment.number) }
        try batches.put()
        let begin = BeginRecord(store: found.store ?? known ?? name, first: first)
        try put(begin, to: store, keys)
        return found.entries.count
    }

    /// Puts records into batches.
    private struct BatchCopy {
        private let store: any KeyValueStore
        private let keys: StoreKeys
        /// The number of the first record that is not put yet.
        private var next: SequenceNumber
        private var lines: [UInt8] = []
        private var count: UInt64 = 0

        init(_ store: any KeyValueStore, _ keys: StoreKeys, next: SequenceNumber) {
            (self.store, self.keys, self.next) = (store, keys, next)
        }

        /// Adds the records of a segment.
        mutating func add(_ disk: any Disk, _ segment: Int) throws(StoreFault) {
            var reader = SegmentReader(disk, .segment(segment))
            while let piece = try StoreCopy.onDisk({ () throws(DiskError) in try reader.next() }) {
                guard case .line(let json, _) = piece, let line = Line(json: json) else {
                    continue
                }
                switch line {
                case .open, .close, .otherVersion: continue
                case .record, .unknown: break
                }
                var writer = JSONWriter()
                writer.copy(json)
                if lines.count + writer.count > KeyedLog.batchBytes { try put() }
                lines += writer.bytes
                count += 1
            }
        }

        /// Puts what was added since the last batch.
        mutating func put() throws(StoreFault) {
            guard count > 0 else { return }
            let batch = Transaction.Operation.put(keys.batch(next), lines)
            try commit(Transaction(if: isFree(keys), then: [batch]), store)
            (next, lines, count) = (SequenceNumber(next.value + count), [], 0)
        }
    }

    /// Says where the journal begins. This comes last: whatever fails before can be repeated.
    private static func put(
        _ begin: BeginRecord, to store: any KeyValueStore, _ keys: StoreKeys
    ) throws(StoreFault) {
        do throws(StoreFault) {
            try commit(Transaction(if: isFree(keys), then: keys.puts(begin)), store)
        } catch {
            // An earlier try has arrived.
            let known = store.get([keys.begin])?.first?.first?.value
            guard known == begin.value else { throw error }
        }
    }

    /// No relay leads, and there is no journal.
    fileprivate static func isFree(_ keys: StoreKeys) -> [Transaction.Comparison] {
        [.createRevision(of: keys.leader, is: 0), .createRevision(of: keys.begin, is: 0)]
    }

    fileprivate static func commit(
        _ transaction: Transaction, _ store: any KeyValueStore
    ) throws(StoreFault) {
        do throws(KeyValueFault) {
            guard try store.commit(transaction).isSuccess else {
                throw .refused("the store is in use by a relay, or has a journal already")
            }
        } catch { throw .store(error) }
    }

    /// Makes calls of the disk, which say what is wrong.
    fileprivate static func onDisk<Value>(
        _ calls: () throws(DiskError) -> Value
    ) throws(StoreFault) -> Value {
        do throws(DiskError) { return try calls() } catch { throw .unusable("\(error)") }
    }

    /// Writes a store's journal into the empty journal of a folder.
    ///
    /// - Parameter time: the wall clock.
    /// - Returns: the number of events.
    package static func download(
        _ store: any KeyValueStore, _ keys: StoreKeys, to disk: any Disk, at time: UnixTime
    ) throws(StoreFault) -> Int {
        guard let leader = store.get([keys.leader])?.first else {
            throw .unusable("etcd does not answer")
        }
        guard leader.isEmpty else {
            throw .unusable("a relay leads there; stop all relays of that store first")
        }
        let contents = try StoreContents.load(store, keys)
        let events = try contents.recovered(Retention.Limits()).entries.count
        var head = JSONWriter()
        head.writeOpen(
            Opening(
                store: contents.begin.store, segment: 1, firstNumber: contents.begin.first,
                oldest: 1, at: time))
        try onDisk { () throws(DiskError) in
            let names = try disk.list(.journal, "copy.list")
            guard names.allSatisfy({ SegmentName.number($0) == nil }) else {
                throw DiskError("copy.list", code: DiskError.nameTaken)
            }
            let file = try disk.create(.segment(1), "copy.create")
            defer { disk.close(file) }
            try disk.writeAll(head.bytes + contents.lines, to: file, "copy.append")
            try disk.sync(file, "copy.sync")
            try disk.syncFolder(.journal, "copy.folder")
        }
        return events
    }
}

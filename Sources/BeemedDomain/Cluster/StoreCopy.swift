/// Moves a journal between a folder and a key-value store, while no relay uses either. Lines are
/// copied unchanged.
package enum StoreCopy {
    /// Puts the journal of a folder into a store that has none yet. Returns the number of events.
    ///
    /// - Parameters:
    ///   - known: the store's name from a source other than the segments; nil when unknown.
    ///   - name: the name if the folder has no journal yet.
    ///   - settings: the relay's other files.
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
        for (name, bytes) in settings {
            try commit([.put(keys.setting(name), bytes)], store, keys)
        }
        let first = found.segments.first?.first ?? found.next
        for batch in try batches(of: found, on: disk, from: first) {
            try commit([.put(keys.batch(batch.first), batch.lines)], store, keys)
        }
        let begin = StorePosition(store: found.store ?? known ?? name, next: first)
        try put(begin, to: store, keys)
        return found.entries.count
    }

    /// The records of the segments, as batches.
    private static func batches(
        of found: Recovered, on disk: any Disk, from first: SequenceNumber
    ) throws(StoreFault) -> [(first: SequenceNumber, lines: [UInt8])] {
        var batches: [(first: SequenceNumber, lines: [UInt8])] = []
        var next = first
        for segment in found.segments {
            var reader = SegmentReader(disk, .segment(segment.number))
            while let piece = try onDisk({ () throws(DiskError) in try reader.next() }) {
                guard case .line(let json, _) = piece, let line = Line(json: json) else {
                    continue
                }
                switch line {
                case .open, .close, .otherVersion: continue
                case .record, .unknown: break
                }
                var writer = JSONWriter()
                writer.copy(json)
                let bytes = (batches.last?.lines.count ?? KeyedLog.batchBytes) + writer.count
                if bytes > KeyedLog.batchBytes { batches.append((next, [])) }
                batches[batches.count - 1].lines += writer.bytes
                next = SequenceNumber(next.value + 1)
            }
        }
        return batches
    }

    /// Says where the journal begins. This comes last: whatever fails before can be repeated.
    private static func put(
        _ begin: StorePosition, to store: any KeyValueStore, _ keys: StoreKeys
    ) throws(StoreFault) {
        do throws(StoreFault) {
            try commit(keys.puts(begin), store, keys)
        } catch {
            // An earlier try has arrived.
            guard (try? store.get(keys.begin))?.value == begin.value else { throw error }
        }
    }

    /// Makes changes if no relay leads, and there is no journal.
    private static func commit(
        _ changes: [Transaction.Change], _ store: any KeyValueStore, _ keys: StoreKeys
    ) throws(StoreFault) {
        let change = Transaction(if: [keys.leader: 0, keys.begin: 0], then: changes)
        guard case .done = try store.commit(change) else {
            throw .refused("the store is in use by a relay, or has a journal already")
        }
    }

    /// Makes calls of the disk, which say what is wrong.
    private static func onDisk<Value>(
        _ calls: () throws(DiskError) -> Value
    ) throws(StoreFault) -> Value {
        do throws(DiskError) { return try calls() } catch { throw .unusable("\(error)") }
    }

    /// Writes a store's journal into the empty journal of a folder. Returns the number of events.
    package static func download(
        _ store: any KeyValueStore, _ keys: StoreKeys, to disk: any Disk, at time: UnixTime
    ) throws(StoreFault) -> Int {
        guard try store.get(keys.leader) == nil else {
            throw .unusable("a relay leads there; stop all relays of that store first")
        }
        let contents = try StoreContents.load(store, keys)
        let events = try contents.recovered().entries.count
        let names = try onDisk { () throws(DiskError) in try disk.list(.journal, "copy.list") }
        guard names.allSatisfy({ SegmentName.number($0) == nil }) else {
            throw .unusable("the folder has a journal already")
        }
        let opening = Opening(
            store: contents.begin.store, segment: 1, firstNumber: contents.begin.next, oldest: 1,
            at: time)
        do throws(CommitFailure) {
            let made = try disk.publish(1) { (draft) throws(DiskError) in
                try draft.add { $0.writeOpen(opening) }
                try draft.add { $0.write(contents.lines.span) }
            }
            disk.close(made.file)
        } catch { throw .unusable("\(error.cause)") }
        return events
    }
}

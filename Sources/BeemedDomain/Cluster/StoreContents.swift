/// The journal of a key-value store, read into memory.
struct StoreContents: Sendable {
    /// The beginning of the journal.
    let begin: BeginRecord
    /// When that was written.
    let revision: Int64
    /// The lines of all batches.
    private(set) var lines: [UInt8] = []
    /// The batches, in parts of that many bytes.
    private(set) var parts: [Ring.Part] = []

    /// Why a journal cannot be read.
    enum Fault: Error, Equatable {
        case store(KeyValueFault)
        /// Another version of the program wrote it.
        case otherVersion
        /// There is none.
        case missing
        /// The contents are not a journal, for this reason.
        case damaged(String)
    }

    /// The most entries that are read at once.
    private static let maxEntries = 256

    /// Loads all of the store. If a leader retires its oldest batches meanwhile, loads it again.
    ///
    /// - Parameter partBytes: the size of parts.
    static func load(
        _ store: any KeyValueStore, _ keys: StoreKeys, partBytes: Int = .max
    ) throws(Fault) -> StoreContents {
        for _ in 0..<8 {
            var contents = try StoreContents(store, keys)
            do throws(KeyValueFault) {
                try store.forEachBatch(keys.batches) { key, value in
                    contents.add(value, keys.number(ofBatch: key), partBytes)
                }
                guard try store.get(keys.begin)?.modRevision == contents.revision else { continue }
                return contents
            } catch { throw .store(error) }
        }
        throw .damaged("it changes again and again while it is read")
    }

    private init(_ store: any KeyValueStore, _ keys: StoreKeys) throws(Fault) {
        let current: KeyValue?
        let version: [UInt8]?
        do throws(KeyValueFault) {
            current = try store.get(keys.begin)
            version = try store.get(keys.format)?.value
        } catch { throw .store(error) }
        if let version, version != Array(StoreKeys.version.utf8) { throw .otherVersion }
        guard let current else {
            throw version == nil ? .missing : .damaged("it does not say where it begins")
        }
        guard let begin = BeginRecord(current.value) else {
            throw .damaged("what says where it begins cannot be read")
        }
        self.begin = begin
        revision = current.modRevision
    }

    private mutating func add(
        _ batch: [UInt8], _ number: SequenceNumber?, _ partBytes: Int
    ) {
        lines += batch
        if let last = parts.indices.last, parts[last].bytes < partBytes {
            parts[last].bytes += batch.count
        } else if let number {
            parts.append(Ring.Part(number: 0, first: number, bytes: batch.count))
        }
    }

    /// Its events, as after any start.
    func recovered(_ remembered: Retention.Limits) throws(Fault) -> Recovered {
        do throws(JournalOpenError) {
            return try Recovery.replay(
                lines, from: begin.first, of: begin.store, remembered: remembered)
        } catch {
            switch error {
            case .forgedNumber(let next):
                throw .damaged("a record before \(next) has a number that no relay has given")
            // Never of lines in memory.
            case .disk, .link, .otherVersion: throw .damaged("\(error)")
            }
        }
    }
}

extension KeyValueStore {
    /// Passes the batches of a range in order. Fewer are read at once after a page that had no
    /// answer in time: batches may be large and the network slow.
    func forEachBatch(
        _ range: KeyRange, _ take: (String, [UInt8]) -> Void
    ) throws(KeyValueFault) {
        var (rest, limit) = (range, 256)
        while true {
            let page: [KeyValue]
            do throws(KeyValueFault) {
                page = try get(rest, limit: limit)
            } catch {
                guard case .unanswered = error, limit > 1 else { throw error }
                limit = max(1, limit / 4)
                continue
            }
            for entry in page { take(entry.key, entry.value) }
            guard page.count == limit, let last = page.last else { return }
            // No key lies between a key and the same with a zero byte.
            rest.first = last.key + "\0"
            limit = min(2 * limit, 256)
        }
    }
}

/// The journal of a key-value store, read into memory.
struct StoreContents: Sendable {
    /// The beginning of the journal: every known event is stated in its first record or in a later
    /// one.
    let begin: StorePosition
    /// When that was written.
    let revision: Int64
    /// The lines of all batches.
    private(set) var lines: [UInt8] = []
    /// The batches.
    private(set) var batches: [Ring.Part] = []

    /// Loads all of the store. If a leader retires its oldest batches meanwhile, loads it again.
    static func load(
        _ store: any KeyValueStore, _ keys: StoreKeys
    ) throws(StoreFault) -> StoreContents {
        for _ in 0..<8 {
            var contents = try StoreContents(store, keys)
            try store.forEachBatch(keys.batches) { key, value in
                contents.lines += value
                guard let first = keys.number(ofBatch: key) else { return }
                contents.batches.append(Ring.Part(number: 0, first: first, bytes: value.count))
            }
            if try store.get(keys.begin)?.revision == contents.revision { return contents }
        }
        throw .unusable("it changes again and again while it is read")
    }

    private init(_ store: any KeyValueStore, _ keys: StoreKeys) throws(StoreFault) {
        let current = try store.get(keys.begin)
        let version = try store.get(keys.format)?.value
        if let version, version != Array(StoreKeys.version.utf8) { throw .otherVersion }
        guard let current else {
            throw version == nil ? .missing : .unusable("it does not say where it begins")
        }
        guard let begin = StorePosition(json: current.value[...]) else {
            throw .unusable("what says where it begins cannot be read")
        }
        self.begin = begin
        revision = current.revision
    }

    /// Its events, as after any start.
    func recovered() throws(StoreFault) -> Recovered {
        do throws(DiskError) {
            return try Recovery.replay(lines, from: begin.next, of: begin.store)
        } catch { throw .unusable("\(error)") }
    }
}

extension KeyValueStore {
    /// Passes the batches of a range in order. Fewer are read at once after a page that had no
    /// answer in time: batches may be large and the network slow.
    func forEachBatch(
        _ range: KeyRange, _ take: (String, [UInt8]) -> Void
    ) throws(StoreFault) {
        var (rest, limit) = (range, 256)
        while true {
            let page: [KeyValue]
            do throws(StoreFault) {
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

/// The names of the keys of one store.
package struct StoreKeys: Sendable, Equatable {
    private let root: String

    /// The keys of the store of that name.
    package init(store name: String) {
        root = "/beemed/\(name)/"
    }

    /// The version of this layout.
    package static let version = "2"

    /// Holds `version`, as text.
    package var format: String { "\(root)format" }
    /// The leader's address, which ends with its lease.
    package var leader: String { "\(root)leader" }
    /// Where the journal begins.
    var begin: String { "\(root)begin" }
    /// All batches.
    var batches: KeyRange { KeyRange(below: "\(root)journal/") }
    /// Everything that a relay keeps besides the journal.
    package var settings: KeyRange { KeyRange(below: "\(root)config/") }

    /// The batch that begins with that record: sixteen digits, so that keys are in the order of the
    /// numbers.
    func batch(_ first: SequenceNumber) -> String {
        let digits = String(first.value, radix: 16)
        return "\(root)journal/\(String(repeating: "0", count: 16 - digits.count))\(digits)"
    }

    /// The first record of the batch with that key.
    func number(ofBatch key: String) -> SequenceNumber? {
        UInt64(key.dropFirst("\(root)journal/".count), radix: 16).map(SequenceNumber.init)
    }

    /// The batches that begin with one of these records.
    func batches(from first: SequenceNumber, to end: SequenceNumber) -> KeyRange {
        KeyRange(batch(first), to: batch(end))
    }

    /// Says where a journal begins, of this layout.
    func puts(_ begin: StorePosition) -> [Transaction.Change] {
        [.put(format, Array(StoreKeys.version.utf8)), .put(self.begin, begin.value)]
    }

    /// A file of the relay, such as "devices.json".
    package func setting(_ name: String) -> String { "\(root)config/\(name)" }

    /// The name of the file that a key of `settings` holds.
    package func settingName(_ key: String) -> String {
        String(key.dropFirst("\(root)config/".count))
    }
}

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
    /// The leader's record, which ends with its lease.
    package var leader: String { "\(root)leader" }
    /// Where the journal begins.
    var begin: String { "\(root)begin" }
    /// All batches.
    var batches: KeyRange { KeyRange(below: "\(root)journal/") }
    /// Everything that a relay keeps besides the journal.
    package var settings: KeyRange { KeyRange(below: "\(root)config/") }

    /// The batch that begins with that record.
    func batch(_ first: SequenceNumber) -> String { "\(root)journal/\(StoreKeys.hex(first.value))" }

    /// The first record of the batch with that key.
    func number(ofBatch key: String) -> SequenceNumber? {
        UInt64(key.dropFirst("\(root)journal/".count), radix: 16).map(SequenceNumber.init)
    }

    /// The batches that begin with one of these records.
    func batches(from first: SequenceNumber, to end: SequenceNumber) -> KeyRange {
        KeyRange(from: batch(first), to: batch(end))
    }

    /// A file of the relay, such as "devices.json".
    package func setting(_ name: String) -> String { "\(root)config/\(name)" }

    /// The name of the file that a key of `settings` holds.
    package func settingName(_ key: String) -> String {
        String(key.dropFirst("\(root)config/".count))
    }

    /// Sixteen digits, so that keys are in the order of the numbers.
    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The value of `begin`: the name of the journal's store, and the number of the first record.
struct BeginRecord: Equatable, Sendable {
    /// The store's name.
    var store: String
    /// Every event that is known is stated in this record or in a later one.
    var first: SequenceNumber

    init(store: String, first: SequenceNumber) {
        (self.store, self.first) = (store, first)
    }

    /// Nil when the value is not such a record.
    init?(_ value: [UInt8]) {
        var (store, first): (String?, Int64?)
        var fields = JSONReader(value[...])
        try? fields.object { (name, value) throws(JSONReader.Fault) in
            switch name {
            case "store": store = try value.string()
            case "q": first = try value.integer()
            default: try value.skip()
            }
        }
        guard let store, let first, (1..<1 << 53).contains(first) else { return nil }
        self.init(store: store, first: SequenceNumber(UInt64(first)))
    }

    var value: [UInt8] {
        JSONWriter.object { json in
            json.add("q", first)
            json.add("store", store)
        }
    }
}

/// The leader, as other relays read it.
package struct LeaderRecord: Sendable, Equatable {
    /// The leader's name.
    package var name: String
    /// The address at which the leader serves, as HOST:PORT.
    package var address: String
    /// Since when, in Unix seconds by its clock.
    package var since: UnixTime

    /// Creates a record.
    package init(name: String, address: String, since: UnixTime) {
        (self.name, self.address, self.since) = (name, address, since)
    }

    /// Nil when the value is not such a record.
    package init?(_ value: [UInt8]) {
        var (name, address): (String?, String?)
        var since: Int64?
        var fields = JSONReader(value[...])
        try? fields.object { (field, value) throws(JSONReader.Fault) in
            switch field {
            case "name": name = try value.string()
            case "address": address = try value.string()
            case "since": since = try value.integer()
            default: try value.skip()
            }
        }
        guard let name, let address, let since else { return nil }
        self.init(name: name, address: address, since: UnixTime(since))
    }

    package var value: [UInt8] {
        JSONWriter.object { json in
            json.add("name", name)
            json.add("address", address)
            json.add("since", since.seconds)
        }
    }
}

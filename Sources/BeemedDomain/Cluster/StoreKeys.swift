/// The names of the keys of one store.
package struct StoreKeys: Sendable, Equatable {
    private let root: String

    /// The keys of the store of that name.
    package init(store name: String) {
        root = "/beemed/\(name)/"
    }

    /// The version of this layout.
    package static let version = "1"

    /// Holds `version`, as text.
    package var format: String { "\(root)format" }
    /// The leader's record, which ends with its lease.
    package var leader: String { "\(root)leader" }
    /// The description of the present snapshot.
    var currentBase: String { "\(root)base/current" }
    /// All batches.
    var batches: KeyRange { KeyRange(below: "\(root)journal/") }
    /// Everything that a relay keeps besides the journal.
    package var settings: KeyRange { KeyRange(below: "\(root)config/") }

    /// The batch that begins with that record.
    func batch(_ first: SequenceNumber) -> String { "\(root)journal/\(StoreKeys.hex(first.value))" }

    /// The batches that begin with one of these records.
    func batches(from first: SequenceNumber, to end: SequenceNumber) -> KeyRange {
        KeyRange(from: batch(first), to: batch(end))
    }

    /// One part of a snapshot.
    func part(_ part: Int, ofBase number: Int) -> String {
        "\(root)base/\(StoreKeys.hex(UInt64(number)))/\(StoreKeys.hex(UInt64(part)))"
    }

    /// All parts of a snapshot.
    func base(_ number: Int) -> KeyRange {
        KeyRange(below: "\(root)base/\(StoreKeys.hex(UInt64(number)))/")
    }

    /// All parts of the snapshots before that one.
    func bases(before number: Int) -> KeyRange {
        KeyRange(from: "\(root)base/0", to: "\(root)base/\(StoreKeys.hex(UInt64(number)))/")
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

/// What `base/current` says: which snapshot counts.
struct BaseRecord: Equatable, Sendable {
    /// The snapshot's number, greater than that of every earlier one.
    var number: Int
    /// The last record that it includes.
    var through: SequenceNumber
    /// The number of its parts.
    var parts: Int

    init(number: Int, through: SequenceNumber, parts: Int) {
        (self.number, self.through, self.parts) = (number, through, parts)
    }

    /// Nil when the value is not such a record.
    init?(_ value: [UInt8]) {
        var (number, through, parts): (Int64?, Int64?, Int64?)
        var fields = JSONReader(value[...])
        try? fields.object { (name, value) throws(JSONReader.Fault) in
            switch name {
            case "base": number = try value.integer()
            case "through": through = try value.integer()
            case "parts": parts = try value.integer()
            default: try value.skip()
            }
        }
        guard let number, let through, let parts, (1..<1 << 31).contains(number),
            (0..<1 << 53).contains(through), (1..<1 << 20).contains(parts)
        else { return nil }
        self.init(
            number: Int(number), through: SequenceNumber(UInt64(through)), parts: Int(parts))
    }

    var value: [UInt8] {
        JSONWriter.object { json in
            json.add("base", Int64(number))
            json.add("through", Int64(through.value))
            json.add("parts", Int64(parts))
        }
    }
}

/// Who leads, as the others read it.
package struct LeaderRecord: Sendable, Equatable {
    /// The leader's name.
    package var name: String
    /// Where it serves, as HOST:PORT.
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

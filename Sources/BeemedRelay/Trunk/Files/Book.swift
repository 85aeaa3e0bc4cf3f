/// An entry of a settings file that a user names and writes: a preset, or a rule.
package protocol BookEntry: Codable, Equatable, Sendable {
    /// Names one of them, as in "preset".
    static var word: String { get }
    static var plural: StaticString { get }
    static var file: DataFile { get }
    /// The maximum number of entries.
    static var maxEntries: Int { get }

    static func isName(_ name: String) -> Bool
    /// The reason why the entry can never be used; nil for a usable one.
    var fault: String? { get }
}

extension BookEntry {
    /// The reason why a name is refused.
    static var nameFault: String {
        "name a \(word) with 1 to 32 letters, digits, '-' and '_'"
    }
}

/// A settings file with entries that a person may have written by hand: they are held to the rules
/// that requests are held to.
package protocol CheckedBook: Decodable {
    static var file: DataFile { get }

    init()

    /// The entries of the file that cannot be used, and why, in words. They are not saved again.
    var faults: [String] { get }
}

/// All entries of one kind that can be used.
package struct Book<Entry: BookEntry>: Codable, Equatable, Sendable, CheckedBook {
    private(set) var entries: [String: Entry] = [:]
    /// The faults of the other entries of the file, by name. They keep their names until the relay
    /// starts again, or the name is set anew.
    private(set) var faultsByName: [String: String] = [:]

    package static var file: DataFile { Entry.file }

    /// The only member of the file.
    private static var member: MemberName { MemberName(stringValue: "\(Entry.plural)") }

    /// A book without entries.
    package init() {}

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        (entries, faultsByName) = try members.entries(Entry.self, Book.member) { name, entry in
            Entry.isName(name) ? entry.fault : Entry.nameFault
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberName.self)
        try members.encode(entries, forKey: Book.member)
    }

    /// The entry of that name; nil removes it, and its fault.
    package subscript(_ name: String) -> Entry? {
        get { entries[name] }
        set { (entries[name], faultsByName[name]) = (newValue, nil) }
    }

    /// Whether there is one of that name, with or without a fault.
    func contains(_ name: String) -> Bool { entries[name] != nil || faultsByName[name] != nil }

    /// The entries by name.
    package var sorted: [(name: String, entry: Entry)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package var faults: [String] { faultsByName.leftOut(of: Entry.word) }
}

/// A book that is in use.
package final class LiveBook<Entry: BookEntry> {
    /// Its present state, which is saved soon.
    package internal(set) var book: Book<Entry> { didSet { revision += 1 } }
    /// Increases with each change.
    private(set) var revision: UInt64 = 0

    /// A book as it was read.
    package init(_ book: Book<Entry>) {
        self.book = book
    }
}

/// An entry of a settings file, or its fault in words: one that is unreadable does not affect the
/// others.
package enum Lenient<Entry: Decodable>: Decodable {
    case entry(Entry)
    case fault(String)

    package init(from decoder: any Decoder) throws {
        do {
            self = .entry(try Entry(from: decoder))
        } catch let error as DecodingError {
            self = .fault(error.words(below: decoder.codingPath.count))
        }
    }
}

extension KeyedDecodingContainer {
    /// Decodes an object of entries: those that can be used, and the faults of the others.
    ///
    /// - Parameter fault: the fault of a readable entry with that name; nil without any.
    package func entries<Entry: Decodable>(
        _ type: Entry.Type, _ key: Key, _ fault: (String, Entry) -> String?
    ) throws -> (entries: [String: Entry], faults: [String: String]) {
        var entries: [String: Entry] = [:]
        var faults: [String: String] = [:]
        for (name, saved) in try decode([String: Lenient<Entry>].self, forKey: key) {
            switch saved {
            case .fault(let words): faults[name] = words
            case .entry(let entry):
                faults[name] = fault(name, entry)
                if faults[name] == nil { entries[name] = entry }
            }
        }
        return (entries, faults)
    }
}

extension [String: String] {
    /// The entries with a fault by their names, in words, as in "the preset 'glass' is left out".
    package func leftOut(of word: String) -> [String] {
        // Of a long name the beginning is told, in Unicode scalars.
        sorted { $0.key < $1.key }
            .map { "the \(word) '\($0.key.cut(to: 64))' is left out: \($0.value)" }
    }
}

extension DecodingError {
    /// The fault of an entry, in words, to which so many names lead.
    func words(below depth: Int) -> String {
        func name(_ path: [any CodingKey]) -> String? {
            guard path.count > depth else { return nil }
            return path[depth...].map { key in
                key.intValue.map { "\($0 + 1)" } ?? key.stringValue
            }.joined(separator: ".")
        }
        switch self {
        case .keyNotFound(let key, let context):
            return "'\(name(context.codingPath + [key]) ?? key.stringValue)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            guard let name = name(context.codingPath) else { return "it has another form" }
            return "'\(name)' has a value of another kind, or none"
        @unknown default: return "it has another form"
        }
    }
}

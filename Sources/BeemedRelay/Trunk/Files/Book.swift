package import BeemedDomain

/// An entry of a settings file that a user names and writes: a preset, or a rule.
package protocol BookEntry: Codable, Equatable, Sendable {
    /// Names one of them, as in "preset".
    static var word: String { get }
    static var plural: StaticString { get }
    static var file: DataFile { get }
    /// The maximum number of entries.
    static var most: Int { get }

    static func isName(_ name: String) -> Bool
    /// The reason why the entry can never be used; nil for a usable one.
    var fault: String? { get }
}

extension BookEntry {
    /// The reason why a name is refused.
    package static var nameFault: String {
        "name a \(word) with 1 to 32 letters, digits, '-' and '_'"
    }
}

/// A settings file with entries that a person may have written by hand: they are held to the rules
/// that requests are held to.
package protocol CheckedBook: Decodable {
    static var file: DataFile { get }

    init()

    /// Leaves out the entries that no request could have made. The file keeps them when the book is
    /// saved.
    ///
    /// - Returns: each of them in words, as in "the preset 'glass'", and its fault.
    mutating func leaveOut() -> [(entry: String, fault: String)]
}

/// All entries of one kind, as they are in their file. Unusable entries stay in the file, and keep
/// their names.
package struct Book<Entry: BookEntry>: Codable, Equatable, Sendable, CheckedBook {
    private(set) var entries = NamedEntries<Entry>()

    package static var file: DataFile { Entry.file }

    /// The only member of the file.
    private static var member: MemberName { MemberName(stringValue: "\(Entry.plural)") }

    /// A book without entries.
    package init() {}

    package init(from decoder: any Decoder) throws {
        entries = try decoder.container(keyedBy: MemberName.self).decode(
            NamedEntries<Entry>.self, forKey: Book.member)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberName.self)
        try members.encode(entries, forKey: Book.member)
    }

    /// The entry of that name, if used; nil removes the entry, used or left out.
    package subscript(_ name: String) -> Entry? {
        get { entries[name] }
        set { entries[name] = newValue }
    }

    /// Whether there is one of that name, used or left out.
    func contains(_ name: String) -> Bool {
        entries.used[name] != nil || entries.leftOut[name] != nil
    }

    /// The used entries, by name.
    package var sorted: [(name: String, entry: Entry)] {
        entries.used.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package mutating func leaveOut() -> [(entry: String, fault: String)] {
        entries.leaveOut(Entry.word) { name, entry in
            Entry.isName(name) ? entry.fault : Entry.nameFault
        }
    }
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

/// The entries of a settings file by name: those that are used, and those that cannot be, which
/// stay in the file.
package struct NamedEntries<Entry: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    /// An entry that cannot be used.
    struct LeftOut: Equatable, Sendable {
        /// The fault of the entry, in words.
        let fault: String
        fileprivate let entry: SavedEntry<Entry>
    }

    /// The used entries, by name.
    package var used: [String: Entry] = [:]
    private(set) var leftOut: [String: LeftOut] = [:]

    /// No entries, or those, which are all used.
    package init(_ used: [String: Entry] = [:]) {
        self.used = used
    }

    package init(from decoder: any Decoder) throws {
        let saved = try decoder.singleValueContainer().decode([String: SavedEntry<Entry>].self)
        for (name, entry) in saved {
            switch entry {
            case .readable(let readable): used[name] = readable
            case .unreadable(_, let fault): leftOut[name] = LeftOut(fault: fault, entry: entry)
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let used = used.mapValues { SavedEntry.readable($0) }
        try container.encode(used.merging(leftOut.mapValues(\.entry)) { used, _ in used })
    }

    /// The used entry of that name; a new one, and nil, also replace one that is left out.
    package subscript(_ name: String) -> Entry? {
        get { used[name] }
        set { (used[name], leftOut[name]) = (newValue, nil) }
    }

    /// Leaves out the entries with a fault, too.
    ///
    /// - Parameter word: the word for an entry, as in "preset".
    /// - Returns: all that are left out, in words and in the order of their names, and their
    ///   faults.
    package mutating func leaveOut(
        _ word: String, _ fault: (String, Entry) -> String?
    ) -> [(entry: String, fault: String)] {
        for (name, entry) in used {
            guard let fault = fault(name, entry) else { continue }
            used[name] = nil
            leftOut[name] = LeftOut(fault: fault, entry: .readable(entry))
        }
        // Of a long name the beginning is told, in Unicode scalars.
        return leftOut.sorted { $0.key < $1.key }
            .map { ("the \(word) '\($0.key.cut(to: 64))'", $0.value.fault) }
    }
}

extension JSONTree: Decodable {
    /// Reads any value.
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONTree].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONTree].self))
        }
    }
}

/// An entry of a settings file. An unreadable entry does not affect the others, and is written back
/// as it was, but for whole numbers beyond 2^53.
package enum SavedEntry<Entry: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    case readable(Entry)
    case unreadable(JSONTree, fault: String)

    package init(from decoder: any Decoder) throws {
        do {
            self = .readable(try Entry(from: decoder))
        } catch let error as DecodingError {
            let fault = error.words(below: decoder.codingPath.count)
            self = .unreadable(try JSONTree(from: decoder), fault: fault)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .readable(let entry): try entry.encode(to: encoder)
        case .unreadable(let json, _): try json.encode(to: encoder)
        }
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

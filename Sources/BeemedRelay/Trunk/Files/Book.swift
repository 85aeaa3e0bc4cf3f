/// An entry of a settings file that a user names and writes: a preset, or a rule.
package protocol BookEntry: Codable, Equatable, Sendable {
    /// Names one of them, as in "preset".
    static var word: String { get }
    static var plural: StaticString { get }
    static var file: DataFile { get }
    /// The maximum number of entries.
    static var most: Int { get }
    /// The reason why a name is refused.
    static var nameFault: String { get }

    static func isName(_ name: String) -> Bool
    /// The reason why it can never be used; nil when it can be.
    var fault: String? { get }
}

/// A settings file with entries that a person may have written by hand: they are held to the rules
/// that requests are held to.
package protocol CheckedBook {
    /// Leaves out the entries that no request could have made. The file keeps them when the book is
    /// saved.
    ///
    /// - Returns: each of them in words, as in "the preset 'glass'", and what is wrong with it.
    mutating func leaveOut() -> [(entry: String, fault: String)]
}

/// All entries of one kind, as they are in their file. What of the file cannot be used stays in it,
/// and keeps its name.
package struct Book<Entry: BookEntry>: Codable, Equatable, Sendable, CheckedBook {
    private(set) var entries = NamedEntries<Entry>()

    private enum Name: CodingKey {
        case entries

        var stringValue: String { "\(Entry.plural)" }
    }

    /// A book without entries.
    package init() {}

    package init(from decoder: any Decoder) throws {
        entries = try decoder.container(keyedBy: Name.self).decode(
            NamedEntries<Entry>.self, forKey: .entries)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        try members.encode(entries, forKey: .entries)
    }

    /// The entry of that name, if it is used; nil removes it, used or left out.
    package subscript(_ name: String) -> Entry? {
        get { entries.used[name] }
        set {
            guard let newValue else { return _ = entries.remove(name) }
            entries.set(newValue, for: name)
        }
    }

    /// Whether there is one of that name, used or left out.
    func contains(_ name: String) -> Bool {
        entries.used[name] != nil || entries.leftOut[name] != nil
    }

    /// Those that are used, by name.
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
    /// Its present state, which is durable.
    package var book: Book<Entry> { present }
    var present: Book<Entry> {
        didSet { revision += 1 }
    }
    /// Increases with each change.
    private(set) var revision: UInt64 = 0

    /// A book as it was read.
    package init(_ book: Book<Entry>) {
        present = book
    }
}

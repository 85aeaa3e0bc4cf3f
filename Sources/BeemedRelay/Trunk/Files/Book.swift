/// An entry of a settings file that a user names and writes: a preset, or a rule.
package protocol BookEntry: Codable, Equatable, Sendable {
    static var word: String { get }
    static var plural: StaticString { get }
    static var file: DataFile { get }
    static var maxEntries: Int { get }

    static func isName(_ name: String) -> Bool
    /// The reason why the entry can never be used; nil for a usable one.
    var fault: String? { get }
}

extension BookEntry {
    static var nameFault: String {
        "name a \(word) with 1 to 32 letters, digits, '-' and '_'"
    }
}

/// All entries of one kind, as their file has them. A person may have written them by hand: they
/// are held to the rules that requests are held to.
package struct Book<Entry: BookEntry>: Codable, Equatable, Sendable {
    private(set) var entries: [String: Entry] = [:]

    /// A book without entries.
    package init() {}

    package init(from decoder: any Decoder) throws {
        let file = try [String: [String: Entry]](from: decoder)
        entries = file["\(Entry.plural)"] ?? [:]
        for (name, entry) in sorted {
            guard let fault = Entry.isName(name) ? entry.fault : Entry.nameFault else { continue }
            throw FileFault(words: "the \(Entry.word) '\(name.cut(to: 64))': \(fault)")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        try ["\(Entry.plural)": entries].encode(to: encoder)
    }

    /// The entry of that name; nil removes it.
    package subscript(_ name: String) -> Entry? {
        get { entries[name] }
        set { entries[name] = newValue }
    }

    /// The entries by name.
    package var sorted: [(name: String, entry: Entry)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// A book that is in use.
package final class LiveBook<Entry: BookEntry> {
    /// Its present state, which is saved soon.
    package internal(set) var book: Book<Entry> { didSet { revision += 1 } }
    private(set) var revision: UInt64 = 0

    /// A book as it was read.
    package init(_ book: Book<Entry>) {
        self.book = book
    }
}

/// Why the contents of a settings file cannot be used.
package struct FileFault: Error {
    let words: String

    /// A fault in words.
    package init(words: String) { self.words = words }

    init(_ error: any Error) {
        words =
            (error as? FileFault ?? (error as? DecodingError)?.fault)?.words
            ?? "it has another form"
    }
}

extension DecodingError {
    fileprivate var fault: FileFault {
        let (path, fault): ([any CodingKey], String) =
            switch self {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .dataCorrupted(let context):
                (context.codingPath, "has a value of another kind")
            @unknown default: ([], "")
            }
        let names = path.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue.cut(to: 64) }
        guard !names.isEmpty else { return FileFault(words: "it has another form") }
        return FileFault(words: "'\(names.joined(separator: "."))' \(fault)")
    }
}

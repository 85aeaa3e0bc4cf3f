/// The entries of a settings file by name: those that are used, and those that cannot be, which
/// stay in the file.
package struct NamedEntries<Entry: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    /// An entry that cannot be used.
    struct LeftOut: Equatable, Sendable {
        /// What is wrong with it, in words.
        let fault: String
        fileprivate let entry: SavedEntry<Entry>
    }

    /// Those that are used, by name.
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

    /// Uses that entry, also in place of one that is left out.
    package mutating func set(_ entry: Entry, for name: String) {
        used[name] = entry
        leftOut[name] = nil
    }

    /// Removes an entry, used or left out.
    ///
    /// - Returns: whether there was one.
    mutating func remove(_ name: String) -> Bool {
        let isLeftOut = leftOut.removeValue(forKey: name) != nil
        return used.removeValue(forKey: name) != nil || isLeftOut
    }

    /// Leaves out the entries with a fault, too.
    ///
    /// - Returns: all that are left out by name, in order.
    package mutating func leaveOut(
        _ fault: (String, Entry) -> String?
    ) -> [(name: String, fault: String)] {
        for (name, entry) in used {
            guard let fault = fault(name, entry) else { continue }
            used[name] = nil
            leftOut[name] = LeftOut(fault: fault, entry: .readable(entry))
        }
        return leftOut.sorted { $0.key < $1.key }.map { ($0.key, $0.value.fault) }
    }

    /// The same, for people.
    ///
    /// - Parameter word: what an entry is, as in "preset".
    /// - Returns: each of them in words, and what is wrong with it.
    package mutating func leaveOut(
        _ word: String, _ fault: (String, Entry) -> String?
    ) -> [(entry: String, fault: String)] {
        // Of a long name the beginning is told, in Unicode scalars.
        leaveOut(fault).map { ("the \(word) '\($0.name.cut(to: 64))'", $0.fault) }
    }
}

/// The entries of a settings file by name: those that are used, and those that cannot be, which
/// stay in the file.
struct NamedEntries<Entry: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    var used: [String: Entry] = [:]
    private(set) var leftOut: [String: Entry] = [:]

    /// No entries, or those, which are all used.
    init(_ used: [String: Entry] = [:]) {
        self.used = used
    }

    init(from decoder: any Decoder) throws {
        used = try decoder.singleValueContainer().decode([String: Entry].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(used.merging(leftOut) { used, _ in used })
    }

    /// Uses that entry, also in place of one that is left out.
    mutating func set(_ entry: Entry, for name: String) {
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

    /// Leaves out the entries with a fault.
    ///
    /// - Returns: them by name, in order.
    mutating func leaveOut(
        _ fault: (String, Entry) -> String?
    ) -> [(name: String, fault: String)] {
        var found: [(name: String, fault: String)] = []
        for (name, entry) in used.sorted(by: { $0.key < $1.key }) {
            guard let fault = fault(name, entry) else { continue }
            used[name] = nil
            leftOut[name] = entry
            found.append((name, fault))
        }
        return found
    }
}

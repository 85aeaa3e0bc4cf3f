import BeemedDomain

/// A settings file with entries that a person may have written by hand: they are held to the rules
/// that requests are held to.
protocol CheckedBook {
    /// Whether the file keeps what is removed when the book is saved.
    static var keepsFaulty: Bool { get }

    /// Removes the entries that no request could have made, in order.
    ///
    /// - Returns: each of them in words, as in "the preset 'glass'", and what is wrong with it.
    mutating func removeFaulty() -> [(entry: String, fault: String)]
}

extension NamedEntries {
    /// Leaves out the entries with a fault.
    ///
    /// - Parameter word: what an entry is, as in "preset".
    /// - Returns: each of them in words.
    fileprivate mutating func removeFaulty(
        _ word: String, _ fault: (String, Entry) -> String?
    ) -> [(entry: String, fault: String)] {
        // Of a long name the beginning is told, in Unicode scalars.
        leaveOut(fault).map { ("the \(word) '\($0.name.cut(to: 64))'", $0.fault) }
    }
}

extension PresetBook: CheckedBook {
    static var keepsFaulty: Bool { true }

    mutating func removeFaulty() -> [(entry: String, fault: String)] {
        entries.removeFaulty("preset", PresetBook.fault)
    }
}

extension RuleBook: CheckedBook {
    static var keepsFaulty: Bool { true }

    mutating func removeFaulty() -> [(entry: String, fault: String)] {
        entries.removeFaulty("rule") { name, rule in
            RuleName(name) == nil ? HealthRule.nameFault : rule.fault
        }
    }
}

extension ReminderBook: CheckedBook {
    static var keepsFaulty: Bool { false }

    mutating func removeFaulty() -> [(entry: String, fault: String)] {
        // Not quoted: an address may contain a token.
        let places = services.indices.filter { NotifyURL(services[$0]) == nil }
        services = services.filter { NotifyURL($0) != nil }
        return places.map { ("address \($0 + 1) of 'services'", "it \(NotifyURL.advice)") }
            + ReminderBook.removeFaulty(from: &rules.goals, "lead of")
            + ReminderBook.removeFaulty(from: &rules.snoozes, "snooze of")
    }

    /// Removes the entries whose name is no goal's.
    private static func removeFaulty<Entry: Codable & Equatable & Sendable>(
        from list: inout [String: Entry], _ word: String
    ) -> [(entry: String, fault: String)] {
        var entries = NamedEntries(list)
        defer { list = entries.used }
        return entries.removeFaulty(word) { name, _ in
            GoalSlug(name) == nil ? "it is no goal's name in its Beeminder URL" : nil
        }
    }
}

extension RecoveryReport {
    /// Entries of one file that are told; the others are counted.
    private static let mostEntries = 10

    /// Adds an alarm for each entry that was left out of what a file contains.
    ///
    /// - Parameter isKept: whether the file keeps them when it is written.
    mutating func add(
        leftOut found: [(entry: String, fault: String)], of file: DataFile, isKept: Bool
    ) {
        let haste =
            isKept ? "" : ", since the next change of the \(file) writes the file without it"
        for (entry, fault) in found.prefix(RecoveryReport.mostEntries) {
            add(
                "\(file.rawValue): \(entry) is left out: \(fault); correct it there and start "
                    + "again\(haste)")
        }
        let more = found.count - RecoveryReport.mostEntries
        if more > 0 { add("\(file.rawValue): \(more) more entries are left out") }
    }
}

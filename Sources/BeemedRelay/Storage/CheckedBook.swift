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

extension CheckedBook {
    /// The longest part of a name that is told, in Unicode scalars.
    fileprivate static var mostLetters: Int { 64 }

    /// Removes the entries with a fault.
    ///
    /// - Parameters:
    ///   - leftOut: receives them.
    ///   - word: what an entry is, as in "preset".
    fileprivate static func removeFaulty<Entry>(
        from entries: inout [String: Entry], to leftOut: inout [String: Entry], _ word: String,
        _ fault: (String, Entry) -> String?
    ) -> [(entry: String, fault: String)] {
        var found: [(entry: String, fault: String)] = []
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
            guard let fault = fault(name, entry) else { continue }
            entries[name] = nil
            leftOut[name] = entry
            found.append(("the \(word) '\(name.cut(to: mostLetters))'", fault))
        }
        return found
    }
}

extension PresetBook: CheckedBook {
    static var keepsFaulty: Bool { true }

    mutating func removeFaulty() -> [(entry: String, fault: String)] {
        PresetBook.removeFaulty(from: &presets, to: &leftOut, "preset", PresetBook.fault)
    }
}

extension RuleBook: CheckedBook {
    static var keepsFaulty: Bool { true }

    mutating func removeFaulty() -> [(entry: String, fault: String)] {
        RuleBook.removeFaulty(from: &rules, to: &leftOut, "rule") { name, rule in
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
        let noGoal = "it is no goal's name in its Beeminder URL"
        var goals: [String: ReminderRules.Lead] = [:]
        var snoozes: [String: ReminderRules.Snooze] = [:]
        return places.map { ("address \($0 + 1) of 'services'", "it \(NotifyURL.advice)") }
            + ReminderBook.removeFaulty(from: &rules.goals, to: &goals, "lead of") { name, _ in
                GoalSlug(name) == nil ? noGoal : nil
            }
            + ReminderBook.removeFaulty(from: &rules.snoozes, to: &snoozes, "snooze of") {
                name, _ in
                GoalSlug(name) == nil ? noGoal : nil
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

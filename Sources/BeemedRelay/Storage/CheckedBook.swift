import BeemedDomain

/// A settings file with entries that a person may have written by hand: they are held to the rules
/// that requests are held to.
protocol CheckedBook {
    /// Leaves out the entries that no request could have made. The file keeps them when the book is
    /// saved.
    ///
    /// - Returns: each of them in words, as in "the preset 'glass'", and what is wrong with it.
    mutating func leaveOut() -> [(entry: String, fault: String)]
}

extension PresetBook: CheckedBook {
    mutating func leaveOut() -> [(entry: String, fault: String)] {
        entries.leaveOut("preset", PresetBook.fault)
    }
}

extension RuleBook: CheckedBook {
    mutating func leaveOut() -> [(entry: String, fault: String)] {
        entries.leaveOut("rule") { name, rule in
            RuleName(name) == nil ? HealthRule.nameFault : rule.fault
        }
    }
}

extension ReminderBook: CheckedBook {}

extension RecoveryReport {
    /// Entries of one file that are told; the others are counted.
    private static let mostEntries = 10

    /// Adds an alarm for each entry that was left out of what a file contains.
    mutating func add(leftOut found: [(entry: String, fault: String)], of file: DataFile) {
        for (entry, fault) in found.prefix(RecoveryReport.mostEntries) {
            add(
                "\(file.rawValue): \(entry) is left out: \(fault); correct it there and start "
                    + "again")
        }
        let more = found.count - RecoveryReport.mostEntries
        if more > 0 { add("\(file.rawValue): \(more) more entries are left out") }
    }
}

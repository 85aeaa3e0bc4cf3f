extension Recovery {
    /// The state of reading one segment.
    struct Reading {
        let segment: Int
        var hasBegun = false
        /// The number of its first record, as its first line says.
        var first: SequenceNumber?
        var records = 0
        var isClosed = false
        /// Damage that no valid line has followed yet.
        var tail: Range<Int>?

        init(segment: Int) { self.segment = segment }
    }

    /// Applies the user of the folder. Only the newest counts.
    mutating func apply(_ user: FolderUser, _ number: SequenceNumber) {
        guard newest.user.map({ $0 < number }) ?? true else { return }
        newest.user = number
        result.facts.user = user
    }

    /// Applies the mark of a reminder. Only the newest of each topic and service counts.
    mutating func apply(_ mark: ReminderMark, _ number: SequenceNumber) {
        guard newest.reminders[mark.key].map({ $0 < number }) ?? true else { return }
        newest.reminders[mark.key] = number
        result.facts.reminders[mark.key] = mark
    }

    /// What is a former user's: nothing of it may ever be sent to the present one.
    ///
    /// - Returns: the events that are not known any more, whatever became of them.
    mutating func leaveOutFormerUser() -> Set<SequenceNumber> {
        guard let since = result.facts.user?.since, since.value > 0 else { return [] }
        for (key, number) in newest.reminders where number < since {
            result.facts.reminders[key] = nil
            newest.reminders[key] = nil
        }
        let former = result.entries.filter { $0.number < since }
        let open = former.count { $0.recorded.settlement == nil }
        if open > 0 {
            addAnomaly("\(open) events of the folder's former user are in the history, not settled")
        }
        return Set(former.map(\.number))
    }
}

/// The records of facts about no event that count.
struct NewestFacts {
    /// Of the folder's user.
    var user: SequenceNumber?
    /// Of each reminder.
    var reminders: [ReminderMark.Key: SequenceNumber] = [:]

    /// The oldest of them; nil without any.
    var oldest: SequenceNumber? {
        let first = reminders.values.min()
        guard let user else { return first }
        return first.map { min($0, user) } ?? user
    }
}

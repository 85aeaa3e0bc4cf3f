extension Recovery {
    /// The state of reading one segment.
    struct Reading {
        var segment: Int
        var isLast: Bool
        var hasBegun = false
        /// Lines with a valid checksum, whatever their contents.
        var goodLines = 0
        var isDamaged = false
        /// Records after the opening.
        var lines = 0
        var recordsAfterBase = 0
        var isEnded = false
        var isClosed = false
        var isForeign = false
        /// The number at which the declared snapshot ends; nil without a snapshot.
        var baseNext: SequenceNumber?
        /// Damage that no valid line has followed yet.
        var tail: Range<Int>?
    }

    /// Applies the user of the folder. Only the newest is kept.
    mutating func apply(_ user: FolderUser, _ number: SequenceNumber, _ place: Recovered.Place) {
        if let before = newest.user {
            guard before.number < number else {
                result.recoveryReport.repeated += 1
                return
            }
            superseded.insert(before.line)
        }
        newest.user = (number, kept.count)
        // Earlier versions served several users, and have not said since when.
        let likeness = result.facts.user?.likeness(ofName: user.name, id: user.id)
        let isOther = likeness == .other && user.since.value == 0
        result.facts.user =
            isOther ? FolderUser(name: user.name, id: user.id, since: number) : user
        kept.append(LiveLineLocation(place: place, of: nil))
    }

    /// What is a former user's: nothing of it may ever be sent to the present one.
    ///
    /// - Returns: the events that go to the history, whatever became of them.
    mutating func leaveOutFormerUser() -> Set<SequenceNumber> {
        guard let since = result.facts.user?.since, since.value > 0 else { return [] }
        for (key, mark) in newest.reminders where mark.number < since {
            result.facts.reminders[key] = nil
            superseded.insert(mark.line)
        }
        let former = result.entries.filter { $0.number < since }
        let open = former.count { $0.recorded.settlement == nil }
        if open > 0 {
            addAnomaly("\(open) events of the folder's former user are in the history, not settled")
        }
        return Set(former.map(\.number))
    }
}

extension Recovery {
    /// Applies the mark of a reminder. Only the newest of each topic and service is kept.
    mutating func apply(_ mark: ReminderMark, _ number: SequenceNumber, _ place: Recovered.Place) {
        if let before = newest.reminders[mark.key] {
            guard before.number < number else {
                result.recoveryReport.repeated += 1
                return
            }
            superseded.insert(before.line)
        }
        newest.reminders[mark.key] = (number, kept.count)
        result.facts.reminders[mark.key] = mark
        kept.append(LiveLineLocation(place: place, of: nil))
    }
}

/// The lines of a day's total of which only the newest counts: a total is revised many times.
struct TotalLine: Hashable, Sendable {
    private enum Kind {
        case value, delivery
    }

    private let of: SequenceNumber
    private let kind: Kind

    /// Nil for a record of another kind.
    init?(_ record: Record) {
        switch record.fact {
        case .revise(let of, _, _): (self.of, kind) = (of, .value)
        // The datapoint's id may be in an earlier line only.
        case .done(let of, _, _?, _): (self.of, kind) = (of, .delivery)
        default: return nil
        }
    }
}

/// The positions in `Recovery.kept` of lines that a later one of the same event replaces.
struct NewestLines {
    /// Of any event.
    var tried: [SequenceNumber: Int] = [:]
    /// Of days' totals only.
    var totals: [TotalLine: Int] = [:]
    /// Of reminders, with the number of the record.
    var reminders: [ReminderMark.Key: (number: SequenceNumber, line: Int)] = [:]
    /// Of the folder's user, the same.
    var user: (number: SequenceNumber, line: Int)?
}

extension Recovery {
    /// Applies a revision or a delivery.
    mutating func applyNewest(_ record: Record, _ place: Recovered.Place) {
        let lines = kept.count
        applyToEvent(record, place)
        guard kept.count > lines, let of = record.of, let index = indices[of],
            result.entries[index].event.isTotal, let line = TotalLine(record)
        else { return }
        if let before = newest.totals.updateValue(lines, forKey: line) { superseded.insert(before) }
    }
}

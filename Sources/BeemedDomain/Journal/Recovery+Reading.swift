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

    /// Applies the user of a connection. An earlier user of the same connection is dropped.
    mutating func apply(
        _ owner: ConnectionOwner, of connection: ConnectionName, _ number: SequenceNumber,
        _ place: Recovered.Place
    ) {
        guard naming[connection].map({ $0 < number }) ?? true else {
            result.recoveryReport.repeated += 1
            return
        }
        naming[connection] = number
        result.facts.users[connection] = owner
        kept.append(LiveLineLocation(place: place, of: nil))
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
        case .revise(let of, _): (self.of, kind) = (of, .value)
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

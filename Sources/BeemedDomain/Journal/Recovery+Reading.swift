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
    mutating func note(
        _ owner: ConnectionOwner, of connection: ConnectionName, _ number: SequenceNumber,
        _ place: Recovered.Place
    ) {
        guard naming[connection].map({ $0 < number }) ?? true else {
            result.recoveryReport.repeated += 1
            return
        }
        naming[connection] = number
        result.users[connection] = owner
        kept.append(LiveLineLocation(place: place, of: nil))
    }
}

/// The positions in `Recovery.kept` of lines that a later one of the same event replaces.
struct NewestLines {
    /// Of any event.
    var tried: [SequenceNumber: Int] = [:]
    /// Of days' totals only.
    var revised: [SequenceNumber: Int] = [:]
    var done: [SequenceNumber: Int] = [:]
}

extension Recovery {
    /// Applies a revision or a delivery. Of a day's total only the newest of each is kept: it is
    /// revised many times.
    mutating func noteNewest(_ record: Record, _ place: Recovered.Place) {
        let lines = kept.count
        note(record, place)
        guard kept.count > lines, let of = record.of, let index = indices[of],
            result.entries[index].event.rule != nil
        else { return }
        switch record.fact {
        case .revise:
            if let before = newest.revised.updateValue(lines, forKey: of) {
                superseded.insert(before)
            }
        // The datapoint's id may be in the earlier line only.
        case .done(_, _, _?, _):
            if let before = newest.done.updateValue(lines, forKey: of) { superseded.insert(before) }
        default: break
        }
    }
}

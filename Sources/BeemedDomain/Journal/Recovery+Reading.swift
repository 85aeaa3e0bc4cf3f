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

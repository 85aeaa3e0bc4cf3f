extension Recovery {
    /// What is known of the segment that is being read.
    struct Reading {
        var segment: Int
        var isLast: Bool
        var hasBegun = false
        /// Lines whose check value is right, whatever they say.
        var goodLines = 0
        var isDamaged = false
        /// Records after the opening.
        var lines = 0
        var recordsAfterBase = 0
        var isEnded = false
        var isClosed = false
        var isForeign = false
        /// Where the snapshot ends that the opening announces; nil when there is none to come.
        var baseNext: SequenceNumber?
        /// Damage that no good line has followed yet.
        var tail: Range<Int>?
    }

    /// Takes whose a connection is. An earlier name of the same connection is of no use any more.
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

/// One fact in the journal.
package struct Record: Sendable, Equatable {
    /// What happened.
    package enum Fact: Sendable, Equatable {
        /// An event was taken into custody.
        case put(Event)
        /// Beeminder has it.
        case done(of: SequenceNumber, how: Delivered, datapoint: String?)
        /// Beeminder will not have it, and why.
        case refused(of: SequenceNumber, status: Int, why: String)
        /// Nothing, but that the journal can be written: its receipt says so.
        case mark
    }

    package let number: SequenceNumber
    package let fact: Fact

    /// A fact and its number.
    package init(_ number: SequenceNumber, _ fact: Fact) {
        self.number = number
        self.fact = fact
    }
}

/// How Beeminder came to have an event.
package enum Delivered: String, Sendable {
    /// It was new there.
    case created
    /// It was there under our request id with other contents, and these have replaced them.
    case updated
    /// It was there already, exactly so.
    case duplicate
}

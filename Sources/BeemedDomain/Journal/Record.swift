/// One fact in the journal.
package struct Record: Sendable, Equatable {
    /// What happened.
    package enum Fact: Sendable, Equatable {
        /// An event was taken into custody.
        case put(Event)
        /// Beeminder has it. A merged datapoint shows the effect of every record up to `through`;
        /// nil for a datapoint of one press.
        case done(
            of: SequenceNumber, how: Delivered, datapoint: String?, through: SequenceNumber? = nil)
        /// Beeminder will not have it, and why.
        case refused(of: SequenceNumber, status: Int, why: String)
        /// A person wants it gone. It may be at Beeminder, and is to be deleted there.
        case undo(of: SequenceNumber)
        /// By a person's wish it is not at Beeminder, never was or is not any more.
        case undone(of: SequenceNumber)
        /// A person has taken the event back, and the datapoint that it leads goes on without it.
        case leftOut(of: SequenceNumber)
        /// A person wants it sent again, to another goal if one is named. What may have arrived at
        /// the goal that it leaves is deleted there first.
        case retry(of: SequenceNumber, goal: GoalSlug?, leaving: GoalSlug? = nil)
        /// Nothing of it is at the goal that it leaves, or not any more.
        case cleared(of: SequenceNumber)
        /// The relay's clock was set, so the event's time is known.
        case timed(of: SequenceNumber, at: UnixTime)
        /// A `oncePerDay` press that came before the user's days were known: whether it was one too
        /// many.
        case judged(of: SequenceNumber, isGuarded: Bool)
        /// Beeminder has said whose the token of a connection is; or, inherited, whose the events
        /// of a connection are that it has never named.
        case user(connection: ConnectionName, ConnectionOwner)
        /// Sending it has failed so many times, the last time for this reason. Not one for each
        /// attempt: an outage of a week must not fill the journal.
        case tried(of: SequenceNumber, attempts: Int, why: String)
        /// Nothing, but that the journal can be written: its receipt says so.
        case mark
    }

    package let number: SequenceNumber
    package let fact: Fact

    /// The event that it is about; nil for one that is about none, and for the event itself.
    var of: SequenceNumber? {
        switch fact {
        case .done(let of, _, _, _), .refused(let of, _, _), .undo(let of), .undone(let of),
            .leftOut(let of), .retry(let of, _, _), .cleared(let of), .timed(let of, _),
            .judged(let of, _), .tried(let of, _, _):
            of
        case .put, .user, .mark: nil
        }
    }

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
    /// It was there under our request id with other contents when it was sent for the first time,
    /// and these have replaced them: another relay, or a device of that name before, uses the same
    /// ids.
    case overwritten

    /// As Beeminder says it; the last one is this relay's own finding.
    init?(said word: String) {
        guard let how = Delivered(rawValue: word), how != .overwritten else { return nil }
        self = how
    }
}

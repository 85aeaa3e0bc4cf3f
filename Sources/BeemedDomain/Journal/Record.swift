/// A fact in the journal.
package struct Record: Sendable, Equatable {
    /// The content of a record.
    package enum Fact: Sendable, Equatable {
        /// An event was accepted.
        case put(Event)
        /// Beeminder has it. A merged datapoint includes the effect of every record up to
        /// `through`; nil for a datapoint of one press.
        case done(
            of: SequenceNumber, how: Delivered, datapoint: String?, through: SequenceNumber? = nil)
        /// The total of a day has this value from now on. The value may be less than Beeminder's if
        /// this or an earlier value since the last delivery has lowered the total.
        case revise(of: SequenceNumber, value: Double, mayLower: Bool = false)
        /// Beeminder refused it, with status and reason. In doubt, an earlier request may still be
        /// applied; a further refusal ends that.
        case refused(of: SequenceNumber, status: Int, why: String, isInDoubt: Bool = false)
        /// The user undoes an event. Beeminder may have it, and it must be deleted there.
        case undo(of: SequenceNumber)
        /// The event was undone and is not at Beeminder, or no longer; a part of a datapoint was
        /// undone, and the datapoint is sent again without it.
        case undone(of: SequenceNumber)
        /// The user has undone the event, and the datapoint that it leads continues without it.
        case leftOut(of: SequenceNumber)
        /// The user sends it again, to another goal if one is named. A datapoint that may be at the
        /// goal `leaving` is deleted there first.
        case retry(of: SequenceNumber, goal: GoalSlug?, leaving: GoalSlug? = nil)
        /// The goals that the event has left have no datapoint of it any more, and get none.
        case cleared(of: SequenceNumber)
        /// The relay's clock was set, so the event's time is known.
        case timed(of: SequenceNumber, at: UnixTime)
        /// Decides a `oncePerDay` press that was accepted before the user's days were known:
        /// whether it exceeds the one press per day; or a press before the time was known: whether
        /// it came too soon.
        case evaluated(of: SequenceNumber, isGuarded: Bool, by: PresetGuard? = nil)
        /// The folder's user, as Beeminder has named the user.
        case user(FolderUser)
        /// An event is stated again, whole, as it is now: so the segment with its earlier statement
        /// can be retired.
        indirect case carried(Recovered.Entry)
        /// No fact: its receipt shows that the journal can be written.
        case mark
    }

    package let number: SequenceNumber
    let fact: Fact

    /// The number of its event; nil for a fact about none, and for the event itself.
    var of: SequenceNumber? {
        switch fact {
        case .done(let of, _, _, _), .refused(let of, _, _, _), .undo(let of), .undone(let of),
            .leftOut(let of), .retry(let of, _, _), .cleared(let of), .timed(let of, _),
            .evaluated(let of, _, _), .revise(let of, _, _):
            of
        case .carried(let entry): entry.number
        case .put, .user, .mark: nil
        }
    }

    /// The whole event, if the record states one.
    var statement: Recovered.Entry? {
        switch fact {
        case .put(let event):
            Recovered.Entry(
                number: number, event: event, recorded: RecordedState(event.part), statedAt: number)
        case .carried(let entry): entry
        case .done, .refused, .revise, .undo, .undone, .leftOut, .retry, .cleared, .timed,
            .evaluated, .user, .mark:
            nil
        }
    }

    /// Creates a record of a fact.
    package init(_ number: SequenceNumber, _ fact: Fact) {
        self.number = number
        self.fact = fact
    }
}

/// How Beeminder stored an event.
package enum Delivered: String, Sendable {
    /// As a new datapoint.
    case created
    /// The request replaced a datapoint with our request id and other contents.
    case updated
    /// The same datapoint existed already.
    case duplicate
    /// At the first attempt it replaced a datapoint with our request id and other contents: another
    /// relay, or an earlier device of that name, uses the same ids.
    case overwritten
    /// Beeminder has a greater value than this relay knows of, which stays: the folder is an older
    /// copy.
    case greater

    /// Reads Beeminder's word; `overwritten` and `greater` are this relay's own conclusions.
    init?(said word: String) {
        switch Delivered(rawValue: word) {
        case nil, .overwritten, .greater: return nil
        case let how?: self = how
        }
    }
}

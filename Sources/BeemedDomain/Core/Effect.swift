/// Everything that the relay can do.
package enum Effect: Sendable {
    /// Answer the request that waits under this reply id.
    case reply(ReplyID, Reply)
    /// Write this record. Those of one `apply` are in order and without a gap.
    case append(Record, epoch: UInt64, isUrgent: Bool)
    /// Send this to Beeminder and report with `Input.delivered`.
    case send(DatapointBatch)
    /// Delete this at Beeminder and report with `Input.erased`.
    case erase(DatapointDeletion)
    /// Ask Beeminder for the goals and report with `Input.fetched`; not for those that came when
    /// the user's `updated_at` was the same.
    case fetchGoals(since: Int64?)
    /// Keep this list for the next start.
    indirect case saveGoals(GoalBook)
    /// Apply `Input.woke` at that time; nil takes an earlier request back.
    case wake(at: Monotonic?)
}

/// What becomes of a press, in the words of the domain.
package enum Reply: Sendable {
    /// It is in custody.
    case accepted(Acceptance)
    /// That device has used the id for something else, and this is what.
    case conflict(with: Event)
    /// There is no account, so nothing was taken.
    case notConnected
    /// The goals are known and this is none of them; the nearest name, if one is near.
    case unknownGoal(GoalSlug, suggestion: GoalSlug?)
    /// The time given cannot be meant.
    case unusableTime(TimeFault)
    /// The disk is full. Nothing was taken.
    case diskFull
    /// So many presses of that device wait that it may not add more. Nothing was taken.
    case tooManyWaiting(DeviceName)
    /// So many presses to that goal were refused by Beeminder that no more are taken for it until
    /// a person has dealt with them.
    case tooManyRefused(GoalSlug)
    /// There is such a goal, or nobody can say that there is none.
    case usable(GoalSlug)
    /// What was asked of a known event is in custody, and this is how it is now.
    indirect case changed(EventView)
    /// No such event is known.
    case unknownEvent
    /// That cannot be done to an event in this state.
    case notPossible(EventState)
}

/// Says that an event is on the disk. It cannot be made without the receipt that covers it.
package struct Acceptance: Sendable {
    package let number: SequenceNumber
    package let event: Event
    package let state: EventState
    /// Whether it was known before.
    package let isDuplicate: Bool

    init(
        _ entry: Ledger.Entry, state: EventState, isDuplicate: Bool, under receipt: Receipt
    ) {
        precondition(entry.number <= receipt.through, "accepted before it was durable")
        number = entry.number
        event = entry.event
        self.state = state
        self.isDuplicate = isDuplicate
    }
}

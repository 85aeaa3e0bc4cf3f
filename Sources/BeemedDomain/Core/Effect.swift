/// The effects that the core requests after one or several inputs.
///
/// Every press has a record and a reply, so these have lists of their own, which are passed on as
/// they are.
package struct Effects: Sendable {
    /// The records to write, in order and without a gap.
    private(set) package var records: [Record] = []
    /// Whether a request waits for one of them.
    private(set) package var isUrgent = false
    /// The replies to requests, in order.
    private(set) package var replies: [(replyID: ReplyID, reply: Reply)] = []
    /// Everything else, in order.
    private(set) package var others: [Effect] = []

    /// No effects.
    package init() {}

    /// Writes this record.
    mutating func write(_ record: consuming Record, isUrgent: Bool) {
        self.isUrgent = self.isUrgent || isUrgent
        records.append(record)
    }

    /// Answers the request with this reply id.
    mutating func reply(_ replyID: ReplyID, _ reply: Reply) {
        replies.append((replyID, reply))
    }

    /// Refuses the request with this reply id.
    mutating func refuse(_ replyID: ReplyID, _ refusal: Refusal) {
        replies.append((replyID, .refused(refusal)))
    }

    mutating func emit(_ effect: Effect) { others.append(effect) }

    /// Forgets the records, when they were passed on or will never be written.
    package mutating func dropRecords() {
        isUrgent = false
        records.removeAll(keepingCapacity: records.capacity <= Effects.usual)
    }

    /// Returns the replies, and forgets them.
    package mutating func takeReplies() -> [(replyID: ReplyID, reply: Reply)] {
        defer { replies.removeAll(keepingCapacity: replies.capacity <= Effects.usual) }
        return replies
    }

    /// Returns the other effects, and forgets them.
    package mutating func takeOthers() -> [Effect] {
        defer { others = [] }
        return others
    }

    /// The capacity, in elements, that an empty list keeps at most.
    private static let usual = 4_096
}

/// An effect that is neither a record nor a reply.
package enum Effect: Sendable {
    /// Send this batch to Beeminder and report with `Input.delivered`.
    case send(DatapointBatch)
    /// Delete this datapoint at Beeminder and report with `Input.erased`.
    case erase(DatapointDeletion)
    /// The user's present day is known from now on: bodies that waited for it may be read.
    case presentDayKnown
    /// Request the goals from Beeminder and report with `Input.fetched`; if the user's `updated_at`
    /// is still `since`, the goals themselves are not needed. Goals of `names` that the list leaves
    /// out are requested by name.
    case fetchGoals(since: Int64?, names: [GoalSlug])
    /// Save this list for the next start.
    indirect case saveGoals(GoalBook)
    /// The token's user may have the folder: apply `Input.takenOver`, unless something else is
    /// against it.
    case offerFolder
    /// Another user has the folder, durably: forget what is a user's and not in the journal.
    case forgetFormerUser
    /// Apply `Input.woke` at that time; nil cancels an earlier request.
    case wake(at: Monotonic?)
}

/// The domain's reply to a request.
package enum Reply: Sendable {
    /// The press is durable.
    case accepted(Acceptance)
    /// The effect of a day's total is durable.
    case total(TotalAnswer)
    /// The goal exists, or may exist.
    case usable(GoalSlug)
    /// The change of a known event is durable; this is its new state.
    indirect case changed(EventView)
    /// Nothing was done.
    indirect case refused(Refusal)
}

/// Why the domain has not done what a request asks for.
package enum Refusal: Error {
    /// The device has used this id for another event.
    case conflict(with: Event)
    /// There is no account, so the press was not accepted.
    case notConnected
    /// The goals are known and this is not one of them; the most similar name, if any.
    case unknownGoal(GoalSlug, suggestion: GoalSlug?)
    /// The given time is not plausible.
    case unusableTime(TimeFault)
    /// The value is the present time in this unit, and no amount.
    case timeAsValue(TimeUnit)
    /// The press has no value, and 1 does not mean one more to its goal, for the reason in words.
    case needsValue(GoalSlug, why: String)
    /// The disk is full. The press was not accepted.
    case diskFull
    /// Too many presses of that device are waiting. The press was not accepted.
    case tooManyWaiting(DeviceName)
    /// That device has sent too many presses that were guarded or undone. The press was not
    /// accepted; the next one may be after so many seconds.
    case tooManyUnsent(DeviceName, retryAfter: Double)
    /// Beeminder refused too many presses to that goal. No more are accepted for it until the user
    /// retries or undoes them.
    case tooManyRefused(GoalSlug)
    /// No such event is known.
    case unknownEvent
    /// The change is not possible in this state.
    case notPossible(EventState)
    /// The goal has that day of the rule already, under this id.
    case dayTaken(GoalSlug, by: EventID)
}

/// Confirms that an event is durable. Cannot be created without the receipt that covers the event.
package struct Acceptance: Sendable {
    package let number: SequenceNumber
    package let event: Event
    package let state: EventState
    /// The guard of its preset that keeps the event from being sent, if one does and is known.
    package let guardedBy: PresetGuard?
    /// Whether the event was known before.
    package let isDuplicate: Bool

    init(
        _ entry: Ledger.Entry, state: EventState, isDuplicate: Bool, under receipt: Receipt
    ) {
        precondition(entry.number <= receipt.through, "accepted before it was durable")
        number = entry.number
        event = entry.event
        self.state = state
        guardedBy = state == .guarded ? entry.recorded.guardian(of: entry.event) : nil
        self.isDuplicate = isDuplicate
    }
}

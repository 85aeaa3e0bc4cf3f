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

/// The effect of a day's total.
package enum TotalState: Sendable, Equatable {
    /// The total counts, and is sent to Beeminder.
    case queued
    /// The total is known already.
    case unchanged
    /// The total changes nothing.
    case ignored(IgnoredTotal)

    /// The word of the API.
    package var word: String {
        switch self {
        case .queued: "queued"
        case .unchanged: "unchanged"
        case .ignored: "ignored"
        }
    }
}

/// Why a day's total changes nothing.
package enum IgnoredTotal: String, Sendable {
    /// The user has undone the day. It counts again after a retry.
    case undone
    /// The day is more than 35 days back, or after tomorrow.
    case day
    /// The total is lower than the known value, and the rule has a floor.
    case floor
    /// The total is lower than the known one, and samples are lost; or the day is unknown.
    case partial
    /// The day is before the goal's first one, and a datapoint there can derail it.
    case beforeGoal = "before_goal"
    /// The goal is not one of the user's.
    case unknownGoal = "unknown_goal"
}

/// Confirms the effect of a day's total. Cannot be created without the receipt that covers it.
package struct TotalAnswer: Sendable {
    /// The goal of the day's datapoint: that of the day's first total, unless a retry has moved it.
    package let goal: GoalSlug
    /// The value that counts from now on.
    package let value: Double
    package let state: TotalState

    /// - Parameter record: the record that the answer depends on.
    init(
        goal: GoalSlug, value: Double, state: TotalState, since record: SequenceNumber,
        under receipt: Receipt
    ) {
        precondition(record <= receipt.through, "answered before it was durable")
        self.goal = goal
        self.value = value
        self.state = state
    }

    /// A total that has no effect: there is nothing that must be durable.
    init(_ why: IgnoredTotal, _ total: DayTotal) {
        (goal, value, state) = (total.goal, total.value, .ignored(why))
    }
}

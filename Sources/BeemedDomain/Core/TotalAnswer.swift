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

/// How things stand between the relay and Beeminder.
package enum SyncState: String, Sendable {
    case online, offline
    /// Beeminder has not named the user of the token yet.
    case unverified
    case signInAgain, notConnected, diskFull
}

/// One event as it is shown.
package struct EventView: Sendable {
    package let number: SequenceNumber
    package let event: Event
    /// Its goal, by its present name; a retry may have moved it.
    package let goal: GoalSlug
    /// When it happened, as Beeminder is told.
    package let at: UnixTime
    package let state: EventState
    package let attempts: Int
    package let lastError: String?
    /// When it is tried next; nil when that depends on a person, or nothing is to be tried.
    package let nextAttempt: Monotonic?
    /// What became of it, once something has.
    package let settlement: Settlement?
    /// A person has taken it back, and Beeminder may still have it.
    package let isBeingErased: Bool
    /// The other events of its datapoint.
    package let merges: [EventKey]
    /// The event whose datapoint it is a part of.
    package let mergedInto: EventKey?
}

/// The latest state of everything a small device shows, replaced whole.
package struct Snapshot: Sendable {
    /// One goal.
    package struct PinnedGoal: Sendable {
        package let goal: Goal
        package let urgency: Urgency
        package let queued: Int
        /// The sum of what was logged since the goal's day began: here, unsent presses included,
        /// and elsewhere, as far as Beeminder tells.
        package let today: Double
        /// Whether anything was logged in the goal's day, of whatever value.
        package let isDoneToday: Bool
        /// When it was last logged to; nil when nobody knows.
        package let lastLogged: UnixTime?
        package let isPinned: Bool
        /// Whole minutes until it derails while a press for it waits, below zero when it has; nil
        /// when nothing waits, or it has hours left.
        package let minutesLeft: Int64?
        /// A press waits that Beeminder may not have before the goal derails.
        package var isAtRisk: Bool { minutesLeft != nil }
    }

    package let version: UInt64
    package let user: String?
    package let sync: SyncState
    package let queued: Int
    package let refused: Int
    package let goals: [PinnedGoal]
    /// All goals at risk, shown or not, the fewest minutes first.
    package let atRisk: [GoalAtRisk]
    /// When the first of the shown days ends, and with it what is called today.
    package let dayEnds: UnixTime
}

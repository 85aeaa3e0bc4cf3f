/// How things stand between the relay and Beeminder.
package enum SyncState: String, Sendable {
    case online, offline, signInAgain, notConnected, diskFull
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
        /// The sum of what was logged here since the goal's day began, unsent presses included.
        package let today: Double
        /// When it was last logged to from here; nil when nobody knows.
        package let lastLogged: UnixTime?
        package let isPinned: Bool
        /// A press waits that Beeminder may not have before the goal derails.
        package let isAtRisk: Bool
    }

    package let version: UInt64
    package let user: String?
    package let sync: SyncState
    package let queued: Int
    package let refused: Int
    package let goals: [PinnedGoal]
    /// When the first of the shown days ends, and with it what is called today.
    package let dayEnds: UnixTime
}

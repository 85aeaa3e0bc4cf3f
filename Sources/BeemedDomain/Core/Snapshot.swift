/// The state of the connection between the relay and Beeminder.
package enum SyncState: String, Sendable {
    case online, offline
    /// Beeminder has not named the user of the token yet.
    case unverified
    case signInAgain, notConnected, diskFull
}

/// The latest state of everything that a small device displays, replaced as a whole.
package struct Snapshot: Sendable {
    /// A goal for display.
    package struct PinnedGoal: Sendable {
        package let goal: Goal
        package let urgency: Urgency
        package let queued: Int
        /// The value of the goal's day, as Beeminder aggregates it (`aggday`; mostly the sum), of
        /// the values logged through this relay, unsent presses included, and from other sources,
        /// as reported by Beeminder.
        package let today: Double
        /// Whether anything was logged in the goal's day, of any value.
        package let isDoneToday: Bool
        /// When the goal was last logged to; nil when unknown.
        package let lastLogged: UnixTime?
        /// The value logged then; nil when unknown.
        package let lastValue: Double?
        package let isPinned: Bool
        /// Whole minutes until the goal derails while a press for it waits, negative afterwards;
        /// nil when no press waits, or hours are left.
        package let minutesLeft: Int64?
    }

    package let version: UInt64
    package let user: String?
    package let sync: SyncState
    package let queued: Int
    package let refused: Int
    /// The number of presses that wait for a person.
    package let held: Int
    /// Beeminder's answer to the presses that wait; nil while it accepts them.
    package let deliveryError: String?
    package internal(set) var goals: [PinnedGoal]
    /// All goals at risk, shown or not, the fewest minutes first.
    package let atRisk: [GoalAtRisk]
}

/// The state of the connection between the relay and Beeminder.
package enum SyncState: String, Sendable {
    case online, offline
    /// Beeminder has not named the user of the token yet.
    case unverified
    case signInAgain, notConnected, diskFull
}

/// An event for display.
package struct EventView: Sendable {
    package let number: SequenceNumber
    package let event: Event
    let recorded: RecordedState
    /// Its goal, by current name; a retry may have moved it.
    package let goal: GoalSlug
    package let state: EventState
    package let attempts: Int
    /// When the event was last sent to Beeminder; nil when not since the start of the relay.
    package let lastAttempt: UnixTime?
    /// Why the event waits or was refused, in words; nil when nothing is known.
    package let lastError: String?
    /// When the event is tried next; nil when that depends on a person, or nothing is to be sent.
    package let nextAttempt: Monotonic?
    /// Whether the user has undone the event while Beeminder may still have it.
    package let isBeingErased: Bool
    /// Whether the event may be at a goal that it has left and that is in no list.
    package let isLeftBehind: Bool
    /// The other events of its datapoint.
    package let merges: [EventKey]
    /// The event of whose datapoint it is a part.
    package let mergedInto: EventKey?

    /// Its value: the newest of a revised event.
    package var value: Double { recorded.value ?? event.value }
    /// When the event happened, as sent to Beeminder.
    package var at: UnixTime { recorded.at ?? event.at }
    /// Its final state, if it has one.
    package var settlement: Settlement? { recorded.settlement }
    /// The datapoint that Beeminder has of it, if one is known.
    package var arrival: RecordedState.Arrival? { recorded.arrival }
    /// The guard of its preset that keeps the event from being sent, if one does and is known.
    package var guardedBy: PresetGuard? { recorded.guardian(of: event) }
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

/// The state of a press, as the API names it.
package enum EventState: String, Sendable, CaseIterable {
    /// The event waits to be sent.
    case queued
    /// The event was sent and is not answered yet.
    case sending
    /// Beeminder has the event.
    case delivered
    /// The event waits for a person: goal gone, another account, or the clock not set.
    case held
    /// Beeminder refused the event.
    case refused
    /// The user has undone the event.
    case undone
    /// Its preset's guard rejected the event as one press too many; it is not a datapoint.
    case guarded
    /// The event is part of another event's datapoint.
    case merged

    /// Whether the event is, or will be, a datapoint or a part of one.
    package var countsAsDatapoint: Bool {
        switch self {
        case .queued, .sending, .delivered, .held, .merged: true
        case .refused, .undone, .guarded: false
        }
    }
}

extension EventView {
    /// An event of the history, for display.
    package init(past entry: Recovered.Entry) {
        let recorded = entry.recorded
        let state: EventState =
            switch recorded.settlement {
            case .delivered: recorded.isLeftOut ? .undone : .delivered
            case .refused: .refused
            case .undone: .undone
            case .guarded: .guarded
            case .merged: .merged
            case nil: .queued
            }
        self.init(
            number: entry.number, event: entry.event, recorded: recorded,
            goal: recorded.goal ?? entry.event.goal, state: state,
            attempts: 0, lastAttempt: nil, lastError: nil, nextAttempt: nil, isBeingErased: false,
            isLeftBehind: false, merges: [], mergedInto: nil)
    }
}

/// How things stand between the relay and Beeminder.
package enum SyncState: String, Sendable {
    case online, offline, signInAgain, notConnected, diskFull
}

/// One event as it is shown.
package struct EventView: Sendable {
    package let event: Event
    package let state: EventState
    package let attempts: Int
    package let lastError: String?
    /// What became of it, once something has.
    package let settlement: Settlement?
}

/// The latest state of everything a small device shows, replaced whole.
package struct Snapshot: Sendable {
    /// One goal.
    package struct PinnedGoal: Sendable {
        package let goal: Goal
        package let urgency: Urgency
        package let queued: Int
    }

    package let version: UInt64
    package let user: String?
    package let sync: SyncState
    package let queued: Int
    package let refused: Int
    package let goals: [PinnedGoal]
}

extension RelayCore {
    /// How many events are known, whatever became of them.
    package var knownEvents: Int { ledger.count }

    /// How many wait for Beeminder.
    package var pendingEvents: Int { ledger.pendingCount }

    /// How many Beeminder will not have.
    package var refusedEvents: Int { ledger.refusedCount }

    /// When the oldest of those that wait arrived; nil when none does.
    package var oldestPending: UnixTime? {
        let first = delivery.lanes.values.compactMap(\.waiting.first).min()
        return first.flatMap { ledger[$0]?.event.arrival.wall }
    }

    /// The goals whose presses wait because Beeminder knows no such goal, sorted.
    package var missingGoals: [GoalSlug] {
        delivery.lanes.filter(\.value.isHeld).keys
            .sorted { $0.description < $1.description }
    }

    /// What the journal must hold.
    package var live: LiveSize { LiveSize(events: ledger.count, bytes: ledger.bytes) }

    /// How things stand.
    package var sync: SyncState {
        if isDiskFull || ledger.heldBytes >= heldBytes { return .diskFull }
        switch delivery.remote {
        case .notConnected: return .notConnected
        case .signInAgain: return .signInAgain
        case .misdirected, .resting, .waiting: return .offline
        case .open: return delivery.failures == 0 ? .online : .offline
        }
    }

    /// The event that this device calls so.
    package func event(_ key: EventKey) -> EventView? {
        guard let entry = ledger[key], entry.progress != .uncommitted else { return nil }
        var settlement: Settlement?
        if case .settled(let end) = entry.progress { settlement = end }
        return EventView(
            event: entry.event, state: state(of: entry), attempts: entry.attempts,
            lastError: entry.lastError, settlement: settlement)
    }

    /// The snapshot of the most urgent goals.
    ///
    /// - Parameter limit: how many at most.
    package func snapshot(at now: UnixTime, limit: Int = 20) -> Snapshot {
        let shown = goals.goals.prefix(limit).map { goal in
            let lane = GoalSlug(goal.slug).flatMap { delivery.lanes[$0] }
            return Snapshot.PinnedGoal(
                goal: goal, urgency: goal.urgency(at: now), queued: lane?.waiting.count ?? 0)
        }
        return Snapshot(
            version: version, user: goals.user, sync: sync, queued: ledger.pendingCount,
            refused: ledger.refusedCount, goals: Array(shown))
    }
}

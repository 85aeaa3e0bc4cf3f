/// The relay as people and devices see it: it answers and changes nothing. It reads the core where
/// that is, so an answer holds for this turn of the loop, and not beyond an `await`.
package struct CoreView {
    let core: RelayCore

    var days: Days { core.days }
    var reconciliation: Reconciliation { core.reconciliation }

    /// Increases with every change except the passing of time.
    package var version: UInt64 { core.version }

    /// The user whose folder this is, durable or not yet; nil before Beeminder has named one.
    package var folderUser: FolderUser? { core.account.user }

    /// The goals of the account, as Beeminder last reported them.
    package var goals: GoalBook { core.goals }

    /// Whether the last attempt to accept something found no free space.
    package var isDiskFull: Bool { core.commits.isDiskFull }

    /// Whether the last delivery attempt left its event in the queue.
    package var lastDeliveryFailed: Bool { core.status.lastFailed }

    /// Whether the relay's own clock is right. Nothing is sent before it is.
    package var isClockSound: Bool { core.clock.isSound }

    /// The user's time zone by Beeminder's name, if this machine does not know it.
    package var unknownZone: String? { core.goals.unknownZone }

    /// Whether presses wait for others to merge with.
    package var hasOpenWindows: Bool { !core.windows.isClosed }

    /// The number of events that wait for Beeminder.
    package var pendingEvents: Int { core.ledger.pendingCount }

    /// The number of events that Beeminder refused.
    package var refusedEvents: Int { core.ledger.refusedCount }

    /// The number of datapoints that wait to be deleted.
    package var waitingDeletions: Int { core.ledger.erasingCount }

    /// The number of events that wait for a person.
    package var heldEvents: Int {
        if core.account.isOther || core.delivery.needsPerson { return core.ledger.pendingCount }
        let ofGoals = core.delivery.queues.values.reduce(0) { $0 + ($1.isHeld ? $1.count : 0) }
        return ofGoals + core.waits.count(for: .clock) + core.waits.count(for: .goal)
    }

    /// How many seconds the oldest waiting event has waited; nil without any.
    package func oldestPendingSeconds(at now: Moment) -> Int64? {
        let queued = core.delivery.queues.values.compactMap(\.oldest)
        return waitingSeconds(of: (queued + core.waits.untimed.prefix(1)).min(), at: now)
    }

    func waitingSeconds(of number: SequenceNumber?, at now: Moment) -> Int64? {
        guard let event = number.flatMap({ core.ledger[$0]?.event }) else { return nil }
        return max(0, milliseconds(since: event, at: now) / 1_000)
    }

    /// The goals with waiting presses that Beeminder does not know, sorted.
    package var missingGoals: [GoalSlug] {
        core.delivery.queues.filter { $0.value.trouble == .missing }.map(\.key).sortedByName
    }

    /// The names of goals with waiting presses that are gone, and whose names other goals have now.
    package var takenGoals: [GoalSlug] {
        let goals = core.waits.events(for: .goal).compactMap { number in
            core.ledger[number].map { core.goals.goal(of: $0) }
        }
        return Set(goals).sortedByName
    }

    /// The goals to which Beeminder does not let the account log, or for which another server
    /// answers, while the account itself works; sorted.
    package var barredGoals: [GoalSlug] {
        guard core.delivery.remote == .open else { return [] }
        return core.delivery.queues.filter { $0.value.isHeld && $0.value.trouble != .missing }
            .map(\.key).sortedByName
    }

    /// Devices with so many waiting presses that no more are accepted, sorted.
    package var crowdingDevices: [DeviceIdentity] {
        core.ledger.waitingBytes.exhausted.sortedByName
    }

    /// Devices with so many presses that did not count or were undone that no more are accepted
    /// for now, sorted.
    package func devicesOverQuota(at now: Moment) -> [DeviceIdentity] {
        core.discardQuota.exhausted(at: now.monotonic).sortedByName
    }

    /// Goals with so many refused presses that no more are accepted, sorted.
    package var crowdingGoals: [GoalSlug] {
        core.ledger.refusedBytes.exhausted.sortedByName
    }

    /// The number of events of a device that wait. It looks at all events.
    package func waitingEvents(of device: DeviceIdentity) -> Int {
        core.ledger.all.count { $0.progress == .pending && $0.event.key.identity == device }
    }

    /// The number of waiting events of each goal that has some, by its current name, including
    /// parts of merged datapoints.
    package var waitingByGoal: [GoalSlug: Int] {
        core.ledger.pendingByGoal.reduce(into: [:]) { counts, entry in
            if entry.value > 0 { counts[core.goals.current(entry.key), default: 0] += entry.value }
        }
    }

    /// The state of the connection with Beeminder.
    package var sync: SyncState {
        if core.commits.isDiskFull { return .diskFull }
        switch core.delivery.remote {
        case .notConnected: return .notConnected
        case .waiting(.token, _): return .signInAgain
        case .waiting: return core.account.isOther ? .signInAgain : .offline
        case .open:
            if core.account.isOther { return .signInAgain }
            guard core.delivery.failures == 0, core.clock.isSound,
                core.clock.isCompared || !core.refresh.isFailing
            else { return .offline }
            return core.account.isVerified ? .online : .unverified
        }
    }

    /// The presses of the folder's user that wait or are refused: none may be lost, and none may go
    /// to another user. It looks at all events.
    package var unsettledEvents: Int {
        core.ledger.all.count { entry in
            !entry.progress.isAtRest || core.commits.command(of: entry.number) != nil
                || entry.isToBeSent
        }
    }

    /// The state of the relay's clock.
    package func clockState(at reading: Moment) -> ClockState {
        core.clock.state(reading)
    }

    /// Names this boot of the machine.
    package var boot: String { core.boot }

    // MARK: The account

    /// Whether Beeminder has said whose the token is.
    package var isVerified: Bool { core.account.isVerified }

    /// Whether a request for the user of the token is under way and has not failed.
    package var isVerifying: Bool {
        !isVerified && core.refresh.isAsking && !core.refresh.isFailing
    }

    /// The user of the token, as named by Beeminder; nil until then.
    package var user: String? { core.account.name }

    /// Whether this is certainly not the folder's user.
    package func isOther(_ user: UpstreamUser) -> Bool {
        core.account.user?.likeness(of: user) == .other
    }
}

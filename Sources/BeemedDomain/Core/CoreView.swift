/// The relay as people and devices see it: a copy of the core's parts, which answers and changes
/// nothing.
///
/// It is made for one question and not kept, least of all over an `await`: a change of the core would
/// copy all events.
package struct CoreView: Sendable {
    let ledger: Ledger
    package let goals: GoalBook
    /// The pinned goals, in order.
    let pins: [GoalSlug]
    let days: Days
    let reconciliation: Reconciliation
    let delivery: DeliveryScheduler
    let waits: WaitingEvents
    let refresh: GoalRefresh
    let clock: ClockWatch
    let account: AccountState
    let discardQuota: DeviceQuota
    let status: DeliveryStatus
    /// Whether the last attempt to accept something found no free space.
    package let isDiskFull: Bool
    /// Whether events may be sent at all.
    let maySend: Bool
    let version: UInt64

    /// Whether the last delivery attempt left its event in the queue.
    package var lastDeliveryFailed: Bool { status.lastFailed }

    /// Whether the relay's own clock is right. Nothing is sent before it is.
    package var isClockSound: Bool { clock.isSound }

    /// Whether presses wait for others to merge with.
    package var hasOpenWindows: Bool { !reconciliation.merging.isClosed }

    /// The number of events that wait for Beeminder.
    package var pendingEvents: Int { ledger.pendingCount }

    /// The number of events that Beeminder refused.
    package var refusedEvents: Int { ledger.refusedCount }

    /// The number of datapoints that wait to be deleted.
    package var waitingDeletions: Int { ledger.erasingCount }

    /// The number of events that wait for a person.
    package var heldEvents: Int {
        if account.isOther || delivery.needsPerson { return ledger.pendingCount }
        let ofGoals = delivery.queues.values.reduce(0) { $0 + ($1.isHeld ? $1.count : 0) }
        return ofGoals + waits.count(for: .clock) + waits.count(for: .goal)
    }

    /// How many seconds the oldest waiting event has waited; nil without any.
    package func oldestPendingSeconds(at now: Moment) -> Int64? {
        let queued = delivery.queues.values.compactMap(\.oldest)
        return waitingSeconds(of: (queued + waits.untimed.prefix(1)).min(), at: now)
    }

    func waitingSeconds(of number: SequenceNumber?, at now: Moment) -> Int64? {
        guard let event = number.flatMap({ ledger[$0]?.event }) else { return nil }
        return max(0, milliseconds(since: event, at: now) / 1_000)
    }

    /// The goals with waiting presses that Beeminder does not know, sorted.
    package var missingGoals: [GoalSlug] {
        delivery.queues.filter { $0.value.trouble == .missing }.keys.sortedByName
    }

    /// The names of goals with waiting presses that are gone, and whose names other goals have now.
    package var takenGoals: [GoalSlug] {
        let goals = waits.events(for: .goal).compactMap { number in
            ledger[number].map { self.goals.goal(of: $0) }
        }
        return Set(goals).sortedByName
    }

    /// The goals to which Beeminder does not let the account log, or for which another server
    /// answers, while the account itself works; sorted.
    package var barredGoals: [GoalSlug] {
        guard delivery.remote == .open else { return [] }
        return delivery.queues.filter { $0.value.isHeld && $0.value.trouble != .missing }.keys
            .sortedByName
    }

    /// Devices with so many waiting presses that no more are accepted, sorted.
    package var crowdingDevices: [DeviceIdentity] {
        ledger.waitingBytes.exhausted.sortedByName
    }

    /// Devices with so many presses that did not count or were undone that no more are accepted
    /// for now, sorted.
    package func devicesOverQuota(at now: Moment) -> [DeviceIdentity] {
        discardQuota.exhausted(at: now.monotonic).sortedByName
    }

    /// Goals with so many refused presses that no more are accepted, sorted.
    package var crowdingGoals: [GoalSlug] {
        ledger.refusedBytes.exhausted.sortedByName
    }

    /// The number of events of a device that wait. It looks at all events.
    package func waitingEvents(of device: DeviceIdentity) -> Int {
        ledger.all.count { $0.progress == .pending && $0.event.key.identity == device }
    }

    /// The number of waiting events of each goal that has some, by its current name, including
    /// parts of merged datapoints.
    package var waitingByGoal: [GoalSlug: Int] {
        ledger.pendingByGoal.reduce(into: [:]) { counts, entry in
            if entry.value > 0 { counts[goals.current(entry.key), default: 0] += entry.value }
        }
    }

    /// The state of the connection with Beeminder.
    package var sync: SyncState {
        if isDiskFull { return .diskFull }
        switch delivery.remote {
        case .notConnected: return .notConnected
        case .waiting(.token, _): return .signInAgain
        case .waiting: return account.isOther ? .signInAgain : .offline
        case .open:
            if account.isOther { return .signInAgain }
            guard delivery.failures == 0, clock.isSound, clock.isCompared || !refresh.isFailing
            else { return .offline }
            return account.isVerified ? .online : .unverified
        }
    }

    /// The presses of the folder's user that wait or are refused: none may be lost, and none may go
    /// to another user. It looks at all events.
    package var unsettledEvents: Int {
        ledger.all.count { entry in
            !entry.progress.isAtRest || entry.command != nil
                || reconciliation.merging.isToBeSent(entry)
        }
    }

    /// The state of the relay's clock.
    package func clockState(at reading: Moment) -> ClockState {
        clock.trust.state(reading, isSound: clock.isSound)
    }

    /// Names this boot of the machine.
    package var boot: String { clock.boot }

    // MARK: The account

    /// Whether Beeminder has said whose the token is.
    package var isVerified: Bool { account.isVerified }

    /// Whether a request for the user of the token is under way and has not failed.
    package var isVerifying: Bool { !isVerified && refresh.isAsking && !refresh.isFailing }

    /// The user of the token, as named by Beeminder; nil until then.
    package var user: String? { account.name }

    /// Whether this is certainly not the folder's user.
    package func isOther(_ user: UpstreamUser) -> Bool {
        account.user?.likeness(of: user) == .other
    }
}

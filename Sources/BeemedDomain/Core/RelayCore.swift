/// The relay's state and decisions as a value. `apply` is deterministic: clock, disk, network and
/// randomness come in as arguments and inputs and go out as effects, so that years of faults can be
/// simulated from a seed.
///
/// Invariant: a record is appended, the journal's receipt comes back, and only then is a reply
/// given or a request sent.
package struct RelayCore: Sendable {
    /// A request that waits for a record to be durable.
    struct Waiting: Sendable {
        /// The requested operation.
        enum Purpose: Sendable, Equatable {
            case press, repetition, command
        }

        var replyID: ReplyID
        /// The event.
        var number: SequenceNumber
        /// The record whose receipt it waits for.
        var until: SequenceNumber
        var purpose: Purpose
    }

    var ledger: Ledger
    var delivery: DeliveryScheduler
    package internal(set) var goals: GoalBook
    /// The pinned goals, in order.
    package internal(set) var pins: [GoalSlug] = []
    var refresh = GoalRefresh()
    var receipt: Receipt
    var next: SequenceNumber
    /// The last recovered record. The receipt is lower when the disk could not be written at the
    /// start: these records are then known but not confirmed durable.
    let recovered: SequenceNumber
    var waiting = Queue<Waiting>()
    /// Records about events that are not durable yet, in order.
    var unwritten = Queue<Record>()
    /// Facts that must be recorded but found no room.
    var deferred: [Record.Fact] = []
    /// When to check for room again.
    var roomCheckAt: Monotonic?
    /// How often there was no room. Records of an earlier epoch are no longer written.
    package internal(set) var epoch: UInt64 = 0
    var randomness: Randomness
    private var alarm: Monotonic?
    let boot: String
    /// Whether the last attempt to accept something found no room.
    package internal(set) var isDiskFull = false
    /// The record whose receipt shows that there is room again. Records about settled events do not
    /// show it: they are written as long as there is any room.
    var roomProof: SequenceNumber?
    /// Whether the last delivery attempt left its event in the queue.
    package internal(set) var lastDeliveryFailed = false
    /// When a request was last sent or answered, or the queue was last empty.
    var lastMove: Monotonic?
    /// Events that replaced a datapoint of another source, the newest last.
    var overwritten: [SequenceNumber] = []
    /// Increases with every change except the passing of time.
    package internal(set) var version: UInt64

    // MARK: Time

    var clock: ClockTrust
    /// Whether the relay's own clock is right. Nothing is sent before it is.
    package internal(set) var isClockSound = false
    /// Whether the clock has been compared with Beeminder's, or cannot be.
    var isClockChecked = false
    /// Whether the clock is known to be wrong; then Beeminder's time is used.
    var isClockWrong = false
    /// Whether Beeminder, or several devices that agree, have given the time.
    var isTimeKnown = false
    /// When the relay last learned that its time was wrong.
    var timeLearned = Monotonic(milliseconds: .min)
    /// Events that were being written at that moment.
    var overtaken: [SequenceNumber] = []
    /// Repaired times that are not durable yet, those in `deferred` included.
    var unwrittenTimes = 0
    /// Events whose time must be repaired once they are durable.
    var untimed: [SequenceNumber] = []

    // MARK: The account

    /// The current connection, or the last one.
    var connection: ConnectionName?
    /// The user of each connection.
    var users: ConnectionUsers
    /// Events that were accepted for another user than the connected one.
    var parked: Set<SequenceNumber> = []
    /// Whether Beeminder cannot tell the user of the connection.
    var isUserUnknowable = false
    /// Whether the goals being fetched belong to an earlier connection.
    var isFetchStale = false

    // MARK: Goals that are not in the list

    /// Requests that wait for Beeminder's answer whether a goal exists.
    var questions: [Question] = []
    /// Names that Beeminder has just rejected, each with the end of the period of local refusal.
    var missing: [GoalSlug: Monotonic] = [:]
    /// Names outside of the list to which presses were accepted.
    var unlisted: Set<GoalSlug> = []
    /// When the list unexpectedly became empty.
    var emptySince: Monotonic?

    // MARK: Presets and days

    var totals = DailyTotals()
    var uses = PresetUses()
    var windows = MergeWindows()
    var groups = MergeGroups()
    var days = DayBounds()
    /// Presses for which it is still open whether they are the first of their day.
    var provisional: Set<SequenceNumber> = []

    /// A relay that continues where the journal ends.
    ///
    /// - Parameters:
    ///   - recovered: the contents of the journal.
    ///   - receipt: the journal's proof that all of it is durable.
    ///   - boot: names this boot of the machine, for the monotonic times in records.
    ///   - seed: for random delays and generated ids.
    ///   - clockFloor: a time below this is wrong.
    ///   - heldBytes: the journal bytes that undelivered events may use.
    ///   - remembered: how many settled events stay known.
    ///   - togetherFrom: the number of waiting events of one goal that are sent in a batch.
    ///   - asksUpstreamTime: whether Beeminder's answers give the time (`Input.heardTime`). Then
    ///     nothing is sent before the clock has been compared with it.
    package init(
        _ recovered: Recovered, under receipt: Receipt, goals: GoalBook = GoalBook(),
        boot: String, seed: UInt64, clockFloor: UnixTime = TimeRules.earliest,
        heldBytes: Int = RelayCore.heldBytes, togetherFrom: Int = DatapointBatch.from,
        remembered: Int = Recovered.rememberedEvents, asksUpstreamTime: Bool = false
    ) {
        self.receipt = receipt
        self.goals = goals
        self.boot = boot
        ledger = Ledger(retention: Retention.Limits(events: remembered), capacity: heldBytes)
        delivery = DeliveryScheduler(togetherFrom: togetherFrom)
        next = recovered.next
        self.recovered = SequenceNumber(recovered.next.value - 1)
        isDiskFull = recovered.recoveryReport.obstacle != nil
        version = recovered.next.value
        randomness = Randomness(seed: seed)
        clock = ClockTrust(
            earliest: clockFloor, lastReceipt: recovered.lastReceipt,
            asksUpstream: asksUpstreamTime)
        if isDiskFull { roomCheckAt = Monotonic(milliseconds: .min) }
        users = ConnectionUsers(
            journaled: recovered.users, cached: goals.users,
            borne: recovered.entries.lazy.compactMap(\.event.connection))
        ledger.reserve(recovered.entries.count)
        for entry in recovered.entries { ledger.restore(entry) }
        for entry in recovered.entries { restoreGroup(entry) }
        for entry in recovered.entries { resume(entry.number) }
        for entry in recovered.entries {
            if case .delivered(.overwritten, _)? = entry.settlement {
                noteOverwritten(entry.number)
            }
        }
        forgetSurplus()
    }

    /// Processes one input and returns the effects.
    package mutating func apply(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        apply(input, at: now, &effects)
        return effects
    }

    /// The same, but appends the effects to the caller's list, which saves one allocation per
    /// press.
    package mutating func apply(_ input: Input, at reading: Moment, _ effects: inout [Effect]) {
        let wasTimeKnown = isTimeKnown
        let hasOtherTime = hear(input, at: reading)
        let now = judgeClock(reading)
        // The clock may have been set wrong and then right again, with presses in between.
        if hasOtherTime || isTimeKnown && !wasTimeKnown {
            timeLearned = now.monotonic
            repairPending(now, &effects)
        }
        switch input {
        case .heardTime: break
        case .pressed(let press, let replyID):
            take(press, replyID, now, isAsked: false, &effects)
        case .undone(let key, let replyID): undo(key, replyID, &effects)
        case .retried(let key, let goal, let replyID):
            retry(key, goal, replyID, now, isAsked: false, &effects)
        case .committed(let receipt): commit(receipt, &effects)
        case .rejected(let epoch, let receipt):
            commit(receipt, &effects)
            withdraw(epoch, now, &effects)
        case .delivered(let batch, let result):
            settle(batch, result, now, &effects)
        case .erased(let deletion, let outcome): settle(deletion, outcome, now, &effects)
        case .fetched(let answer):
            learn(answer, now, &effects)
            hastenWindows(now)
        case .connected(let name, let user): connect(name, user, now, &effects)
        case .disconnected:
            delivery.disconnect()
            refresh.stop()
            acceptQuestions(now, &effects)
            version += 1
        case .flushRequested, .stopping:
            closeAllWindows()
            tryEverything()
        case .reachable: tryEverything()
        case .goalDoubted(let goal, let replyID): lookFor(goal, replyID, now, &effects)
        case .goalsRequested: if delivery.remote != .notConnected { refresh.askNow() }
        case .pinned(let list):
            pins = list
            version += 1
        case .woke: alarm = nil
        }
        proceed(now, &effects)
    }

    /// The journal bytes that undelivered events may use. Beyond that no press is accepted: a start
    /// must be able to read them all.
    package static let heldBytes = 64 << 20
    /// Seconds until the next check for room.
    static let roomCheckSeconds = 5.0

    /// Ends all delays after failures, also of the requests on which deliveries depend.
    private mutating func tryEverything() {
        delivery.flush()
        let isBarred = refresh.isFailing || !isUserSettled || !isClockChecked
        switch delivery.remote {
        case .notConnected, .waiting: break
        case .open, .resting: if isBarred { refresh.askNow() }
        case .signInAgain, .misdirected: refresh.askNow()
        }
    }

    /// Starts all possible requests, and requests a wake-up for the rest.
    private mutating func proceed(_ now: Moment, _ effects: inout [Effect]) {
        checkRoom(now, &effects)
        acceptLateQuestions(now, &effects)
        repairTimes(now, &effects)
        judgeProvisional(&effects)
        closeWindows(now)
        forgetSurplus()
        startRequests(now, &effects)
        if delivery.remote != .notConnected, refresh.start(at: now.monotonic) {
            effects.append(.fetchGoals(since: refresh.wantsAll ? nil : goals.updatedAt))
        }
        let delivering = mustNotSend ? clockCheck(now) : nextDelivery(now)
        let refreshing = delivery.remote == .notConnected ? nil : refresh.wake
        let soonest = Monotonic.soonest(
            Monotonic.soonest(delivering, refreshing),
            Monotonic.soonest(
                questions.first?.until,
                Monotonic.soonest(roomCheckAt, windows.nextClose)))
        if soonest != alarm {
            alarm = soonest
            effects.append(.wake(at: soonest))
        }
    }

    private func nextDelivery(_ now: Moment) -> Monotonic? {
        isUserSettled ? delivery.nextWake(after: now.monotonic) : nil
    }

    // MARK: The clock

    /// Repairs the time of events that arrived before the clock was right, before they are sent.
    private mutating func repairTimes(_ now: Moment, _ effects: inout [Effect]) {
        repairOvertaken(now, &effects)
        guard isClockSound, isClockChecked, !untimed.isEmpty else { return }
        let numbers = untimed
        untimed = []
        for number in numbers {
            guard let entry = ledger[number], entry.awaitsTime else { continue }
            append(.timed(of: number, at: entry.event.repairedTime(at: now, boot: boot)), &effects)
        }
    }

    /// When to check the clock again: the system does not report when it is set.
    private func clockCheck(_ now: Moment) -> Monotonic? {
        guard ledger.pendingCount + ledger.erasingCount > 0 else { return nil }
        return now.monotonic.adding(seconds: ClockTrust.checkSeconds)
    }
}

extension Recovered {
    /// The last receipt time by a right clock: the last, not the latest, since a clock that was set
    /// back in between was wrong before.
    fileprivate var lastReceipt: UnixTime {
        entries.last { !$0.event.isTimeUnsure }?.event.arrival.wall ?? UnixTime(.min / 2)
    }
}

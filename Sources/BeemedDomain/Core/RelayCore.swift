/// The whole relay as a value: what it knows and what it decides. `apply` is a fold, with no
/// clock, disk, network or chance inside: they come in as arguments and inputs and go out as
/// effects, so that years of trouble can be simulated from a seed.
///
/// The order that must never be broken: a record is appended, the journal's receipt comes back,
/// and only then is anybody told or anything sent.
package struct RelayCore: Sendable {
    /// Somebody who waits for a record to be durable.
    struct Waiting: Sendable {
        /// What was asked for.
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
    /// The last record that was recovered. The receipt is below it when the disk could not be
    /// written to at the start: then those are known and not vouched for.
    let recovered: SequenceNumber
    var waiting = Queue<Waiting>()
    /// Records about events that are not durable yet, in order.
    var unwritten = Queue<Record>()
    /// What must be recorded and could not be, for want of room.
    var deferred: [Record.Fact] = []
    /// When to look whether there is room again.
    var roomCheckAt: Monotonic?
    /// How often there was no room. Records of an earlier epoch are not written any more.
    package internal(set) var epoch: UInt64 = 0
    var randomness: Randomness
    private var alarm: Monotonic?
    let boot: String
    /// Whether the last attempt to accept something found no room.
    package internal(set) var isDiskFull = false
    /// The record that will show that there is room again. What has become of events does not: it
    /// is written as long as there is any.
    var roomProof: SequenceNumber?
    /// Whether the last attempt to deliver left its event in the queue.
    package internal(set) var lastDeliveryFailed = false
    /// When something was last sent or answered, or there was nothing to send.
    var lastMove: Monotonic?
    /// Events that replaced a datapoint which was not theirs, the newest last.
    var overwritten: [SequenceNumber] = []
    /// Grows whenever something but the time has changed.
    package internal(set) var version: UInt64

    // MARK: Time

    var clock: ClockTrust
    /// Whether the relay's own clock is right. Until it is, nothing is sent.
    package internal(set) var isClockSound = false
    /// Whether the time of what is sent has been compared with Beeminder's, where that can be.
    var isClockChecked = false
    /// Whether the clock is known to be wrong; then Beeminder's time counts.
    var isClockWrong = false
    /// Whether Beeminder, or devices that agree, have told the time.
    var isTimeKnown = false
    /// When the relay last learned that its time is another one.
    var timeLearned = Monotonic(milliseconds: .min)
    /// Events that were on their way to the disk then.
    var overtaken: [SequenceNumber] = []
    /// Repaired times that are on their way to the disk.
    var unwrittenTimes = 0
    /// Events whose time is to be repaired when it is.
    var untimed: [SequenceNumber] = []

    // MARK: The account

    /// The connection that is used, or was last.
    var connection: ConnectionName?
    /// Whose each connection is.
    var users: ConnectionUsers
    /// Events that were accepted for somebody else than who is connected.
    var parked: Set<SequenceNumber> = []
    /// Nobody can say whose the connection is.
    var isUserUnknowable = false
    /// The goals that are being asked for are those of an earlier connection.
    var isFetchStale = false

    // MARK: Goals that are not in the list

    /// What waits for Beeminder to say whether there is such a goal.
    var questions: [Question] = []
    /// Names that Beeminder has just said not to know, and until when they are refused for that.
    var missing: [GoalSlug: Monotonic] = [:]
    /// Names that are in no list, and to which presses were accepted all the same.
    var unlisted: Set<GoalSlug> = []
    /// Since when the list is suddenly empty.
    var emptySince: Monotonic?

    // MARK: Presets and days

    var totals = DailyTotals()
    var uses = PresetUses()
    var windows = MergeWindows()
    var groups = MergeGroups()
    var days = DayBounds()
    /// Presses of which it is still open whether they are the first of their day.
    var provisional: Set<SequenceNumber> = []

    /// A relay that goes on where the journal ends.
    ///
    /// - Parameters:
    ///   - recovered: what the journal held.
    ///   - receipt: the journal's word that all of that is durable.
    ///   - boot: names this boot of the machine, for the monotonic times in records.
    ///   - seed: for the chance in waiting times and minted ids.
    ///   - clockFloor: the clock cannot be right below this.
    ///   - heldBytes: so much of the journal may be taken by what is not delivered.
    ///   - remembered: how many settled events stay known.
    ///   - togetherFrom: from so many waiting events of one goal on they travel together.
    ///   - asksUpstreamTime: whether Beeminder's answers tell the time (`Input.heardTime`), so that
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

    /// Takes one thing that happened and says what to do about it.
    package mutating func apply(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        apply(input, at: now, &effects)
        return effects
    }

    /// The same, with what to do added to a list that the caller keeps: presses come one after the
    /// other, and each would make a list of its own.
    package mutating func apply(_ input: Input, at reading: Moment, _ effects: inout [Effect]) {
        let wasTimeKnown = isTimeKnown
        let hasOtherTime = hear(input, at: reading)
        let now = judgeClock(reading)
        // Somebody may have set the clock wrong, and then right again, with presses in between.
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

    /// What of the journal may be taken by what is not delivered, in bytes. Beyond that nothing is
    /// accepted: a start must be able to read it all.
    package static let heldBytes = 64 << 20
    /// How long until the next look whether there is room again, in seconds.
    static let roomCheckSeconds = 5.0

    /// Waits for nothing that was tried before. What stands in the way of sending is asked for too.
    private mutating func tryEverything() {
        delivery.flush()
        let isBarred = refresh.isFailing || !isUserSettled || !isClockChecked
        switch delivery.remote {
        case .notConnected, .waiting: break
        case .open, .resting: if isBarred { refresh.askNow() }
        case .signInAgain, .misdirected: refresh.askNow()
        }
    }

    /// Starts whatever can be started, and asks to be woken for the rest.
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

    /// What came before the clock was right gets its time, which is written before it is sent.
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

    /// Nobody says when the clock is set, so it is looked at as long as something waits for that.
    private func clockCheck(_ now: Moment) -> Monotonic? {
        guard ledger.pendingCount + ledger.erasingCount > 0 else { return nil }
        return now.monotonic.adding(seconds: ClockTrust.checkSeconds)
    }
}

extension Recovered {
    /// The last receipt by a clock that was right: the last, not the latest, since a clock that
    /// was set back meanwhile was wrong before.
    fileprivate var lastReceipt: UnixTime {
        entries.last { !$0.event.isTimeUnsure }?.event.arrival.wall ?? UnixTime(.min / 2)
    }
}

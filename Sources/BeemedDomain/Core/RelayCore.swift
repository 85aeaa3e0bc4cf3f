/// The relay's state and decisions. `apply` is deterministic: clock, disk, network and randomness
/// come in as arguments and inputs and go out as effects, so that years of faults can be simulated
/// from a seed. It belongs to the loop, and its parts with it: objects in constants, since nothing
/// checks for exclusive access to those where they are read, some fifty times in each press. What
/// is assigned whole and not changed in place, as goals and clock, is checked neither.
///
/// Invariant: a record is appended, the journal's receipt comes back, and only then is a reply
/// given or a request sent.
package final class RelayCore {
    let ledger: Ledger
    let delivery: DeliveryScheduler
    var goals: GoalBook
    /// The pinned goals, in order.
    package internal(set) var pins: [GoalSlug]
    let waits = WaitingEvents()
    var refresh = GoalRefresh()
    let commits: CommitTracker
    var clock: ClockTrust
    /// Names this boot of the machine, for the monotonic times in records.
    let boot: String
    /// The folder's user, and the token's.
    package let account: AccountState
    let questions = GoalQuestions()
    /// The datapoints that more presses may join.
    var windows = MergeWindows()
    /// The presses that each device has logged and that are not sent.
    var discardQuota = DeviceQuota()
    var status = DeliveryStatus()
    var randomness: Randomness
    /// When this process began: an earlier one, or another relay of the cluster, may have sent
    /// until then.
    let began: Monotonic
    private var alarm: Monotonic?
    private var wasPresentDayKnown = false
    /// Increases with every change except the passing of time.
    var version: UInt64

    /// A relay that continues where the journal ends.
    package init(
        _ recovered: Recovered, under receipt: Receipt, goals: GoalBook = GoalBook(),
        pins: [GoalSlug] = [], boot: String, seed: UInt64, heldBytes: Int = RelayCore.heldBytes,
        batchThreshold: Int = DatapointBatch.threshold,
        remembered: Int = Ledger.Limits.events,
        began: Monotonic = Monotonic(milliseconds: 0)
    ) {
        (self.goals, self.pins) = (goals, pins)
        ledger = Ledger(retention: Ledger.Limits(events: remembered), capacity: heldBytes)
        delivery = DeliveryScheduler(batchThreshold: batchThreshold)
        commits = CommitTracker(
            next: recovered.next, receipt: receipt,
            isDiskFull: recovered.recoveryReport.obstacle != nil)
        self.began = began
        waits.now = began
        version = recovered.next.value
        randomness = Randomness(seed: seed)
        clock = ClockTrust(earliest: TimeRules.earliest, lastReceipt: recovered.lastReceipt)
        self.boot = boot
        account = AccountState(recovered.user, statedAt: recovered.userStatedAt)
        ledger.restore(recovered)
        for entry in ledger.all { resume(entry) }
        while ledger.hasSurplus, ledger.forgetSurplus(besides: commits.unforgettable) {}
    }

    /// Processes one input, and adds its effects to those of earlier ones.
    package func apply(_ input: Input, at reading: Moment, _ effects: inout Effects) {
        // The time in an input counts for the rest of it.
        var clock = clock
        if case .receivedTime(let time) = input {
            clock.evaluate(time, at: reading)
            // Another answer tells which time is right.
            if clock.isContested { refresh.doubt(at: reading.monotonic) }
        }
        if case .fetched(let answer) = input { clock.recordAnswer(to: answer) }
        self.clock = clock
        let now = evaluateClock(reading, &effects)
        apply(input, now, &effects)
        proceed(now, &effects)
    }

    private func apply(_ input: Input, _ now: Moment, _ effects: inout Effects) {
        switch input {
        case .receivedTime: break
        case .command(let command, let replyID): perform(command, replyID, now, &effects)
        case .rejected(let receipt):
            receive(receipt, now, &effects)
            withdraw(now, &effects)
        case .delivered(let batch, let result):
            requests.receive(result, of: batch, now, &effects)
        case .erased(let deletion, let outcome):
            requests.receive(outcome, of: deletion, now, &effects)
        case .fetched(let answer):
            accountChanges.learn(answer, now, &effects)
            merging.hastenWindows(now)
        case .connected(let token): accountChanges.connect(token, now, &effects)
        case .takenOver: accountChanges.takeOver(&effects)
        case .disconnected:
            delivery.disconnect()
            refresh.stop()
            lookup.proceedWithoutAnswer(now, &effects)
            version += 1
        case .flushRequested: flush(endsDelays: status.flushes.consume(at: now.monotonic) == nil)
        case .stopping: flush(endsDelays: true)
        case .reachable: tryEverything()
        case .goalsRequested:
            questions.askAnew()
            if delivery.mayAsk { refresh.doubt(at: now.monotonic) }
        case .pinned(let list):
            pins = list
            version += 1
        case .woke: alarm = nil
        }
    }

    /// A request asks to accept a press, and waits for the reply.
    package func accept(
        _ press: Press, _ replyID: ReplyID, at reading: Moment, _ effects: inout Effects
    ) {
        let now = evaluateClock(reading, &effects)
        let known = ledger.count
        accept(press, replyID, now, isGoalChecked: false, &effects)
        // A new press without a preset makes nothing else due before it is durable.
        let isNew = ledger.count > known
        if !isNew || press.presetOptions != nil { proceed(now, &effects) }
    }

    /// The journal has made records durable: adds the replies that depend on them. `followUp` must
    /// come in the same turn, and may come after the answers.
    package func receive(
        _ receipt: Receipt, at reading: Moment, _ effects: inout Effects
    ) {
        let now = evaluateClock(reading, &effects)
        // Before there is something to send: nothing has waited for it so far.
        requests.watchForStall(now)
        receive(receipt, now, &effects)
    }

    /// Does what else has waited for records to be durable: starts requests to Beeminder, and looks
    /// at what is due.
    package func followUp(at reading: Moment, _ effects: inout Effects) {
        let now = evaluateClock(reading, &effects)
        proceed(now, &effects)
    }

    private func perform(
        _ command: Command, _ replyID: ReplyID, _ now: Moment, _ effects: inout Effects
    ) {
        switch command {
        case .total(let total): totals.accept(total, replyID, now, &effects)
        case .undo(let key): commands.undo(key, replyID, &effects)
        case .retry(let key, let goal):
            commands.retry(key, goal, replyID, now, isGoalChecked: false, &effects)
        case .find(let goal):
            if lookup.mayUse(goal, for: .goal, replyID, now, &effects) {
                effects.reply(replyID, .usable(goal))
            }
        }
    }

    /// The journal bytes that undelivered events may use. Beyond that no press is accepted: a start
    /// must be able to read them all.
    package static let heldBytes = 64 << 20

    /// Sends what waits for others of its kind.
    ///
    /// - Parameter endsDelays: whether delays after failures end, too.
    private func flush(endsDelays: Bool) {
        for leader in windows.close(at: Monotonic(milliseconds: .max)) {
            merging.scheduleLeader(leader)
        }
        for entry in ledger.all where entry.restEnd != nil { entry.observations.restEnd = nil }
        for number in waits.timed { schedule(number) }
        if endsDelays { tryEverything() }
    }

    /// Ends all delays after failures, also of the requests on which deliveries depend.
    private func tryEverything() {
        delivery.flush()
        let isBarred = refresh.isFailing || !account.maySend || !clock.isCompared
        if delivery.mayAsk, isBarred || delivery.needsPerson { refresh.askNow() }
    }

    /// Starts all possible requests, and requests a wake-up for the rest.
    private func proceed(_ now: Moment, _ effects: inout Effects) {
        for fact in commits.takeFactsDue(at: now.monotonic) { journal(fact, &effects) }
        lookup.proceedWithoutAnswer(now, until: now.monotonic, &effects)
        repairTimes(now, &effects)
        presetRules.evaluateProvisional(&effects)
        for leader in windows.close(at: now.monotonic) { merging.scheduleLeader(leader) }
        totals.sendFollowing()
        scheduleDue()
        if ledger.hasSurplus { ledger.forgetSurplus(besides: commits.unforgettable) }
        accountChanges.offerFolder(&effects)
        if isPresentDayKnown != wasPresentDayKnown {
            wasPresentDayKnown.toggle()
            if wasPresentDayKnown { effects.emit(.presentDayKnown) }
        }
        requests.start(now, &effects)
        if delivery.remote != .notConnected, refresh.start(at: now.monotonic) {
            let since = refresh.wantsAll ? nil : goals.updatedAt
            effects.emit(.fetchGoals(since: since, names: questions.takeNames()))
        }
        var delivering: Monotonic?
        if !mustNotSend {
            delivering = maySend ? delivery.nextWake(after: now.monotonic) : nil
        } else if ledger.pendingCount + ledger.erasingCount > 0 {
            // The system does not report when the clock is set.
            delivering = now.monotonic.adding(seconds: ClockTrust.checkSeconds)
        }
        let refreshing = delivery.remote == .notConnected ? nil : refresh.wake
        let soonest = [
            delivering, refreshing, waits.nextDue,
            questions.nextEnd, commits.spaceCheckAt, windows.nextClose,
        ].reduce(nil, Monotonic.soonest)
        if soonest != alarm {
            alarm = soonest
            effects.emit(.wake(at: soonest))
        }
    }

    // MARK: The clock

    /// Repairs the time of events that arrived before the clock was right, before they are sent.
    private func repairTimes(_ now: Moment, _ effects: inout Effects) {
        guard isTimeSure else { return }
        for number in waits.events(for: .clock) {
            waits[number] = nil
            guard let entry = ledger[number], entry.awaitsTime else { continue }
            journal(
                .timed(of: number, at: entry.event.repairedTime(at: now, boot: boot)),
                &effects)
        }
    }
}

extension Recovered {
    /// The last receipt time by a right clock: the last, not the latest, since a clock that was set
    /// back in between was wrong before.
    fileprivate var lastReceipt: UnixTime {
        entries.last { !$0.event.arrival.isClockUnset }?.event.arrival.wall ?? UnixTime(.min / 2)
    }
}

/// Comparison of the relay's clock with Beeminder's.
extension RelayCore {
    /// Whether the time of a press that comes now is known for good: the clock was compared with
    /// Beeminder's.
    package var isTimeSure: Bool { clock.isSound && clock.isCompared }

    /// Whether a press can be assigned to a day for good: the days are known, and the clock was
    /// compared with Beeminder's.
    var areDaysSure: Bool { areDaysKnown && isTimeSure }

    /// Whether the user's present day is known, by the last known time zone.
    package var isPresentDayKnown: Bool {
        isTimeSure && (goals.zone != nil || account.isNameless)
    }

    /// Checks the clock again, which may have been set.
    ///
    /// - Returns: the same moment by the best known time.
    func evaluateClock(_ reading: Moment, _ effects: inout Effects) -> Moment {
        waits.now = reading.monotonic
        let before = (clock.isSound, clock.isWrong)
        let (wasCompared, wasConfirmed) = (clock.isCompared, clock.isConfirmed)
        let now = clock.evaluate(reading)
        if wasCompared, !clock.isCompared { refresh.askNow() }
        if before != (clock.isSound, clock.isWrong) { version += 1 }
        if clock.isConfirmed, !wasConfirmed {
            for entry in ledger.all { checkTime(of: entry, now, &effects) }
        }
        return now
    }

    /// Whether sending must wait: the clock has not been compared with Beeminder's, or not all
    /// repaired times are durable.
    var mustNotSend: Bool {
        !clock.isSound || !clock.isCompared || commits.hasUnwrittenTimes
    }

    /// Whether anything may be sent now.
    var maySend: Bool { !mustNotSend && account.maySend }

    /// A press taken before the time was confirmed gets the right time of its press, if that
    /// differs and it was never sent. It is computed with the monotonic clock, which counts from
    /// the boot of the machine, and only once: that clock may stop while the machine sleeps.
    func checkTime(of entry: Ledger.Entry, _ now: Moment, _ effects: inout Effects) {
        guard clock.isConfirmed, entry.awaitsTimeCheck else { return }
        entry.isTimeChecked = true
        guard let at = entry.checkedTime(at: now, boot: boot) else { return }
        journal(.timed(of: entry.number, at: at), &effects)
    }
}

/// The core's rules, each in a type of its own that refers to the core.
extension RelayCore {
    // MARK: Rules that read the core, and change nothing

    /// The relay as people and devices see it now.
    package var view: CoreView { CoreView(core: self) }

    /// The rule of the next step.
    var reconciliation: Reconciliation { Reconciliation(core: self) }

    /// The values logged on each day.
    var days: Days { Days(core: self) }

    /// The rules for the times of presses and totals, as of now.
    var times: PressTimes { PressTimes(core: self) }

    // MARK: Rules that change the core for an input

    /// The commands of the user for accepted events.
    var commands: EventCommands { EventCommands(core: self) }

    /// The totals of days.
    package var totals: Totals { Totals(core: self) }

    /// The rules of presets.
    var presetRules: PresetRules { PresetRules(core: self) }

    /// The datapoints of several presses.
    var merging: Merging { Merging(core: self) }

    /// The requests to Beeminder, and their answers.
    var requests: BeeminderRequests { BeeminderRequests(core: self) }

    /// Whether a goal exists.
    package var lookup: GoalLookup { GoalLookup(core: self) }

    /// The changes of the account and of its goals.
    var accountChanges: AccountChanges { AccountChanges(core: self) }

    // MARK: The state for others

    /// Whether the goals in the book belong to the token's user. Others are not shown.
    var areGoalsOwn: Bool { account.isVerified && account.name == goals.user }

    /// Whether the user's time zone and the goals' deadlines are known. A test server that names no
    /// user uses UTC.
    var areDaysKnown: Bool { account.isNameless || (goals.isKnown && areGoalsOwn) }

    /// Whether a request to Beeminder is under way.
    package var isSending: Bool { delivery.isSending }

    /// The size that the journal must hold.
    package var live: LiveSize {
        LiveSize(
            bytes: ledger.bytes,
            unsettledBytes: ledger.waitingBytes.total + ledger.refusedBytes.total,
            stated: min(ledger.statedFrom, account.statedAt ?? ledger.statedFrom))
    }
}

/// Read access to the relay's state.
extension RelayCore {
    /// Whether the last attempt to accept something found no free space.
    package var isDiskFull: Bool { commits.isDiskFull }

    /// Whether the last delivery attempt left its event in the queue.
    package var lastDeliveryFailed: Bool { status.lastFailed }

    /// Whether the relay's own clock is right. Nothing is sent before it is.
    package var isClockSound: Bool { clock.isSound }

    /// Whether presses wait for others to merge with.
    package var hasOpenWindows: Bool { !merging.isClosed }

    /// Whether a request to Beeminder is under way.
    package var isSending: Bool { delivery.isSending }

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

    /// The same of the oldest event that waits for Beeminder alone, and not for a person.
    func oldestSendableSeconds(at now: Moment) -> Int64? {
        let queues = delivery.queues.values.filter { !$0.isHeld }
        return waitingSeconds(of: queues.compactMap(\.oldest).min(), at: now)
    }

    private func waitingSeconds(of number: SequenceNumber?, at now: Moment) -> Int64? {
        guard let event = number.flatMap({ ledger[$0]?.event }) else { return nil }
        return max(0, milliseconds(since: event, at: now) / 1_000)
    }

    /// The goals with waiting presses that Beeminder does not know, sorted.
    package var missingGoals: [GoalSlug] {
        delivery.queues.filter { $0.value.trouble == .missing }.keys
            .sorted { $0.description < $1.description }
    }

    /// The goals to which Beeminder does not let the account log, or for which another server
    /// answers, while the account itself works; sorted.
    package var barredGoals: [GoalSlug] {
        guard delivery.remote == .open else { return [] }
        return delivery.queues.filter { $0.value.isHeld && $0.value.trouble != .missing }.keys
            .sorted { $0.description < $1.description }
    }

    /// The size that the journal must hold.
    package var live: LiveSize {
        LiveSize(
            bytes: ledger.bytes,
            unsettledBytes: ledger.waitingBytes.total + ledger.refusedBytes.total,
            stated: ledger.statements.first ?? commits.receipt.through.next)
    }

    /// Devices with so many waiting presses that no more are accepted, sorted.
    package var crowdingDevices: [DeviceIdentity] {
        ledger.waitingBytes.exhausted.sorted { $0.description < $1.description }
    }

    /// Devices with so many presses that did not count or were undone that no more are accepted
    /// for now, sorted.
    package func devicesOverQuota(at now: Moment) -> [DeviceIdentity] {
        discardQuota.exhausted(at: now.monotonic).sorted {
            $0.description < $1.description
        }
    }

    /// Goals with so many refused presses that no more are accepted, sorted.
    package var crowdingGoals: [GoalSlug] {
        ledger.refusedBytes.exhausted.sorted { $0.description < $1.description }
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
        if commits.isDiskFull { return .diskFull }
        switch delivery.remote {
        case .notConnected: return .notConnected
        case .waiting(.token, _): return .signInAgain
        case .waiting: return account.isOther ? .signInAgain : .offline
        case .open:
            if account.isOther { return .signInAgain }
            guard delivery.failures == 0, clock.isSound, clock.isCompared || !refresh.isFailing
            else { return .offline }
            return isVerified ? .online : .unverified
        }
    }

    // MARK: Events

    /// The event of that key.
    package func event(_ key: EventKey) -> EventView? {
        guard let entry = ledger[key], entry.progress != .uncommitted else { return nil }
        return view(of: entry)
    }

    /// The newest event with this id of any device of this name, also of a removed device.
    package func newestEvent(of device: DeviceName, _ id: EventID) -> EventView? {
        ledger.newestFirst().first { entry in
            entry.event.key.device == device && entry.event.key.id == id
                && entry.progress != .uncommitted
        }.map(view)
    }

    func view(of entry: Ledger.Entry) -> EventView {
        let queue = reconciliation.presentQueue(of: entry)
        let waits = entry.isOpen && !entry.awaitsTime && !account.isOther
        var leader: EventKey?
        if case .merged(let number) = entry.event.part { leader = ledger[number]?.event.key }
        return EventView(
            number: entry.number, event: entry.event, recorded: entry.recorded,
            goal: goals.goal(of: entry), state: state(of: entry), attempts: entry.attempts,
            lastAttempt: entry.lastAttempt,
            lastError: lateWords(of: entry)
                ?? (entry.leader.flatMap { ledger[$0] } ?? entry).lastError,
            nextAttempt: waits ? nextAttempt(of: entry.number, in: queue) : nil,
            isBeingErased: isBeingErased(entry),
            isLeftBehind: reconciliation.leftBehind(by: entry) != nil,
            merges: merging.parts(of: entry.number).prefix(RelayCore.maxShownParts)
                .compactMap { ledger[$0]?.event.key },
            mergedInto: leader)
    }

    /// Why an event waits for a request that may be applied late; nil when it does not.
    private func lateWords(of entry: Ledger.Entry) -> String? {
        if let words = reconciliation.leftBehind(by: entry) { return words }
        guard waits[entry.number]?.time != nil,
            entry.isOpen || entry.isRefused || !entry.recorded.leaving.isEmpty,
            revisions.restEnd(of: entry.number, at: waits.now) == nil
        else { return nil }
        let reconciliation = reconciliation
        let goal = reconciliation.formerGoals(of: entry).first
            .map { reconciliation.queue(of: $0.goal, namedBy: $0.by) }
        return "an earlier request may still be applied at '\(goal ?? queue(of: entry))': it is "
            + "asked again later"
    }

    /// When an event is sent next; nil when unknown. An event that waits for a request that may be
    /// applied late is in no queue.
    private func nextAttempt(of number: SequenceNumber, in queue: GoalSlug) -> Monotonic? {
        let end = waits[number]?.time
        return delivery.nextAttempt(for: queue, after: end ?? Monotonic(milliseconds: .min)) ?? end
    }

    /// The maximum number of parts of a merged datapoint that are listed.
    private static let maxShownParts = 100

    /// Whether Beeminder may still have an event that the user has undone.
    private func isBeingErased(_ entry: Ledger.Entry) -> Bool {
        if entry.progress == .erasing { return true }
        let leader = entry.leader ?? entry.number
        guard state(of: entry) == .undone, merging[leader] != nil,
            let datapoint = ledger[leader], datapoint.progress != .undone
        else { return false }
        // At a goal that the datapoint has left, an earlier content of it may be, or come yet.
        if !datapoint.recorded.leaving.isEmpty { return true }
        guard datapoint.mayBeThere else { return false }
        return (entry.recorded.leftOut ?? entry.recorded.last) > datapoint.recorded.shown
    }

    /// Selects the events of a list.
    package struct Filter: Sendable {
        package var states: Set<EventState>?
        package var goal: GoalSlug?
        package var device: DeviceName?
        /// Only events of this device, not of others that had its name.
        package var identity: DeviceIdentity?
        /// Only events that happened then or later.
        package var since: UnixTime?
        /// Only events that happened then or earlier.
        package var until: UnixTime?
        /// Only events with this text in them.
        package var text: SoughtText?

        /// Selects all events.
        package init() {}

        /// Whether it takes an event that `listed` has found.
        fileprivate func matches(_ view: EventView) -> Bool {
            if let device, view.event.key.device != device { return false }
            if let since, view.at < since { return false }
            if let until, view.at > until { return false }
            return text?.isIn(view) ?? true
        }
    }

    /// Events, the newest first.
    ///
    /// - Parameters:
    ///   - before: only those with a smaller number; nil begins with the newest.
    ///   - limit: the maximum number.
    /// - Returns: the events, and where the next page begins; nil at the end. A page may be short
    ///   or empty before the end, so that no request waits for a long search.
    package func events(
        _ filter: Filter, before: SequenceNumber?, limit: Int
    ) -> (events: [EventView], next: SequenceNumber?) {
        var found: [EventView] = []
        var steps = RelayCore.maxSteps
        var last = before
        for entry in ledger.newestFirst(before: before) {
            if found.count == limit || steps <= 0 { return (found, last) }
            last = entry.number
            steps -= 1
            if let view = listed(entry, filter) {
                steps -= filter.text?.steps(for: view) ?? 0
                if filter.matches(view) { found.append(view) }
            }
        }
        return (found, nil)
    }

    /// An event, if the filter may take it.
    private func listed(_ entry: Ledger.Entry, _ filter: Filter) -> EventView? {
        guard entry.progress != .uncommitted else { return nil }
        // Most entries differ in what costs less than a view.
        if let identity = filter.identity, entry.event.key.identity != identity { return nil }
        if let goal = filter.goal, entry.event.goal != goal, goals.goal(of: entry) != goal {
            return nil
        }
        if let states = filter.states, !states.contains(state(of: entry)) { return nil }
        return view(of: entry)
    }

    /// The maximum number of events searched for one page.
    private static let maxSteps = 20_000

    // MARK: Goals

    /// The snapshot of the pinned goals: those that were used last come first, and those that never
    /// were in the order of the pins. Without pins, of the most urgent goals.
    ///
    /// - Parameter limit: the maximum number of goals.
    package func snapshot(at now: Moment, limit: Int = 20) -> Snapshot {
        let now = clock.trust.corrected(now)
        let pinned = areGoalsOwn ? pins.compactMap { goals[goals.current($0)] } : []
        guard !pinned.isEmpty else { return snapshot(of: Array(shown.prefix(limit)), at: now) }
        // Of all pins: the one that was used last may be any of them.
        var snapshot = snapshot(of: pinned, at: now)
        snapshot.goals = Array(snapshot.goals.lastUsedFirst.prefix(limit))
        return snapshot
    }

    /// The same moment by the clock that counts: Beeminder's, when the relay's own is wrong.
    package func corrected(_ now: Moment) -> Moment { clock.trust.corrected(now) }

    /// The values of each goal's last days, the present one last, as Beeminder aggregates them.
    ///
    /// - Parameter count: how many days, 1 or more.
    package func dailyValues(days count: Int, at now: Moment) -> [GoalSlug: [Double]] {
        days().dailyValues(count, at: clock.trust.corrected(now).wall)
    }

    /// The snapshot of all active goals, most urgent first.
    package func overview(at now: Moment) -> Snapshot {
        snapshot(of: shown, at: clock.trust.corrected(now))
    }

    /// The goals of the connected user; those of another user must not be shown.
    private var shown: [Goal] { areGoalsOwn ? goals.goals : [] }

    private func snapshot(of list: [Goal], at now: Moment) -> Snapshot {
        let pinned = Set(pins.map { goals.current($0).description })
        let risks = goalsAtRisk(at: now).filter(\.isShown)
        let minutes = Dictionary(risks.map { ($0.goal, $0.minutesLeft) }) { $1 }
        let shown = list.compactMap { goal in
            GoalSlug(goal.slug).map { name in
                (goal, name, goals.days(deadline: goal.deadline).bounds(around: now.wall))
            }
        }
        let starts = shown.map { ($0.1, [$0.2.lowerBound, $0.2.upperBound]) }
        let days = days()
        let logged = days.logged(Dictionary(starts) { first, _ in first })
        let waiting = waitingByGoal
        let all = shown.map { goal, name, day in
            show(
                goal, logged[name], isDone: days.isDone(name, logged[name], on: day),
                queued: waiting[name] ?? 0, isPinned: pinned.contains(goal.slug),
                minutesLeft: minutes[name], now)
        }
        return Snapshot(
            version: version, user: user, sync: sync, queued: ledger.pendingCount,
            refused: ledger.refusedCount, held: heldEvents, deliveryError: deliveryError(at: now),
            goals: all, atRisk: risks)
    }

    private func show(
        _ goal: Goal, _ logged: LoggedDays?, isDone: Bool, queued: Int, isPinned: Bool,
        minutesLeft: Int64?, _ now: Moment
    ) -> Snapshot.PinnedGoal {
        Snapshot.PinnedGoal(
            goal: goal, urgency: goal.urgency(at: now.wall), queued: queued,
            today: logged?.days.first?.value ?? 0, isDoneToday: isDone,
            lastLogged: logged?.last.map { min($0, now.wall) }, lastValue: logged?.lastValue,
            isPinned: isPinned, minutesLeft: minutesLeft)
    }
}

extension [Snapshot.PinnedGoal] {
    /// The goals by the time of their last press; those without one keep their order behind them.
    fileprivate var lastUsedFirst: [Snapshot.PinnedGoal] {
        enumerated().sorted { left, right in
            let (first, second) = (left.element.lastLogged, right.element.lastLogged)
            guard first != second else { return left.offset < right.offset }
            return second.map { other in first.map { $0 > other } ?? false } ?? true
        }
        .map(\.element)
    }
}

extension RelayCore {
    /// A text that is looked for in events: in the comment, the goal and the request id, whatever
    /// the case of its letters.
    package struct SoughtText: Sendable {
        private let bytes: [UInt8]

        /// The longest text, in Unicode's characters, as the contract counts them: the search takes
        /// as many steps for each byte of a comment.
        package static let maxCharacters = 64
        /// Bytes that are compared in the time of one step of a list, about.
        private static let bytesOfStep = 256

        /// Nil for a text that is empty or too long.
        package init?(_ text: String) {
            guard (1...SoughtText.maxCharacters).contains(text.unicodeScalars.count) else {
                return nil
            }
            bytes = Array(text.lowercased().utf8)
        }

        /// Whether an event has it.
        func isIn(_ view: EventView) -> Bool {
            let event = view.event
            return [
                event.comment, view.goal.description, event.goal.description, event.key.requestID,
            ].contains { $0.lowercased().utf8.firstRange(of: bytes) != nil }
        }

        /// How many more steps of a list the search in an event takes.
        func steps(for view: EventView) -> Int {
            view.event.comment.utf8.count * bytes.count / SoughtText.bytesOfStep
        }
    }
}

/// What is shown of the relay.
extension RelayCore {
    /// How many events are known, whatever became of them.
    package var knownEvents: Int { ledger.count }

    /// Whether presses wait for others to become one datapoint with them.
    package var hasOpenWindows: Bool { windows.firstLeader != nil }

    /// Whether anything is on its way to Beeminder.
    package var isSending: Bool { delivery.isSending }

    /// How many wait for Beeminder.
    package var pendingEvents: Int { ledger.pendingCount }

    /// How many Beeminder will not have.
    package var refusedEvents: Int { ledger.refusedCount }

    /// How many datapoints are to be deleted at Beeminder.
    package var erasingEvents: Int { ledger.erasingCount }

    /// How many wait for the user whose they are to sign in again.
    package var parkedEvents: Int { parked.count }

    /// How many wait for the relay's clock to be set.
    package var untimedEvents: Int { untimed.count }

    /// When the oldest of those that wait arrived; nil when none does.
    package var oldestPending: UnixTime? {
        let first = delivery.queues.values.compactMap(\.waiting.first).min()
        let oldest = [
            first, parked.min(), untimed.first, provisional.min(), windows.firstLeader,
        ].compactMap { $0 }.min()
        return oldest.flatMap { ledger[$0]?.event.arrival.wall }
    }

    /// The goals whose presses wait because Beeminder knows no such goal, sorted.
    package var missingGoals: [GoalSlug] {
        delivery.queues.filter { $0.value.trouble == .missing }.keys
            .sorted { $0.description < $1.description }
    }

    /// The goals that Beeminder does not let the account log to, or for which something else
    /// answers, while the account itself is all right; sorted.
    package var barredGoals: [GoalSlug] {
        guard delivery.remote == .open else { return [] }
        return delivery.queues.filter { $0.value.isHeld && $0.value.trouble != .missing }.keys
            .sorted { $0.description < $1.description }
    }

    /// What the journal must hold.
    package var live: LiveSize { LiveSize(events: ledger.count, bytes: ledger.bytes) }

    /// Devices that have so many presses waiting that no more of theirs are accepted, sorted.
    package var crowdingDevices: [DeviceIdentity] {
        ledger.waiting.exhausted.sorted { $0.description < $1.description }
    }

    /// Goals that have so many refused presses that no more are accepted for them, sorted.
    package var crowdingGoals: [GoalSlug] {
        ledger.refused.exhausted.sorted { $0.description < $1.description }
    }

    /// How many events wait for Beeminder at a goal, parts of merged datapoints included.
    ///
    /// - Parameter goal: its present name.
    package func waitingEvents(for goal: GoalSlug) -> Int {
        guard goals.hasFormerNames else { return ledger.pendingByGoal[goal] ?? 0 }
        return ledger.pendingByGoal.reduce(0) { count, entry in
            goals.current(entry.key) == goal ? count + entry.value : count
        }
    }

    /// How things stand.
    package var sync: SyncState {
        if isDiskFull { return .diskFull }
        switch delivery.remote {
        case .notConnected: return .notConnected
        case .signInAgain: return .signInAgain
        case .misdirected, .resting, .waiting: return .offline
        case .open:
            guard delivery.failures == 0, isClockSound else { return .offline }
            return isVerified ? .online : .unverified
        }
    }

    // MARK: Events

    /// The event that this device calls so.
    package func event(_ key: EventKey) -> EventView? {
        guard let entry = ledger[key], entry.progress != .uncommitted else { return nil }
        return view(of: entry)
    }

    /// The newest event that any device of this name has called so, also one that is removed.
    package func newestEvent(of device: DeviceName, _ id: EventID) -> EventView? {
        ledger.identities.lazy.filter { $0.name == device }
            .compactMap { self.event(EventKey($0, id)) }
            .max { $0.number < $1.number }
    }

    func view(of entry: Ledger.Entry) -> EventView {
        let queue = queue(of: entry)
        let waits = entry.isOpen && !entry.awaitsTime && !parked.contains(entry.number)
        var leader: EventKey?
        if case .merged(let number) = entry.event.part { leader = ledger[number]?.event.key }
        return EventView(
            number: entry.number, event: entry.event, goal: goals.current(entry.goal), at: entry.at,
            state: state(of: entry), attempts: entry.attempts, lastError: entry.lastError,
            nextAttempt: waits
                ? delivery.nextAttempt(for: queue, after: Monotonic(milliseconds: .min)) : nil,
            settlement: entry.recorded.settlement, isBeingErased: isBeingErased(entry),
            merges: groups.parts(of: entry.number).prefix(RelayCore.mostShownParts)
                .compactMap { ledger[$0]?.event.key },
            mergedInto: leader)
    }

    /// Parts of one merged datapoint that are named, at most.
    private static let mostShownParts = 100

    /// Whether Beeminder may still have what a person has taken back.
    private func isBeingErased(_ entry: Ledger.Entry) -> Bool {
        if entry.progress == .erasing { return true }
        let leader = entry.leader ?? entry.number
        guard state(of: entry) == .undone, let group = groups[leader],
            ledger[leader]?.mayBeThere == true
        else { return false }
        return (entry.recorded.leftOut ?? entry.recorded.last) > group.shown
    }

    /// Which events a list is to hold.
    package struct Filter: Sendable {
        package var states: Set<EventState>?
        package var goal: GoalSlug?
        package var device: DeviceName?
        /// Only those of this device, and not of others that had its name.
        package var identity: DeviceIdentity?
        /// Only those that happened then or later.
        package var since: UnixTime?

        /// All of them.
        package init() {}

        func takes(_ view: EventView) -> Bool {
            if let states, !states.contains(view.state) { return false }
            if let goal, view.goal != goal, view.event.goal != goal { return false }
            if let device, view.event.key.device != device { return false }
            if let identity, view.event.key.identity != identity { return false }
            return since.map { view.at >= $0 } ?? true
        }
    }

    /// Events, the newest first.
    ///
    /// - Parameters:
    ///   - before: only those with a smaller number; nil begins with the newest.
    ///   - limit: how many at most.
    /// - Returns: them, and where the next page begins; nil at the end. A page may be short, or
    ///   empty, before the end: nobody is kept waiting for a long search.
    package func events(
        _ filter: Filter, before: SequenceNumber?, limit: Int
    ) -> (events: [EventView], next: SequenceNumber?) {
        var found: [EventView] = []
        var number = min(before ?? next, next).value
        var steps = RelayCore.mostSteps
        while number > 1, steps > 0 {
            number -= 1
            steps -= 1
            guard let entry = ledger[SequenceNumber(number)], entry.progress != .uncommitted else {
                continue
            }
            let view = view(of: entry)
            guard filter.takes(view) else { continue }
            found.append(view)
            if found.count == limit { break }
        }
        return (found, number > 1 ? SequenceNumber(number) : nil)
    }

    /// Numbers looked at for one page at most.
    private static let mostSteps = 20_000

    // MARK: Goals

    /// The snapshot of the pinned goals, in their order; without any, of the most urgent ones.
    ///
    /// - Parameter limit: how many at most.
    package mutating func snapshot(at now: Moment, limit: Int = 20) -> Snapshot {
        let now = clock.corrected(now)
        let pinned = isBookOurs ? pins.compactMap { goals[goals.current($0)] } : []
        return snapshot(of: Array((pinned.isEmpty ? shown : pinned).prefix(limit)), at: now)
    }

    /// The snapshot of all active goals, most urgent first.
    package mutating func overview(at now: Moment) -> Snapshot {
        snapshot(of: shown, at: clock.corrected(now))
    }

    /// The goals of the connected user; those of another user are nobody's to see.
    private var shown: [Goal] { isBookOurs ? goals.goals : [] }

    private mutating func snapshot(of list: [Goal], at now: Moment) -> Snapshot {
        let pinned = Set(pins.map { goals.current($0).description })
        var dayEnds = UnixTime(.max)
        let risks = goalsAtRisk(at: now).filter(\.isShown)
        let minutes = Dictionary(risks.map { ($0.goal.description, $0.minutesLeft) }) { $1 }
        var all: [Snapshot.PinnedGoal] = []
        for goal in list {
            let day = days.around(now.wall, deadline: goal.deadline, timezone: goals.timezone)
            dayEnds = min(dayEnds, day.upperBound)
            let isPinned = pinned.contains(goal.slug)
            all.append(show(goal, day, isPinned: isPinned, minutesLeft: minutes[goal.slug], now))
        }
        return Snapshot(
            version: version, user: user, sync: sync, queued: ledger.pendingCount,
            refused: ledger.refusedCount, goals: all, atRisk: risks,
            dayEnds: dayEnds)
    }

    private func show(
        _ goal: Goal, _ day: Range<UnixTime>, isPinned: Bool, minutesLeft: Int64?, _ now: Moment
    ) -> Snapshot.PinnedGoal {
        let slug = GoalSlug(goal.slug)
        let today = slug.map { self.today($0, day) } ?? DailyTotals.Today()
        return Snapshot.PinnedGoal(
            goal: goal, urgency: goal.urgency(at: now.wall),
            queued: slug.map(waitingEvents) ?? 0,
            today: today.sum.isFinite ? today.sum : 0,
            isDoneToday: today.isDone, lastLogged: today.last.map { min($0, now.wall) },
            isPinned: isPinned,
            minutesLeft: minutesLeft)
    }
}

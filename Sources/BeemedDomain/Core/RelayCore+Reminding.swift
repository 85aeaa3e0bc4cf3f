/// Reminders: what there is to remind of, and when it is sent.
extension RelayCore {
    /// How long before a goal derails the last call comes, in seconds.
    static let lastCallSeconds: Int64 = 7_200
    /// The lead of a goal for which Beeminder gives none, in seconds.
    static let usualLeadSeconds: Int64 = 21_600
    /// For how long a press must be undeliverable before that is reported, in seconds: most faults
    /// are over by then.
    static let stuckGrace = 120.0
    /// The greatest age of the goals on which a reminder may rest, in seconds. Older ones are asked
    /// for first: the user may have logged elsewhere.
    static let freshSeconds: Int64 = 600
    /// For how long a reminder waits for newer goals, in seconds.
    static let freshPatience = 60.0

    /// The reminders' state, for display.
    package var reminding: Reminders { reminders }

    /// Sends what there is to remind of, at most once a second: presses never wait for it, and many
    /// of them cost one look.
    func remind(_ now: Moment, _ effects: inout Effects) {
        guard reminders.isDue(at: now.monotonic) else { return }
        // A clock that is wrong would name wrong days, and disturb the user's nights.
        guard clock.isSound else { return reminders.checkAgain(at: now.monotonic, after: 60) }
        if goals.hasFormerNames { reminders.rename { goals.current($0) } }
        let calendar = calendar
        let today = calendar.day(at: now.wall)
        let time = Reminders.Time(
            now: now, today: today,
            localSecond: calendar.localSeconds(now.wall) - today.number * 86_400)
        var reasons = reasons(time, calendar)
        if mustAskGoals(for: reasons, time) {
            reasons.reminders.removeAll { $0.topic.restsOnGoals }
            reasons.schedule(next: now.wall.adding(5))
            reasons.areGoalsKnown = false
        }
        for start in reminders.start(reasons, time) { effects.append(start.effect) }
    }

    /// A request to a service has a result.
    func process(
        _ service: NotifyServiceName, _ outcome: NotifyOutcome, _ now: Moment,
        _ effects: inout Effects
    ) {
        let deadlines = goals
        let mark = reminders.process(
            service, outcome, at: now,
            left: { deadlines[$0]?.losedate.map { $0 - now.wall.seconds } }, &randomness)
        if let mark { append(.reminded(mark), &effects) }
    }

    // MARK: Newer goals

    /// Whether a reminder of a goal must wait for newer goals, which are asked for then.
    private func mustAskGoals(
        for reasons: Reminders.Reasons, _ time: Reminders.Time
    ) -> Bool {
        let isWanted = reasons.reminders.contains {
            $0.topic.restsOnGoals && reminders.isWanted($0, time)
        }
        guard isWanted, !areGoalsFresh(time.now), !refresh.isFailing else {
            reminders.awaitsGoalsSince = nil
            return false
        }
        let now = time.now.monotonic
        if let since = reminders.awaitsGoalsSince {
            return now < since.adding(seconds: RelayCore.freshPatience)
        }
        reminders.awaitsGoalsSince = now
        refresh.askNow()
        return true
    }

    private func areGoalsFresh(_ now: Moment) -> Bool {
        guard let asOf = goals.asOf, !goals.isUpstreamBusy, !refresh.isExpectingChange else {
            return false
        }
        return now.wall.seconds - asOf.seconds <= RelayCore.freshSeconds
    }

    // MARK: Reasons

    private func reasons(
        _ time: Reminders.Time, _ calendar: GoalCalendar
    ) -> Reminders.Reasons {
        var reasons = Reminders.Reasons()
        if mustSignIn {
            reasons.reminders.append(Reminder(.signIn, on: time.today))
        }
        addStuck(to: &reasons, time, calendar)
        if isBookOurs, goals.isKnown, delivery.remote != .notConnected {
            reasons.areGoalsKnown = true
            let waiting = waitingPresses(calendar)
            for goal in goals.goals { addDue(goal, waiting, to: &reasons, time, calendar) }
        }
        addRefused(to: &reasons, calendar)
        addQuietDevices(to: &reasons, time, calendar)
        reasons.reminders.sort { $0.isBefore($1) }
        return reasons
    }

    /// The presses that wait for a goal.
    private struct WaitingPresses {
        var count = 0
        /// The sum of their values.
        var sum = 0.0

        mutating func add(_ count: Int, _ value: Double) {
            self.count += count
            sum += value
        }
    }

    /// Whether nothing is sent before a person has connected another token.
    private var mustSignIn: Bool {
        if case .signInAgain = delivery.remote { true } else { account.isOther }
    }

    /// The presses that may still keep their goal from derailing, not those for a later day.
    private func waitingPresses(_ calendar: GoalCalendar) -> [GoalSlug: WaitingPresses] {
        var found: [GoalSlug: WaitingPresses] = [:]
        let inQueues = delivery.queues.values.flatMap { $0.prefix(RelayCore.maxLooked) }
        for number in Set(inQueues + waitingAside) {
            guard let entry = ledger[number], entry.progress == .pending else { continue }
            let slug = goal(of: entry)
            if let day = entry.event.daystamp, let losedate = goals[slug]?.losedate,
                day > calendar.day(of: slug, at: UnixTime(losedate - 1))
            {
                continue
            }
            let own = entry.recorded.isLeftOut ? 0 : 1
            let count = own + (counting.groups[number]?.counted ?? 0)
            found[slug, default: WaitingPresses()].add(count, amount(of: entry))
        }
        return found
    }

    private func addDue(
        _ goal: Goal, _ waiting: [GoalSlug: WaitingPresses], to reasons: inout Reminders.Reasons,
        _ time: Reminders.Time, _ calendar: GoalCalendar
    ) {
        guard let slug = GoalSlug(goal.slug), let losedate = goal.losedate else { return }
        let lead = reminders.rules.goals[goal.slug]
        let left = losedate - time.now.wall.seconds
        guard lead != .off, left > 0 else { return }
        let derails = calendar.day(of: slug, at: UnixTime(losedate - 1))
        let lastCall = min(RelayCore.lastCallSeconds, lead?.seconds ?? .max)
        let presses = waiting[slug] ?? WaitingPresses()
        var reminder: Reminder
        if left <= lastCall {
            reminder = Reminder(.lastCall(slug), on: derails)
        } else {
            reasons.schedule(next: UnixTime(losedate - lastCall))
            let begin = begin(of: goal, lead, derails, time, calendar)
            guard begin.at <= time.now.wall else { return reasons.schedule(next: begin.at) }
            reminder = Reminder(.due(slug), on: begin.day)
        }
        let coverage = goal.coverage(count: presses.count, sum: presses.sum)
        if coverage == .covered || (coverage == .unknown && left > lastCall) { return }
        reminder.minutesLeft = left / 60
        reminder.due = goal.amountDue
        reminder.isLimit = goal.terms.yaw ?? 1 < 0
        reminder.pledge = goal.pledge
        reminder.waiting = presses.count
        reasons.reminders.append(reminder)
    }

    /// When reminders of a goal begin, and the day of the first one that has not begun, or of the
    /// last one that has.
    private func begin(
        of goal: Goal, _ lead: ReminderRules.Lead?, _ derails: Daystamp, _ time: Reminders.Time,
        _ calendar: GoalCalendar
    ) -> (at: UnixTime, day: Daystamp) {
        let losedate = UnixTime(goal.losedate ?? 0)
        guard lead == nil, let days = goal.terms.leadtime, let start = goal.terms.alertstart,
            let slug = GoalSlug(goal.slug)
        else {
            return (losedate.adding(-(lead?.seconds ?? RelayCore.usualLeadSeconds)), derails)
        }
        // Beeminder reminds on each day of the lead time, from a time of day on.
        let today = calendar.day(of: slug, at: time.now.wall)
        let day = max(today, derails.adding(days: -Int64(days)))
        return (calendar.moment(in: day, of: slug, second: Int64(start)), day)
    }

    private func addStuck(
        to reasons: inout Reminders.Reasons, _ time: Reminders.Time, _ calendar: GoalCalendar
    ) {
        let now = time.now
        let risks = ledger.pendingCount == 0 ? [] : goalsAtRisk(at: now)
        let stuck = risks.filter { isUndeliverable($0.goal) }
        reminders.stuckSince = reminders.stuckSince.filter { goal, _ in
            stuck.contains { $0.goal == goal }
        }
        if ledger.pendingCount > 0 { reasons.schedule(next: now.wall.adding(60)) }
        for risk in stuck {
            let since = reminders.stuckSince[risk.goal] ?? now.monotonic
            reminders.stuckSince[risk.goal] = since
            let isLong = now.monotonic >= since.adding(seconds: RelayCore.stuckGrace)
            guard isLong || (0...10).contains(risk.minutesLeft) else { continue }
            let derails = now.wall.adding(risk.minutesLeft * 60)
            var reminder = Reminder(
                .stuck(risk.goal), on: calendar.day(of: risk.goal, at: derails))
            reminder.minutesLeft = risk.minutesLeft
            reminder.waiting = risk.waiting
            if mustSignIn { reminder.cause = .signIn }
            reminder.pledge = isBookOurs ? goals[risk.goal]?.pledge : nil
            reasons.reminders.append(reminder)
        }
    }

    /// Whether presses of a goal wait because Beeminder or the network is down.
    private func isUndeliverable(_ goal: GoalSlug) -> Bool {
        guard delivery.remote == .open, !mustSignIn, !refresh.isFailing else { return true }
        return delivery.queues[goal]
            .map { $0.failures > 0 || $0.isHeld || !$0.aside.isEmpty } ?? false
    }

    /// A refusal belongs to the day of the newest refused press, a missing goal to that of the
    /// oldest waiting one: neither is told again each day.
    private func addRefused(to reasons: inout Reminders.Reasons, _ calendar: GoalCalendar) {
        var found: [GoalSlug: Reminder] = [:]
        for event in refusedEvents(limit: 100) {
            let goal = event.goal
            let day = calendar.day(at: event.event.arrival.wall)
            guard found[goal].map({ $0.day < day }) ?? true else { continue }
            found[goal] = Reminder(.refused(goal), on: day)
            if case .refused(_, let why)? = event.settlement { found[goal]?.why = why }
        }
        for (goal, queue) in delivery.queues where queue.trouble == .missing {
            guard let first = queue.oldest.flatMap({ ledger[$0] }) else { continue }
            found[goal] = Reminder(
                .refused(goal), on: calendar.day(at: first.event.arrival.wall))
            found[goal]?.why = "Beeminder has no such goal"
            found[goal]?.waiting = queue.count
        }
        reasons.reminders += found.values
    }

    private func addQuietDevices(
        to reasons: inout Reminders.Reasons, _ time: Reminders.Time, _ calendar: GoalCalendar
    ) {
        for device in reminders.devices {
            let end = device.lastSeen.adding(device.within)
            guard end <= time.now.wall else {
                reasons.schedule(next: end)
                continue
            }
            var reminder = Reminder(.quietDevice(device.name), on: calendar.day(at: end))
            reminder.silentHours = (time.now.wall.seconds - device.lastSeen.seconds) / 3_600
            reasons.reminders.append(reminder)
        }
    }
}

extension ReminderRules.Lead {
    /// In seconds; nil for none.
    fileprivate var seconds: Int64? {
        if case .hours(let hours) = self { Int64(hours) * 3_600 } else { nil }
    }
}

extension Reminder {
    /// Urgent ones first, then what derails first.
    fileprivate func isBefore(_ other: Reminder) -> Bool {
        let mine = (topic.isUrgent ? 0 : 1, minutesLeft ?? .max, id)
        return mine < (other.topic.isUrgent ? 0 : 1, other.minutesLeft ?? .max, other.id)
    }
}

extension Reminders.Start {
    fileprivate var effect: Effect {
        switch request {
        case .send(let reminder): .remind(service, reminder)
        case .withdraw(let mark): .withdrawReminder(service, Reminder(mark.topic, on: mark.day))
        }
    }
}

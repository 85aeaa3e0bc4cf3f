/// The days of goals: the values logged today, and the first press of a day.
extension RelayCore {
    /// When a goal's days end, in seconds from midnight; nil for an unknown goal.
    package func deadline(of goal: GoalSlug) -> Int? { goals[goals.current(goal)]?.deadline }

    /// The day of a goal around a moment.
    func day(of goal: GoalSlug, around time: UnixTime) -> Range<UnixTime> {
        let book = areGoalsOwn ? goals : GoalBook()
        return book.days(of: goal).bounds(around: time)
    }

    /// Whether the user's time zone and the goals' deadlines are known. A test server that names no
    /// user uses UTC.
    var areDaysKnown: Bool { account.isNameless || (goals.isKnown && areGoalsOwn) }

    /// Whether a press can be assigned to a day for good: the days are known, and the clock was
    /// compared with Beeminder's.
    var areDaysSure: Bool { areDaysKnown && isTimeSure }

    /// Whether the time of a press that comes now is known for good: the clock was compared with
    /// Beeminder's.
    package var isTimeSure: Bool { clock.isSound && clock.isCompared }

    /// Whether the user's present day is known, by the last known time zone.
    package var isPresentDayKnown: Bool {
        isTimeSure && (goals.zone != nil || account.isNameless)
    }

    /// The values logged to a goal on a day: through this relay, unsent presses included, and from
    /// other sources, as reported by Beeminder.
    ///
    /// - Parameter entry: presses that came after this one, and are of a later time, do not count.
    func today(
        _ goal: GoalSlug, _ day: Range<UnixTime>, before entry: Ledger.Entry? = nil
    ) -> DailyTotals.Today {
        let name = goals.current(goal)
        let press = entry.map { (number: $0.number, at: $0.at) }
        let known = areGoalsOwn ? goals[name] : nil
        var today = DailyTotals.Today(of: known)
        for datapoint in known?.elsewhere ?? [] {
            let at = UnixTime(datapoint.timestamp)
            today.add(datapoint.value, at: at, SequenceNumber(0), on: day)
        }
        counting.totals.add(name, to: &today, day, before: press)
        guard let known else { return today }
        // Soon after a day has begun it may have been said of the day before.
        if known.saysDone, let asOf = goals.asOf, day.contains(asOf),
            day.contains(asOf.adding(-RelayCore.boundsSeconds))
        {
            today.isDone = true
        }
        return today
    }

    /// Finds out which datapoints of presses the user has edited or deleted at Beeminder. The names
    /// of the goals are the current ones.
    func processListings(_ list: [Goal], at now: UnixTime) {
        // A datapoint delivered meanwhile may be missing in the list; another list follows soon.
        guard !refresh.isOvertaken else { return }
        // While Beeminder works on a goal its fields may be of different moments.
        for goal in list where goal.queued != true {
            guard let slug = GoalSlug(goal.slug), !counting.totals[slug].isEmpty else { continue }
            var listed: [SequenceNumber: Double?] = [:]
            for datapoint in goal.listedDatapoints {
                for (number, value) in presses(of: datapoint, in: slug) { listed[number] = value }
            }
            let today = settledDay(of: slug, around: now)
            let change = counting.totals.compare(
                slug, listed: listed,
                isWhole: { time in
                    let hasNone = goal.todayta == false && today?.contains(time) ?? false
                    return goal.listsAllDatapoints || hasNone
                })
            for number in change.deleted {
                guard let preset = ledger[number]?.event.preset else { continue }
                counting.uses.remove(number, of: preset)
            }
            for entry in change.restored.compactMap({ ledger[$0] }) { restoreUse(entry) }
        }
    }

    /// How far Beeminder's clock may be from this one when it says that a day has nothing, in
    /// seconds.
    private static let boundsSeconds: Int64 = 600

    /// The day of a goal around a moment; nil near its bounds, where Beeminder may have another
    /// one.
    private func settledDay(
        of goal: GoalSlug, around now: UnixTime
    ) -> Range<UnixTime>? {
        let today = day(of: goal, around: now)
        let bounds = RelayCore.boundsSeconds
        let isNear = [-bounds, bounds].contains { !today.contains(now.adding($0)) }
        return isNear ? nil : today
    }

    /// The presses of a datapoint that came through this relay, each with its value there. The
    /// values of merged presses and of days' totals change through the relay: those are nil, but
    /// for a day whose newest value was refused.
    private func presses(
        of datapoint: GoalDatapoint, in goal: GoalSlug
    ) -> [(SequenceNumber, Double?)] {
        guard let requestID = datapoint.requestID,
            let entry = EventKey.all(of: requestID).lazy.compactMap({ self.ledger[$0] })
                .first(where: { self.goal(of: $0) == goal })
        else { return [] }
        let parts = counting.groups.parts(of: entry.number)
        let isLone =
            counting.groups[entry.number] == nil && (!entry.event.isTotal || entry.isRefused)
        return [(entry.number, isLone ? datapoint.value : nil)] + parts.map { ($0, nil) }
    }

    /// Whether a datapoint in Beeminder's list is of a press that came through this relay.
    func isFromHere(_ datapoint: GoalDatapoint, _ goal: GoalSlug) -> Bool {
        guard let requestID = datapoint.requestID else { return false }
        let time = datapoint.timestamp
        // Of a goal with many presses only those of late are counted.
        let isKnown = EventKey.all(of: requestID).compactMap { ledger[$0] }.contains { entry in
            counting.totals[goal, entry.number]?.mayBe(at: time) ?? (self.goal(of: entry) == goal)
        }
        if isKnown { return true }
        // Its event may be forgotten. The times first: a day may have a hundred thousand presses,
        // and presses wait meanwhile.
        return counting.totals[goal].contains { mark in
            guard mark.mayBe(at: time) else { return false }
            guard let event = ledger[mark.number]?.event else { return mark.at.seconds == time }
            return event.requestID == requestID
        }
    }

    /// Stores in each goal which of Beeminder's datapoints came from other sources.
    func sortingOut(_ list: [Goal]) -> [Goal] {
        list.map { goal in
            var goal = goal
            let slug = GoalSlug(goal.slug)
            let old = former(of: goal)
            let names = Set([slug, old.flatMap { GoalSlug($0.slug) }].compactMap { $0 })
            goal.recordDatapoints(besides: areGoalsOwn ? old?.elsewhere ?? [] : []) { datapoint in
                names.contains { isFromHere(datapoint, $0) }
            }
            return goal
        }
    }

    /// The same goal in the last list. It may have been renamed, and may have the name that another
    /// goal had then.
    private func former(of goal: Goal) -> Goal? {
        let namesake = GoalSlug(goal.slug).flatMap { goals[$0] }
        guard let id = goal.id, namesake?.id != id else { return namesake }
        return goals.goals.first { $0.id == id } ?? (namesake?.id == nil ? namesake : nil)
    }

    // MARK: Guards

    /// Applies the guards of a press: one press too many is accepted as `.guarded`. Undecided while
    /// the user's days are unknown, or the clock may be wrong: such a press is held, since a guard
    /// that was applied cannot be taken back.
    ///
    /// - Returns: the event as accepted; nil when no guard applies.
    func guarded(_ event: Event, _ options: PresetOptions) -> Event? {
        let guardian = guardian(
            isTimeSure ? options.minimumInterval : nil, options.oncePerDay && areDaysSure,
            options.preset, event.goal, at: event.at)
        if let guardian { return event.accepted(as: .guarded(by: guardian)) }
        if options.oncePerDay && !areDaysSure || options.minimumInterval != nil && !isTimeSure {
            return event.accepted(
                as: .whole, isProvisional: options.oncePerDay && !areDaysSure,
                undecidedInterval: isTimeSure ? nil : options.minimumInterval)
        }
        return nil
    }

    /// The guard of a preset that a press at that time is too much for; nil when there is none.
    ///
    /// - Parameters:
    ///   - interval: the shortest time between two presses, in seconds; nil for any.
    ///   - entry: presses that came after this one, and are of a later time, do not count.
    private func guardian(
        _ interval: Int64?, _ oncePerDay: Bool, _ preset: PresetName, _ goal: GoalSlug,
        at time: UnixTime, before entry: Ledger.Entry? = nil
    ) -> PresetGuard? {
        let counts = { number in self.isUse(number, of: goal, before: entry) }
        if let interval, counting.uses.isTooSoon(preset, interval, at: time, counts: counts) {
            return .minimumInterval(interval)
        }
        guard oncePerDay else { return nil }
        let day = day(of: goal, around: time)
        let isDone =
            counting.uses.isUsed(preset, on: day, counts: counts)
            || today(goal, day, before: entry).isDone
        return isDone ? .oncePerDay : nil
    }

    /// Whether a press is of that goal. A forgotten press may have been.
    ///
    /// - Parameter other: presses that came after this one, and are of a later time, do not count.
    private func isUse(
        _ number: SequenceNumber, of goal: GoalSlug, before other: Ledger.Entry?
    ) -> Bool {
        guard let entry = ledger[number] else { return true }
        if let other, other.isBefore(number, at: entry.at) { return false }
        return self.goal(of: entry) == goals.current(goal)
    }

    /// Decides the undecided presses in order, once the time and the days are known. The decision
    /// is recorded before anything is sent. A later one that was retried has overtaken the earlier
    /// ones, and guards none of them.
    func evaluateProvisional(_ effects: inout Effects) {
        guard !mustNotSend else { return }
        for number in waits.events(for: .guards) {
            guard let entry = ledger[number], let preset = entry.event.preset,
                areDaysSure || !entry.event.isProvisional
            else { continue }
            waits[number] = nil
            counting.uses.remove(number, of: preset)
            let by = guardian(
                entry.event.undecidedInterval, entry.event.isProvisional, preset, goal(of: entry),
                at: entry.at, before: entry)
            if by == nil { counting.uses.add(number, of: preset, at: entry.at) }
            journal(.evaluated(of: number, isGuarded: by != nil, by: by), &effects)
        }
    }

    /// The decision about the guards of a press is durable.
    func guardsDecided(for entry: Ledger.Entry) {
        if entry.progress == .pending { resume(entry.number) }
        if entry.progress == .guarded { counting.unsent.add(entry.event) }
    }
}

extension Ledger.Entry {
    /// Whether another press came after this one, and is of a later time.
    func isBefore(_ other: SequenceNumber, at time: UnixTime) -> Bool {
        number < other && at <= time
    }

    /// Whether the guards of its preset must be evaluated before sending.
    var awaitsEvaluation: Bool {
        progress == .pending && event.isUndecided && !recorded.isEvaluated
    }
}

/// Preset rules: guards against one press too many, and presses that become one datapoint.
extension RelayCore {
    /// Decides how a new event is accepted, and counts it.
    ///
    /// - Returns: the event as accepted, and the leader of the window that its own one replaces.
    func evaluate(
        _ event: Event, _ number: SequenceNumber, _ options: PresetOptions, _ now: Moment
    ) -> (event: Event, replaced: SequenceNumber?) {
        if let guarded = guarded(event, options) {
            if guarded.isUndecided {
                counting.uses.add(number, of: options.preset, at: event.at, isProvisional: true)
            }
            return (guarded, nil)
        }
        counting.uses.add(number, of: options.preset, at: event.at)
        return merge(event, number, options, now)
    }

    /// Removes an event from these counts: it did not become durable, or was undone.
    func forget(_ event: Event, _ number: SequenceNumber) {
        if let preset = event.preset { counting.uses.remove(number, of: preset) }
        withdrawFromGroup(event, number)
    }

    /// Notes the use of a preset by an event from the journal, or with another time.
    func restoreUse(_ entry: Ledger.Entry) {
        guard let preset = entry.event.preset else { return }
        if !entry.recorded.isLeftOut {
            let isProvisional = entry.awaitsEvaluation
            counting.uses.add(entry.number, of: preset, at: entry.at, isProvisional: isProvisional)
        }
    }
}

/// The values logged to goals day by day, for the web page's charts.
extension RelayCore {
    /// The most events that are read for the values; older ones are left out.
    private static let maxLookedAt = 20_000

    /// The values of each goal's last days, the present one last, as Beeminder aggregates them:
    /// what came through this relay, unsent presses included, and what Beeminder has told of other
    /// datapoints.
    ///
    /// - Parameter count: how many days, 1 or more.
    package func dailyValues(days count: Int, at now: Moment) -> [GoalSlug: [Double]] {
        guard areGoalsOwn else { return [:] }
        let now = clock.trust.corrected(now)
        var starts: [GoalSlug: [UnixTime]] = [:]
        var days: [GoalSlug: [DayValues]] = [:]
        var known: [Int: [UnixTime]] = [:]
        for goal in goals.goals {
            guard let slug = GoalSlug(goal.slug) else { continue }
            let deadline = goal.deadline ?? 0
            let list = known[deadline] ?? dayStarts(count, deadline: deadline, now.wall)
            known[deadline] = list
            starts[slug] = list
            days[slug] = Array(repeating: DayValues(of: goal), count: count)
            for datapoint in goal.elsewhere {
                let at = UnixTime(datapoint.timestamp)
                let none = SequenceNumber(0)
                RelayCore.add(datapoint.value, at: at, none, list, &days[slug, default: []])
            }
        }
        guard let oldest = known.values.compactMap(\.first).min() else { return [:] }
        for entry in ledger.newestFirst().prefix(RelayCore.maxLookedAt) {
            if !entry.event.isTimeUnsure, entry.event.arrival.wall < oldest { break }
            let goal = goal(of: entry)
            guard let list = starts[goal], counts(entry) else { continue }
            RelayCore.add(
                entry.value, at: entry.at, entry.number, list, &days[goal, default: []])
        }
        return days.mapValues { $0.map(\.value) }
    }

    /// When each of a goal's last days began, the oldest first, and when the present one ends.
    private func dayStarts(
        _ count: Int, deadline: Int, _ now: UnixTime
    ) -> [UnixTime] {
        var starts: [UnixTime] = []
        let days = goals.days(deadline: deadline)
        var day = days.bounds(around: now)
        starts.append(day.upperBound)
        for _ in 0..<count {
            starts.append(day.lowerBound)
            day = days.bounds(around: day.lowerBound.adding(-1))
        }
        return starts.reversed()
    }

    private static func add(
        _ value: Double, at time: UnixTime, _ number: SequenceNumber, _ starts: [UnixTime],
        _ days: inout [DayValues]
    ) {
        let day = starts.lastIndex { $0 <= time } ?? -1
        if days.indices.contains(day) { days[day].add(value, at: time, number) }
    }

    /// Whether an event is, or will be, a datapoint or a part of one. Of a day whose newest value
    /// was refused, Beeminder has an earlier one.
    private func counts(_ entry: Ledger.Entry) -> Bool {
        guard entry.progress != .uncommitted else { return false }
        return state(of: entry).countsAsDatapoint || entry.isRefused && entry.hasArrived
    }
}

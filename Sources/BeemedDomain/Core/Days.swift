/// The values logged to goals on their days: through this relay, unsent presses included, and from
/// other sources, as Beeminder reports them. They decide the guards of presets, too.
struct Days {
    let core: RelayCore
    /// The presses of a dry run, which are in no ledger.
    var rehearsed: [Event] = []

    /// The goals of the connected user: others say nothing of its days.
    private var book: GoalBook { core.areGoalsOwn ? core.goals : GoalBook() }

    /// The day of a goal around a moment.
    func day(of goal: GoalSlug, around time: UnixTime) -> Range<UnixTime> {
        book.days(of: goal).bounds(around: time)
    }

    /// The values logged to goals on these days.
    ///
    /// - Parameters:
    ///   - starts: by a goal's current name, when each of its days begins, and when the last ends.
    ///   - other: presses that came after this one, and are of a later time, do not count.
    func logged(
        _ starts: [GoalSlug: [UnixTime]], before other: Ledger.Entry? = nil
    ) -> [GoalSlug: LoggedDays] {
        guard let first = starts.values.compactMap(\.first).min() else { return [:] }
        let oldest = first.adding(-Goal.oldestAge)
        let book = book
        var found: [GoalSlug: LoggedDays] = [:]
        for (goal, starts) in starts { found[goal] = LoggedDays(of: book[goal], from: starts) }
        var known: (goal: GoalSlug, last: UnixTime?)?
        for (index, press) in core.ledger.newestFirst().enumerated() {
            let goal = core.goals.goal(of: press)
            // Only when a goal was last logged to may be that long ago.
            if press.event.arrival.wall < oldest {
                if index > Days.maxLookedAt { break }
                // Its time may have been repaired since.
                if let known, known.goal == goal, press.at < first,
                    known.last.map({ press.at <= $0 }) ?? true
                {
                    continue
                }
            }
            if !counts(press) || other?.isBefore(press.number, at: press.at) == true { continue }
            found[goal]?.add(shownValue(of: press), at: press.at, press.number)
            known = (goal, found[goal]?.last)
        }
        for goal in starts.keys {
            for datapoint in book[goal]?.elsewhere ?? [] {
                found[goal]?.add(datapoint.value, at: UnixTime(datapoint.timestamp))
            }
        }
        return found
    }

    /// The number of the newest events in which it is looked for when a goal was last logged to,
    /// and when a preset was used.
    private static let maxLookedAt = 20_000

    /// Whether a press is, or will be, a datapoint or a part of one, at a time that is known. Of a
    /// day whose newest value was refused, Beeminder has an earlier one.
    private func counts(_ entry: Ledger.Entry) -> Bool {
        if entry.recorded.isLeftOut || listing(of: entry) == .deleted { return false }
        return switch entry.progress {
        case .pending: !entry.awaitsTime && !entry.awaitsEvaluation
        case .delivered, .merged: true
        case .refused: entry.hasArrived
        case .uncommitted, .erasing, .undone, .guarded: false
        }
    }

    /// The value of a press: the one that Beeminder shows, if the user has edited the datapoint.
    private func shownValue(of entry: Ledger.Entry) -> Double {
        if case .listed(let edited?) = listing(of: entry) { edited } else { entry.value }
    }

    /// The datapoint of a press in Beeminder's lists; nil when it was in none: it may not be sent
    /// yet, or not be among the few that are listed. That of a press delivered by an earlier process
    /// must have been: if it is missing in a list of its time, the user has deleted it there.
    private func listing(of entry: Ledger.Entry) -> Listing? {
        if let known = entry.listing { return known }
        guard entry.number <= core.commits.recovered else { return nil }
        let datapoint = entry.leader.flatMap { core.ledger[$0] } ?? entry
        return datapoint.hasArrived ? .listed(nil) : nil
    }

    /// Whether anything was logged to a goal on a day, of any value, as far as Beeminder tells, too.
    ///
    /// - Parameter logged: the values of that day.
    func isDone(
        _ goal: GoalSlug, _ logged: LoggedDays?, on day: Range<UnixTime>
    ) -> Bool {
        if logged?.days.last?.isDone == true { return true }
        // Soon after a day has begun it may have been said of the day before.
        guard core.areGoalsOwn, core.goals[goal]?.saysDone == true, let asOf = core.goals.asOf
        else {
            return false
        }
        return day.contains(asOf) && day.contains(asOf.adding(-Days.boundsSeconds))
    }

    /// The datapoints of presses in a list of goals, which have their current names: the user may
    /// have edited or deleted some at Beeminder.
    func listed(_ list: [Goal], at now: UnixTime) -> [SequenceNumber: Listing] {
        var listed: [SequenceNumber: Listing] = [:]
        // Of which times a list would have all datapoints of a goal.
        var whole: [GoalSlug: Range<UnixTime>] = [:]
        // While Beeminder works on a goal its fields may be of different moments.
        for goal in list where goal.queued != true {
            guard let slug = GoalSlug(goal.slug) else { continue }
            for datapoint in goal.listedDatapoints {
                for (number, value) in presses(of: datapoint, in: slug) {
                    listed[number] = .listed(value)
                }
            }
            if goal.listsAllDatapoints {
                whole[slug] = UnixTime(.min)..<UnixTime(.max)
            } else if goal.todayta == false {
                whole[slug] = settledDay(of: slug, around: now)
            }
        }
        // Any datapoint that no list has shown may be too new or too old for this one. Presses wait
        // while all events are looked at, and most are older than what a list would have.
        let first = whole.values.map(\.lowerBound).min()
        guard let first, let end = whole.values.map(\.upperBound).max() else { return listed }
        for entry in core.ledger.all
        where (first..<end).contains(entry.at) && listed[entry.number] == nil {
            guard case .listed? = listing(of: entry) else { continue }
            if whole[core.goals.goal(of: entry)]?.contains(entry.at) == true {
                listed[entry.number] = .deleted
            }
        }
        return listed
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
        let bounds = Days.boundsSeconds
        let isNear = [-bounds, bounds].contains { !today.contains(now.adding($0)) }
        return isNear ? nil : today
    }

    /// The presses of a datapoint that came through this relay, each with its value there. The
    /// values of merged presses and of days' totals change through the relay: those are nil, but
    /// for a day whose newest value was refused.
    private func presses(
        of datapoint: GoalDatapoint, in goal: GoalSlug
    ) -> [(SequenceNumber, Double?)] {
        guard let entry = events(of: datapoint).first(where: { core.goals.goal(of: $0) == goal })
        else {
            return []
        }
        let parts = entry.parts
        let isLone =
            !entry.isMerged && (!entry.event.isTotal || entry.isRefused)
        return [(entry.number, isLone ? datapoint.value : nil)] + parts.map { ($0, nil) }
    }

    /// Whether a datapoint in Beeminder's list is of a press that came through this relay, to this
    /// goal or, before a retry, to another one.
    func isFromHere(_ datapoint: GoalDatapoint, _ goal: GoalSlug) -> Bool {
        events(of: datapoint).contains { entry in
            let isOfTime =
                entry.at.seconds == datapoint.timestamp || entry.event.daystamp != nil
            return isOfTime && core.goals.goals(of: entry).contains(goal)
        }
    }

    /// The events with a datapoint's request id. Several totals of a day may have one.
    private func events(of datapoint: GoalDatapoint) -> [Ledger.Entry] {
        guard let requestID = datapoint.requestID else { return [] }
        return EventKey.all(of: requestID).flatMap { key in
            (1...).lazy.map { key.variant($0).flatMap { core.ledger[$0] } }
                .prefix { $0?.event.requestID == requestID }.compactMap { $0 }
        }
    }

    /// Stores in each goal which of Beeminder's datapoints came from other sources.
    func sortingOut(_ list: [Goal]) -> [Goal] {
        list.map { goal in
            var goal = goal
            let slug = GoalSlug(goal.slug)
            let old = former(of: goal)
            let former = goal.id.map(core.goals.formerNames) ?? []
            let names = Set([slug, old.flatMap { GoalSlug($0.slug) }].compactMap { $0 } + former)
            goal.recordDatapoints(besides: core.areGoalsOwn ? old?.elsewhere ?? [] : []) {
                datapoint in
                names.contains { isFromHere(datapoint, $0) }
            }
            return goal
        }
    }

    /// The same goal in the last list. It may have been renamed, and may have the name that another
    /// goal had then.
    private func former(of goal: Goal) -> Goal? {
        let namesake = GoalSlug(goal.slug).flatMap { core.goals[$0] }
        guard let id = goal.id, namesake?.id != id else { return namesake }
        return core.goals.goals.first { $0.id == id } ?? (namesake?.id == nil ? namesake : nil)
    }

    // MARK: Guards

    /// Applies the guards of a press: one press too many is accepted as `.guarded`. Undecided while
    /// the user's days are unknown, or the clock may be wrong: such a press is held, since a guard
    /// that was applied cannot be taken back.
    ///
    /// - Returns: the event as accepted; nil when no guard applies.
    func guarded(_ event: Event, _ options: PresetOptions) -> Event? {
        let guardian = guardian(
            core.isTimeSure ? options.minimumInterval : nil,
            options.oncePerDay && core.areDaysSure,
            options.preset, event.goal, at: event.at)
        if let guardian { return event.accepted(as: .guarded(by: guardian)) }
        let isProvisional = options.oncePerDay && !core.areDaysSure
        let undecided = core.isTimeSure ? nil : options.minimumInterval
        guard isProvisional || undecided != nil else { return nil }
        return event.accepted(
            as: .whole, isProvisional: isProvisional, undecidedInterval: undecided)
    }

    /// The guard that a press, undecided so far, is too much for; nil when there is none.
    func guardian(of entry: Ledger.Entry, _ preset: PresetName) -> PresetGuard? {
        guardian(
            entry.event.undecidedInterval, entry.event.isProvisional, preset,
            core.goals.goal(of: entry), at: entry.at, before: entry)
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
        if let interval,
            isUsed(preset, goal, before: entry, { abs($0.seconds - time.seconds) < interval })
        {
            return .minimumInterval(interval)
        }
        guard oncePerDay else { return nil }
        let day = day(of: goal, around: time)
        if isUsed(preset, goal, before: entry, day.contains) { return .oncePerDay }
        let name = core.goals.current(goal)
        let logged = logged([name: [day.lowerBound, day.upperBound]], before: entry)[name]
        return isDone(name, logged, on: day) ? .oncePerDay : nil
    }

    /// Whether a preset was used for a goal at such a time, by a press that counts or will count
    /// when it is durable.
    ///
    /// - Parameter other: presses that came after this one, and are of a later time, do not count.
    private func isUsed(
        _ preset: PresetName, _ goal: GoalSlug, before other: Ledger.Entry?,
        _ isMeant: (UnixTime) -> Bool
    ) -> Bool {
        let goal = core.goals.current(goal)
        let isRehearsed = rehearsed.contains {
            $0.preset == preset && core.goals.current($0.goal) == goal && isMeant($0.at)
        }
        return isRehearsed
            || core.ledger.newestFirst().prefix(Days.maxLookedAt).contains { press in
                press.event.preset == preset && isMeant(press.at) && isUse(press)
                    && core.goals.goal(of: press) == goal
                    && other?.isBefore(press.number, at: press.at) != true
            }
    }

    private func isUse(_ press: Ledger.Entry) -> Bool {
        guard press.progress == .uncommitted else {
            return press.isAdmitted || counts(press)
        }
        return press.recorded.progress == .pending && !press.event.isUndecided
    }
}

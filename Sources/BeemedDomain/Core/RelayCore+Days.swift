/// The days of goals: what was logged today, and which press is the first of its day.
extension RelayCore {
    /// The day of a goal around a moment.
    mutating func day(of goal: GoalSlug, around time: UnixTime) -> Range<UnixTime> {
        let book = isBookOurs ? goals : GoalBook()
        let deadline = book[book.current(goal)]?.deadline
        return days.around(time, deadline: deadline, timezone: book.timezone)
    }

    /// Whether it is known when the user's days begin: the time zone and the goals' deadlines. A
    /// stand-in that names no user has the days of UTC.
    var areDaysKnown: Bool { isUserUnknowable || (goals.isKnown && isBookOurs) }

    /// What was logged to a goal on a day: through this relay, unsent presses included, and as
    /// Beeminder tells elsewhere.
    func today(_ goal: GoalSlug, _ day: Range<UnixTime>) -> DailyTotals.Today {
        let name = goals.current(goal)
        var today = totals.today(name, day) { isOurs($0) }
        guard isBookOurs, let known = goals[name] else { return today }
        for datapoint in known.elsewhere {
            let at = UnixTime(datapoint.timestamp)
            if day.contains(at) {
                today.sum += datapoint.value
                today.isDone = true
            }
            today.last = max(today.last ?? at, at)
        }
        if known.saysDone, let asOf = goals.asOf, day.contains(asOf) { today.isDone = true }
        return today
    }

    /// Whether a datapoint in Beeminder's list is of a press that came through this relay.
    func isFromHere(_ datapoint: GoalDatapoint, _ goal: GoalSlug) -> Bool {
        guard let requestID = datapoint.requestID else { return false }
        return totals[goal].contains { mark in
            let event = ledger[mark.number]?.event
            // Of a press for a day Beeminder makes up the time, so only the request id tells.
            guard mark.at.seconds == datapoint.timestamp || event?.daystamp != nil else {
                return false
            }
            return event.map { $0.key.requestID == requestID } ?? true
        }
    }

    /// Notes in each goal what of Beeminder's datapoints was logged elsewhere.
    func sortingOut(_ list: [Goal]) -> [Goal] {
        list.map { goal in
            var goal = goal
            let slug = GoalSlug(goal.slug)
            // It may go by another name than before.
            let old =
                slug.flatMap { goals[$0] }
                ?? goal.id.flatMap { id in goals.goals.first { $0.id == id } }
            let names = Set([slug, old.flatMap { GoalSlug($0.slug) }].compactMap { $0 })
            goal.noteDatapoints(besides: isBookOurs ? old?.elsewhere ?? [] : []) { datapoint in
                names.contains { isFromHere(datapoint, $0) }
            }
            return goal
        }
    }

    // MARK: The first press of a day

    /// Decides as what a press with a guard is accepted: as `.guarded` when it is one too many. As
    /// long as the days are not known, whether it is the first of its day stays open.
    ///
    /// - Returns: the event as it is accepted; nil when the guard has nothing to say.
    mutating func guarded(_ event: Event, _ rule: PressRule) -> Event? {
        if uses.isTooSoon(rule, at: event.at) { return event.accepted(as: .guarded) }
        guard rule.oncePerDay else { return nil }
        guard areDaysKnown else { return event.accepted(as: .whole, isProvisional: true) }
        let isSecond = isDone(event.goal, rule.preset, at: event.at)
        return isSecond ? event.accepted(as: .guarded) : nil
    }

    private mutating func isDone(
        _ goal: GoalSlug, _ preset: PresetName, at time: UnixTime
    ) -> Bool {
        let day = day(of: goal, around: time)
        return uses.isUsed(preset, on: day) || today(goal, day).isDone
    }

    /// Decides on what was left open, in the order of the presses, now that the days are known. It
    /// is written before anything is sent.
    mutating func judgeProvisional(_ effects: inout [Effect]) {
        guard areDaysKnown, !provisional.isEmpty else { return }
        for number in provisional.sorted() {
            guard let entry = ledger[number], entry.awaitsJudgement, let preset = entry.event.preset
            else {
                provisional.remove(number)
                continue
            }
            guard !entry.awaitsTime, isOurs(entry.event), ledger.command(number) == nil else {
                continue
            }
            provisional.remove(number)
            uses.remove(number, of: preset)
            let isSecond = isDone(entry.goal, preset, at: entry.at)
            if !isSecond { uses.add(number, of: preset, at: entry.at) }
            append(.judged(of: number, isGuarded: isSecond), &effects)
        }
    }

    /// The decision is on the disk.
    mutating func judged(_ entry: Ledger.Entry) {
        if entry.progress == .pending { resume(entry.number) }
    }
}

extension Ledger.Entry {
    /// Whether it is the first of its goal's day must be decided before it is sent.
    var awaitsJudgement: Bool {
        progress == .pending && event.isProvisional && !recorded.isJudged
    }
}

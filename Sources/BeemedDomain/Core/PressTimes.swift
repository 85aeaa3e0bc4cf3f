/// Decides the times of presses and of days' totals, once: by the goals' days, and by what is known of
/// the clock.
struct PressTimes {
    let core: RelayCore

    /// The time of a press with a day.
    ///
    /// A day given by a device is sent to Beeminder unchanged, so no right time zone is needed; the
    /// moment stored with the day is for the relay's own use. A day counted from today, while
    /// nobody knows what day the user has, is so many times 24 hours ago.
    ///
    /// - Parameter time: that without the day.
    /// - Throws: `TimeFault` when the day is not plausible.
    func accepted(
        _ time: AcceptedTime, of press: Press, on day: PressDay, _ now: Moment
    ) throws(TimeFault) -> AcceptedTime {
        if case .ago(let days) = day, case .now = press.time,
            !core.areDaysKnown || !core.isTimeSure
        {
            return AcceptedTime(at: time.at.adding(-Int64(days) * 86_400), source: .age)
        }
        if case .at(let moment) = day, !core.areDaysKnown {
            // Beeminder finds the day of the moment.
            guard case .now = press.time else { return time }
            let zones = GoalDay(zone: .utc, deadline: 0)
            let today = Daystamp(number: zones.number(of: now.wall))
            guard isCredible(Daystamp(number: zones.number(of: moment)), today) else { throw .day }
            return AcceptedTime(at: moment, source: .device)
        }
        return try moved(time, of: press, to: day, now)
    }

    /// The time of a press without its day. The age counts where the timestamp cannot be used, as
    /// of a clock that is not set.
    ///
    /// - Throws: `TimeFault` when the time is not plausible.
    static func timeOrAge(
        of press: Press, _ now: Moment, isSound: Bool
    ) throws(TimeFault) -> AcceptedTime {
        let said = try TimeRules.time(of: press.time, at: now.wall, isSound: isSound)
        guard case .timestamp = press.time, let age = press.age else { return said }
        let aged = try TimeRules.time(of: .age(seconds: age), at: now.wall, isSound: isSound)
        if said.source == .receipt { return aged }
        guard !isSound || abs(aged.at.seconds - said.at.seconds) <= TimeRules.aheadSeconds else {
            throw .otherAge
        }
        return said
    }

    /// The time of a press on the day that its device gives.
    private func moved(
        _ time: AcceptedTime, of press: Press, to named: PressDay, _ now: Moment
    ) throws(TimeFault) -> AcceptedTime {
        let goalDay = core.goals.days(of: press.goal)
        let today = Daystamp(number: goalDay.number(of: now.wall))
        var moment: UnixTime?
        if case .at(let time) = named { moment = time }
        let known = moment.map { Daystamp(number: goalDay.number(of: $0)) }
        guard let day = known ?? named.resolved(today: today) else { throw .day }
        if case .recorded(let said) = press.time {
            let moment = said ?? goalDay.middle(of: day)
            return AcceptedTime(at: moment, source: .device, daystamp: day)
        }
        guard isCredible(day, today) else { throw .day }
        switch press.time {
        case .timestamp(let said) where time.source != .age: try checkDay(of: said, goalDay, day)
        case .timestamp, .age: try checkDay(of: time.at, goalDay, day)
        case .now, .recorded:
            let usual = day == today ? now.wall : goalDay.middle(of: day)
            return AcceptedTime(at: moment ?? usual, source: .device, daystamp: day)
        }
        return AcceptedTime(at: time.at, source: time.source, daystamp: day)
    }

    /// From 35 days back, like an age, to tomorrow. Before the clock was compared with Beeminder's,
    /// it may be wrong by as long as the machine was without power: a right day must not be
    /// refused. While the clock is not set, only a day before 2024 is known to be wrong.
    private func isCredible(_ day: Daystamp, _ today: Daystamp) -> Bool {
        guard core.clock.isSound else { return day.number >= TimeRules.earliest.seconds / 86_400 }
        let slack: Int64 = core.clock.isCompared ? 0 : PressTimes.uncomparedDays
        return day >= today.adding(days: -TimeRules.oldestAgeSeconds / 86_400 - slack)
            && day <= today.adding(days: 1 + slack)
    }

    /// How many days a clock may be off that was not compared.
    private static let uncomparedDays: Int64 = 400

    /// A moment of a total's day.
    func moment(of total: DayTotal, _ now: Moment) -> UnixTime {
        let goalDay = core.goals.days(of: total.goal)
        let isToday = goalDay.number(of: now.wall) == total.day.number
        return isToday ? now.wall : goalDay.middle(of: total.day)
    }

    /// Whether a total's day is before the first one of its goal, whose line begins there: a
    /// datapoint of an earlier day can derail the goal. A goal that was just made has no graph yet,
    /// and with it no first day before the present one.
    func isBeforeGoal(_ total: DayTotal, _ now: Moment) -> Bool {
        if core.goals.begins(total.goal, after: total.day) { return true }
        guard let goal = core.goals[core.goals.current(total.goal)], goal.initday == nil else {
            return false
        }
        let today = min(
            core.goals.days().number(of: now.wall),
            core.goals.days(of: total.goal).number(of: now.wall))
        return goal.queued == true && core.clock.isSound && total.day.number < today
    }

    /// Whether a civil day can have a total: like the day of a press, but by the calendar and not
    /// by the goal's deadline.
    func isCredible(_ day: Daystamp, _ now: Moment) -> Bool {
        isCredible(day, Daystamp(number: core.goals.days().number(of: now.wall)))
    }

    /// A time given with a day must be on that day. While the user's time zone is unknown, a
    /// difference of one day is accepted.
    private func checkDay(
        of time: UnixTime, _ goalDay: GoalDay, _ day: Daystamp
    ) throws(TimeFault) {
        let slack = core.goals.zone == nil ? 1 : 0
        guard abs(goalDay.number(of: time) - day.number) <= slack else { throw .otherDay }
    }
}

extension GoalBook {
    /// Whether a day is before the first one of a goal, as far as that is known.
    func begins(_ goal: GoalSlug, after day: Daystamp) -> Bool {
        guard let first = self[current(goal)]?.initday else { return false }
        return day.number < days().number(of: UnixTime(first))
    }
}

extension GoalDay {
    /// A moment well inside a day.
    fileprivate func middle(of day: Daystamp) -> UnixTime {
        let noon = day.number * 86_400 + 43_200 + Int64(deadline)
        return UnixTime(noon - zone.offset(at: noon))
    }
}

import BeemedDomain
import RelayTrunk

/// The reasons for reminders at a moment.
struct ReminderReasons: Sendable {
    /// The reminders with a reason, the most urgent first.
    private(set) var reminders: [Reminder] = []
    /// Whether the goals are known. Otherwise the reasons of their reminders may be too, so none is
    /// withdrawn.
    private(set) var areGoalsKnown: Bool
    private let outlook: Outlook
    private let rules: ReminderBook

    /// How long before a goal derails the last call comes, in seconds.
    private static let lastCallSeconds: Int64 = 7_200
    /// The lead of a goal for which Beeminder gives none, in seconds.
    private static let usualLeadSeconds: Int64 = 21_600
    /// For how long a press must be undeliverable before that is reported, in seconds: most faults
    /// are over by then.
    private static let stuckGrace = 120.0

    var now: UnixTime { outlook.now.wall }
    private var calendar: GoalCalendar { outlook.calendar }
    var today: Daystamp { calendar.day(at: now) }

    /// - Parameters:
    ///   - lastSeen: when a device that is expected to send has sent.
    ///   - stuckSince: since when presses of a goal cannot be delivered.
    init(
        _ outlook: Outlook, _ rules: ReminderBook, _ devices: DeviceBook, _ lastSeen: LastSeen,
        _ stuckSince: [GoalSlug: Monotonic]
    ) {
        (self.outlook, self.rules) = (outlook, rules)
        areGoalsKnown = outlook.goals != nil
        if outlook.mustSignIn {
            reminders.append(Reminder(ReminderTopic(kind: .signIn), on: today))
        }
        addStuck(stuckSince)
        for goal in outlook.goals ?? [] { addDue(goal) }
        for refusal in outlook.refused {
            var reminder = Reminder(
                ReminderTopic(.refused, refusal.goal), on: calendar.day(at: refusal.arrival))
            (reminder.why, reminder.waiting) = (refusal.why, refusal.waiting)
            reminders.append(reminder)
        }
        for device in devices.devices { addQuiet(device, since: lastSeen.time(of: device)) }
        reminders.sort { $0.rank < $1.rank }
    }

    /// Until when the topic is put off; nil if it is not.
    func endOfSnooze(of topic: ReminderTopic) -> UnixTime? {
        rules.endOfSnooze(of: topic.goal.map(calendar.names) ?? [])
    }

    /// Whether the reminder must wait: for the end of a snooze, or of quiet hours. An urgent one
    /// does not wait for the end of a snooze behind the deadline: then it would never come.
    func isHeld(_ reminder: Reminder) -> Bool {
        let end = endOfSnooze(of: reminder.topic) ?? now
        guard reminder.topic.isUrgent else {
            let second = calendar.localSeconds(now) - today.number * 86_400
            return end > now || rules.quietHours?.contains(second) ?? false
        }
        let minutes = reminder.minutesLeft.flatMap { $0 < 0 ? nil : $0 }
        return end > now && minutes.map { end < now.adding($0 * 60) } ?? true
    }

    /// Leaves out what rests on goals that are too old, until newer ones have come.
    mutating func awaitGoals() {
        reminders.removeAll { $0.topic.restsOnGoals }
        areGoalsKnown = false
    }

    private mutating func addDue(_ goal: Goal) {
        guard let slug = GoalSlug(goal.slug), let losedate = goal.losedate else { return }
        let lead = rules.lead(of: calendar.names(of: slug)).map { $0 * 3_600 }
        let left = losedate - now.seconds
        guard lead != 0, left > 0 else { return }
        let derails = calendar.day(of: slug, at: UnixTime(losedate - 1))
        let lastCall = min(ReminderReasons.lastCallSeconds, lead ?? .max)
        let presses = outlook.waiting[slug] ?? Outlook.Waiting()
        var reminder: Reminder
        if left <= lastCall {
            reminder = Reminder(ReminderTopic(.lastCall, slug), on: derails)
        } else {
            let begin = begin(of: goal, slug, lead, derails)
            guard begin.at <= now else { return }
            reminder = Reminder(ReminderTopic(.due, slug), on: begin.day)
        }
        if goal.isCovered(by: presses) ?? (left > lastCall) { return }
        reminder.minutesLeft = left / 60
        reminder.due = goal.amountDue
        reminder.isLimit = goal.terms.yaw ?? 1 < 0
        reminder.pledge = goal.pledge
        reminder.waiting = presses.count
        reminders.append(reminder)
    }

    /// When reminders of a goal begin, and the day of the first one that has not begun, or of the
    /// last one that has; by the goal's own lead, in seconds, if it has one.
    private func begin(
        of goal: Goal, _ slug: GoalSlug, _ lead: Int64?, _ derails: Daystamp
    ) -> (at: UnixTime, day: Daystamp) {
        let losedate = UnixTime(goal.losedate ?? 0)
        guard lead == nil, let days = goal.terms.leadtime, let start = goal.terms.alertstart else {
            return (losedate.adding(-(lead ?? ReminderReasons.usualLeadSeconds)), derails)
        }
        // Beeminder reminds on each day of the lead time, from a time of day on.
        let day = max(
            calendar.day(of: slug, at: now), derails.adding(days: -Int64(days)))
        return (calendar.moment(in: day, of: slug, second: Int64(start)), day)
    }

    private mutating func addStuck(_ since: [GoalSlug: Monotonic]) {
        for risk in outlook.stuck {
            let end = since[risk.goal]?.adding(seconds: ReminderReasons.stuckGrace)
            let isLong = end.map { $0 <= outlook.now.monotonic } ?? false
            guard isLong || (0...10).contains(risk.minutesLeft) else { continue }
            let derails = now.adding(risk.minutesLeft * 60)
            var reminder = Reminder(
                ReminderTopic(.stuck, risk.goal), on: calendar.day(of: risk.goal, at: derails))
            reminder.minutesLeft = risk.minutesLeft
            reminder.waiting = risk.waiting
            reminder.mustSignIn = outlook.mustSignIn
            reminder.pledge = outlook.goals?.first { $0.slug == risk.goal.description }?.pledge
            reminders.append(reminder)
        }
    }

    /// A device that has never sent is not expected yet.
    private mutating func addQuiet(_ device: Device, since last: Int64?) {
        guard let last, let within = device.expect else { return }
        let end = UnixTime(last).adding(within)
        guard end <= now else { return }
        let topic = ReminderTopic(kind: .quietDevice, subject: device.name.description)
        var reminder = Reminder(topic, on: calendar.day(at: end))
        reminder.silentHours = (now.seconds - last) / 3_600
        reminders.append(reminder)
    }
}

extension Reminder {
    /// Urgent ones first, then what derails first.
    fileprivate var rank: (Int, Int64, String) {
        (topic.isUrgent ? 0 : 1, minutesLeft ?? .max, id)
    }
}

extension Goal {
    /// The amount due, as in "+2"; nil when Beeminder gives none. `limsum` begins with it, as in
    /// "+2 in 7 days" (Beeminder API reference, "Goal resource").
    fileprivate var amountDue: String? {
        let text = terms.baremin ?? terms.limsum
        return text?.split(separator: " ").first.map(String.init)
    }

    /// Whether these presses are enough, if they arrive; nil when there are some and what is due is
    /// not a sum of presses.
    fileprivate func isCovered(by presses: Outlook.Waiting) -> Bool? {
        // Unknown fields are as in Beeminder's most common goals, "do more".
        let isSum = terms.kyoom != false && addsUp && terms.yaw ?? 1 > 0
        guard isSum, let amount = amountDue.flatMap(DecimalText.amount) else {
            return presses.count == 0 ? false : nil
        }
        return presses.sum >= amount - 1e-9
    }
}

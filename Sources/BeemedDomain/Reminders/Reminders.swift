/// Which reminders have reasons, which services have them, and what is sent next.
///
/// Nothing is queued: each time the reasons are looked at anew, so that a reminder whose reason has
/// gone while a service did not answer is never sent.
package struct Reminders: Sendable {
    /// What there is to remind of at a moment.
    struct Reasons: Sendable {
        /// The reminders with a reason, the most urgent first.
        var reminders: [Reminder] = []
        /// When time alone brings the next one; nil when it cannot.
        var next: UnixTime?
        /// Whether the goals are known. Otherwise the reasons of their reminders may be too, so
        /// none is withdrawn.
        var areGoalsKnown = false

        mutating func schedule(next time: UnixTime) { next = min(next ?? time, time) }
    }

    /// The time of a decision.
    struct Time: Sendable {
        var now: Moment
        /// The user's calendar day.
        var today: Daystamp
        /// Seconds since midnight, in the user's time zone.
        var localSecond: Int64
    }

    package private(set) var rules = ReminderRules()
    /// The devices that are expected to send.
    package internal(set) var devices: [ExpectedDevice] = []
    private(set) var queues: [NotifyQueue] = []
    package private(set) var marks: [ReminderMark.Key: ReminderMark]
    /// When to look at the reasons again; nil without a service.
    private(set) var checkAt: Monotonic?
    /// Since when a press of a goal cannot be delivered.
    var stuckSince: [GoalSlug: Monotonic] = [:]
    /// Since when newer goals are awaited before a reminder of a goal is sent.
    var awaitsGoalsSince: Monotonic?

    /// Seconds between a change and the next look: many presses are one look.
    private static let rest = 1.0
    /// The longest time between two looks, in seconds: clocks are set, and time zones change.
    private static let longestRest = 3_600.0

    /// - Parameter marks: what the journal knows of earlier reminders.
    init(_ marks: [ReminderMark.Key: ReminderMark] = [:]) {
        self.marks = marks
    }

    /// Another user has the folder, whose goals may have the same names.
    mutating func forgetMarks() { (marks, stuckSince) = ([:], [:]) }

    /// Whether reminders are sent anywhere.
    var isUsed: Bool { !queues.isEmpty }

    /// The services, with their failures in a row.
    package var services: [(service: NotifyService, failures: Int)] {
        queues.map { ($0.service, $0.failures) }
    }

    // MARK: When to look

    /// Something has changed: looks again soon.
    mutating func goalsDidChange(at now: Monotonic) {
        guard isUsed else { return }
        let soon = now.adding(seconds: Reminders.rest)
        checkAt = min(checkAt ?? soon, soon)
    }

    func isDue(at now: Monotonic) -> Bool { checkAt.map { $0 <= now } ?? false }

    /// Looks again after this many seconds, or earlier.
    mutating func checkAgain(at now: Monotonic, after seconds: Double) {
        let delay = min(max(seconds, Reminders.rest), Reminders.longestRest)
        checkAt = isUsed ? now.adding(seconds: delay) : nil
    }

    // MARK: Settings

    /// Takes over the user's settings. Services that are known already keep their state.
    mutating func use(_ rules: ReminderRules, _ services: [NotifyService], at now: Monotonic) {
        self.rules = rules
        let known = queues
        queues = services.map { service in
            known.first { $0.service == service } ?? NotifyQueue(service)
        }
        checkAt = nil
        goalsDidChange(at: now)
    }

    /// Follows renamed goals with the user's settings.
    mutating func rename(_ current: (GoalSlug) -> GoalSlug) { rules.rename(current) }

    // MARK: What to send

    /// The requests that begin now; they count as under way.
    mutating func start(_ reasons: Reasons, _ time: Time) -> [Start] {
        var next = reasons.next
        var starts: [Start] = []
        for index in queues.indices where queues[index].isReady(at: time.now.monotonic) {
            let service = queues[index].service
            guard
                let request = message(for: service, reasons, time, &next)
                    ?? withdrawal(from: service, reasons, time)
            else { continue }
            queues[index].begin(request)
            starts.append(Start(service: service.name, request: request))
        }
        let left = next.map { Double($0.seconds - time.now.wall.seconds) }
        checkAgain(at: time.now.monotonic, after: left ?? Reminders.longestRest)
        for queue in queues {
            guard let end = queue.notBefore, queue.underWay == nil, end > time.now.monotonic
            else { continue }
            checkAt = min(checkAt ?? end, end)
        }
        return starts
    }

    /// A request that begins.
    struct Start: Sendable, Equatable {
        var service: NotifyServiceName
        var request: NotifyQueue.Request
    }

    /// A message that the service has and for which there is no reason any more.
    private func withdrawal(
        from service: NotifyService, _ reasons: Reasons, _ time: Time
    ) -> NotifyQueue.Request? {
        guard service.canWithdraw else { return nil }
        return marks.values
            .filter { mark in
                mark.service == service.name && !mark.isWithdrawn
                    && abs(mark.at.seconds - time.now.wall.seconds) < Reminders.lifetime
                    && (mark.topic.goal == nil || reasons.areGoalsKnown)
                    && !reasons.reminders.contains { $0.topic == mark.topic }
            }
            .min { $0.at < $1.at }.map { .withdraw($0) }
    }

    /// How long a message can be withdrawn, in seconds: nobody reads an older one.
    private static let lifetime: Int64 = 7 * 86_400

    /// The most urgent reminder that the service does not have and that may be sent now.
    ///
    /// - Parameter next: brought forward to when one that must wait may be sent.
    private func message(
        for service: NotifyService, _ reasons: Reasons, _ time: Time, _ next: inout UnixTime?
    ) -> NotifyQueue.Request? {
        for reminder in reasons.reminders where !has(service.name, reminder, time) {
            guard let end = hold(of: reminder, time) else { return .send(reminder) }
            next = min(next ?? end, end)
        }
        return nil
    }

    /// Until when a reminder must wait; nil when it need not. What is urgent does not wait for the
    /// end of a snooze behind the deadline: then it would never come.
    private func hold(of reminder: Reminder, _ time: Time) -> UnixTime? {
        let (now, topic) = (time.now.wall, reminder.topic)
        let quiet = topic.isUrgent ? nil : rules.quietHours?.secondsLeft(at: time.localSecond)
        let ends = [rules.hold(of: topic, at: now), quiet.map { now.adding($0) }]
        guard let end = ends.compactMap({ $0 }).max() else { return nil }
        if topic.isUrgent, let minutes = reminder.minutesLeft, minutes >= 0,
            end >= now.adding(minutes * 60)
        {
            return nil
        }
        return end
    }

    /// Whether the service has the reminder, or has had it today. A snooze that has ended since
    /// asks for it once more, and so does a goal that is due again: nothing says so any more where
    /// its reminder was withdrawn. A mark from the future is of a clock that was wrong.
    private func has(_ service: NotifyServiceName, _ reminder: Reminder, _ time: Time) -> Bool {
        let key = ReminderMark.Key(topic: reminder.topic, service: service)
        guard let mark = marks[key], mark.day >= reminder.day,
            mark.day <= max(time.today, reminder.day).adding(days: 1),
            !(mark.isWithdrawn && reminder.topic.restsOnGoals)
        else { return false }
        let end = rules.endOfSnooze(of: reminder.topic, at: time.now.wall)
        return end.map { mark.at >= $0 } ?? true
    }

    /// Whether any service lacks this reminder and may get it now.
    func isWanted(_ reminder: Reminder, _ time: Time) -> Bool {
        hold(of: reminder, time) == nil
            && queues.contains {
                $0.isReady(at: time.now.monotonic) && !has($0.service.name, reminder, time)
            }
    }

    // MARK: Results

    /// A request to a service has a result.
    ///
    /// - Returns: the mark to record, if there is a new one.
    mutating func process(
        _ service: NotifyServiceName, _ outcome: NotifyOutcome, at now: Moment,
        left: (GoalSlug) -> Int64?, _ randomness: inout some RandomNumberGenerator
    ) -> ReminderMark? {
        goalsDidChange(at: now.monotonic)
        guard let index = queues.firstIndex(where: { $0.service.name == service }) else {
            return nil
        }
        let goal = queues[index].underWay?.topic.goal
        let conclusion = queues[index].process(
            outcome, at: now.monotonic, left: goal.flatMap(left), &randomness)
        guard case .done(let request) = conclusion else { return nil }
        let mark = request.mark(of: service, at: now.wall)
        marks[mark.key] = mark
        return mark
    }
}

extension ReminderTopic {
    /// Whether it rests on the amount due and the deadline of a goal.
    var restsOnGoals: Bool { kind == .due || kind == .lastCall }
}

extension NotifyQueue.Request {
    var topic: ReminderTopic {
        switch self {
        case .send(let reminder): reminder.topic
        case .withdraw(let mark): mark.topic
        }
    }

    /// The mark of a request that has succeeded.
    func mark(of service: NotifyServiceName, at now: UnixTime) -> ReminderMark {
        switch self {
        case .send(let reminder):
            return ReminderMark(topic: reminder.topic, service: service, day: reminder.day, at: now)
        case .withdraw(var mark):
            mark.isWithdrawn = true
            return mark
        }
    }
}

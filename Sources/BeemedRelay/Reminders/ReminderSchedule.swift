import BeemedDomain

/// Which services have which reminders, and what is sent next.
///
/// Nothing is queued: each time the reasons are looked at anew, so that a reminder whose reason has
/// gone while a service did not answer is never sent.
struct ReminderSchedule: Sendable {
    /// A request that begins.
    struct Start: Sendable, Equatable {
        var service: String
        var request: NotifyQueue.Request
    }

    /// The steps that begin after a look.
    struct Steps: Sendable, Equatable {
        var starts: [Start] = []
        /// Whether Beeminder is to be asked for newer goals first.
        var wantsGoals = false
    }

    /// A look: the reasons, and the rules and time to judge them by.
    private struct Look {
        var reasons: ReminderReasons
        let rules: ReminderRules
        let now: Moment
        let today: Daystamp
        /// Seconds since midnight, in the user's time zone.
        let localSecond: Int64
    }

    private var queues: [NotifyQueue] = []
    /// The sent reminders, also of before a restart.
    private(set) var sent: [SentReminder.Key: SentReminder] = [:]
    /// When to look again; nil without a service.
    private(set) var checkAt: Monotonic?
    /// Since when presses of a goal cannot be delivered.
    private var stuckSince: [GoalSlug: Monotonic] = [:]
    /// Since when newer goals are awaited before a reminder of a goal is sent.
    private var awaitsGoalsSince: Monotonic?

    /// Seconds between a change and the next look: many presses are one look.
    private static let rest = 1.0
    /// The longest time between two looks, in seconds: clocks are set, and time zones change.
    private static let longestRest = 3_600.0
    /// The greatest age of the goals on which a reminder may rest, in seconds. Older ones are asked
    /// for first: the user may have logged elsewhere.
    private static let freshSeconds: Int64 = 600
    /// For how long a reminder waits for newer goals, in seconds.
    private static let freshPatience = 60.0
    /// How long a message can be withdrawn, in seconds: nobody reads an older one.
    private static let lifetime: Int64 = 7 * 86_400

    /// - Parameter sent: what was sent before a restart.
    init(_ sent: [SentReminder] = []) {
        for reminder in sent { self.sent[reminder.key] = reminder }
    }

    /// Another user has the folder, whose goals may have the same names.
    mutating func forgetUser() { (sent, stuckSince) = ([:], [:]) }

    /// The failures in a row of each service.
    var failures: [String: Int] {
        Dictionary(queues.map { ($0.service.name, $0.failures) }) { first, _ in first }
    }

    // MARK: When to look

    /// Something has changed: looks again soon.
    mutating func hasChanged(at now: Monotonic) {
        guard !queues.isEmpty else { return }
        let soon = now.adding(seconds: ReminderSchedule.rest)
        checkAt = min(checkAt ?? soon, soon)
    }

    func isDue(at now: Monotonic) -> Bool { checkAt.map { $0 <= now } ?? false }

    /// Looks again after this many seconds, or earlier.
    mutating func checkAgain(at now: Monotonic, after seconds: Double) {
        let delay = min(max(seconds, ReminderSchedule.rest), ReminderSchedule.longestRest)
        checkAt = queues.isEmpty ? nil : now.adding(seconds: delay)
    }

    /// Takes over the services of new settings. Known services keep their state.
    mutating func use(_ services: [NotifyService], at now: Monotonic) {
        let known = queues
        queues = services.map { service in
            known.first { $0.service == service } ?? NotifyQueue(service)
        }
        checkAt = nil
        hasChanged(at: now)
    }

    // MARK: Choosing what to send

    /// Checks the reasons. The requests that begin count as under way.
    mutating func check(
        at outlook: Outlook, _ rules: ReminderRules, _ devices: [ExpectedDevice]
    ) -> Steps {
        var rules = rules
        rules.rename(outlook.calendar.current)
        let (now, calendar) = (outlook.now, outlook.calendar)
        let today = calendar.day(at: now.wall)
        let reasons = ReminderReasons(outlook, rules, devices, stuckSince: &stuckSince)
        var look = Look(
            reasons: reasons, rules: rules, now: now, today: today,
            localSecond: calendar.localSeconds(now.wall) - today.number * 86_400)
        var steps = Steps()
        if mustAwaitGoals(outlook, look, &steps) { look.reasons.awaitGoals() }
        steps.starts = start(look)
        return steps
    }

    /// Whether a reminder of a goal must wait for newer goals, which are asked for then.
    private mutating func mustAwaitGoals(
        _ outlook: Outlook, _ look: Look, _ steps: inout Steps
    ) -> Bool {
        let isFresh = outlook.goalsAge.map { $0 <= ReminderSchedule.freshSeconds } ?? false
        let isAnyWanted = look.reasons.reminders.contains {
            $0.topic.restsOnGoals && isWanted($0, look)
        }
        guard isAnyWanted, !isFresh, !outlook.isRefreshFailing else {
            awaitsGoalsSince = nil
            return false
        }
        let now = look.now.monotonic
        if let since = awaitsGoalsSince {
            return now < since.adding(seconds: ReminderSchedule.freshPatience)
        }
        awaitsGoalsSince = now
        steps.wantsGoals = true
        return true
    }

    private mutating func start(_ look: Look) -> [Start] {
        let now = look.now.monotonic
        var next = look.reasons.next
        var starts: [Start] = []
        for index in queues.indices where queues[index].isReady(at: now) {
            let service = queues[index].service
            guard
                let request = message(for: service, look, &next) ?? withdrawal(from: service, look)
            else { continue }
            queues[index].begin(request)
            starts.append(Start(service: service.name, request: request))
        }
        let left = next.map { Double($0.seconds - look.now.wall.seconds) }
        checkAgain(at: now, after: left ?? ReminderSchedule.longestRest)
        for queue in queues where queue.underWay == nil {
            guard let end = queue.notBefore, end > now else { continue }
            checkAt = min(checkAt ?? end, end)
        }
        return starts
    }

    /// A message that the service has and for which there is no reason any more.
    private func withdrawal(from service: NotifyService, _ look: Look) -> NotifyQueue.Request? {
        guard service.canWithdraw else { return nil }
        return sent.values
            .filter { sent in
                sent.service == service.name && !sent.isWithdrawn
                    && abs(sent.at.seconds - look.now.wall.seconds) < ReminderSchedule.lifetime
                    && (sent.topic.goal == nil || look.reasons.areGoalsKnown)
                    && !look.reasons.reminders.contains { $0.topic == sent.topic }
            }
            .min { $0.at < $1.at }.map { .withdraw($0) }
    }

    /// The most urgent reminder that the service does not have and that may be sent now.
    ///
    /// - Parameter next: brought forward to when one that must wait may be sent.
    private func message(
        for service: NotifyService, _ look: Look, _ next: inout UnixTime?
    ) -> NotifyQueue.Request? {
        for reminder in look.reasons.reminders where !has(service.name, reminder, look) {
            guard let end = hold(of: reminder, look) else { return .send(reminder) }
            next = min(next ?? end, end)
        }
        return nil
    }

    /// Until when a reminder must wait; nil when it need not. An urgent one does not wait for the
    /// end of a snooze behind the deadline: then it would never come.
    private func hold(of reminder: Reminder, _ look: Look) -> UnixTime? {
        let (now, topic) = (look.now.wall, reminder.topic)
        let quiet =
            topic.isUrgent ? nil : look.rules.quietHours?.secondsLeft(at: look.localSecond)
        let ends = [look.rules.hold(of: topic, at: now), quiet.map { now.adding($0) }]
        guard let end = ends.compactMap({ $0 }).max() else { return nil }
        if topic.isUrgent, let minutes = reminder.minutesLeft, minutes >= 0,
            end >= now.adding(minutes * 60)
        {
            return nil
        }
        return end
    }

    /// Whether the service has the reminder, or has had it today. A snooze that has ended since
    /// asks for the reminder once more, and so does a goal that is due again: nothing says so any
    /// more where its reminder was withdrawn. A reminder sent in the future is of a wrong clock.
    private func has(_ service: String, _ reminder: Reminder, _ look: Look) -> Bool {
        let key = SentReminder.Key(topic: reminder.topic, service: service)
        guard let sent = sent[key], sent.day >= reminder.day,
            sent.day <= max(look.today, reminder.day).adding(days: 1),
            !(sent.isWithdrawn && reminder.topic.restsOnGoals)
        else { return false }
        let end = look.rules.endOfSnooze(of: reminder.topic, at: look.now.wall)
        return end.map { sent.at >= $0 } ?? true
    }

    /// Whether any service lacks this reminder and may get it now.
    private func isWanted(_ reminder: Reminder, _ look: Look) -> Bool {
        hold(of: reminder, look) == nil
            && queues.contains {
                $0.isReady(at: look.now.monotonic) && !has($0.service.name, reminder, look)
            }
    }

    // MARK: Results

    /// A request to a service has a result.
    ///
    /// - Parameter left: the seconds until a goal derails.
    /// - Returns: whether `sent` is to be saved.
    mutating func apply(
        _ service: String, _ outcome: NotifyOutcome, at now: Moment,
        left: (GoalSlug) -> Int64?, _ randomness: inout some RandomNumberGenerator
    ) -> Bool {
        hasChanged(at: now.monotonic)
        guard let index = queues.firstIndex(where: { $0.service.name == service }) else {
            return false
        }
        let goal = queues[index].underWay?.topic.goal
        let request = queues[index].apply(
            outcome, at: now.monotonic, left: goal.flatMap(left), &randomness)
        guard let reminder = request?.sent(to: service, at: now.wall) else { return false }
        sent[reminder.key] = reminder
        return true
    }
}

/// The requests to one service: one at a time, with growing delays after failures. A service that
/// hangs delays its own reminders only.
struct NotifyQueue: Sendable {
    /// A request.
    enum Request: Sendable, Equatable {
        case send(Reminder)
        case withdraw(SentReminder)
    }

    let service: NotifyService
    /// The request under way.
    private(set) var underWay: Request?
    /// Consecutive failures.
    private(set) var failures = 0
    /// The time before which nothing is sent.
    private(set) var notBefore: Monotonic?

    /// How often a withdrawal is tried: a message that stays is a nuisance, not a loss.
    private static let maxWithdrawals = 3

    init(_ service: NotifyService) {
        self.service = service
    }

    /// Whether a request may begin.
    func isReady(at now: Monotonic) -> Bool {
        underWay == nil && notBefore.map { $0 <= now } ?? true
    }

    mutating func begin(_ request: Request) { underWay = request }

    /// The request under way has this result.
    ///
    /// - Parameter left: seconds until a goal derails that the reminder is about.
    /// - Returns: the request, if the service has the message, or has withdrawn it, or cannot; nil
    ///   if it is tried again, as long as there is a reason.
    mutating func apply(
        _ outcome: NotifyOutcome, at now: Monotonic, left: Int64?,
        _ randomness: inout some RandomNumberGenerator
    ) -> Request? {
        guard let request = underWay.take() else { return nil }
        switch outcome {
        case .accepted:
            failures = 0
            notBefore = nil
            return request
        case .failed(let asked):
            failures += 1
            let delay = Backoff.held(after: failures, &randomness)
            let wished = max(asked ?? 0, Backoff.wait(delay, left: left))
            notBefore = now.adding(seconds: min(wished, Backoff.asked.upperBound))
            if case .withdraw = request, failures >= NotifyQueue.maxWithdrawals { return request }
            return nil
        }
    }
}

/// A service that reminders are sent to.
struct NotifyService: Sendable, Equatable {
    var name: String
    /// Whether the service can withdraw a message.
    var canWithdraw: Bool
}

/// The result of a request to a service.
enum NotifyOutcome: Sendable, Equatable {
    /// The service has accepted the message, or its withdrawal.
    case accepted
    /// The service has not accepted, and may have asked for a delay in seconds.
    case failed(retryAfter: Double?)
}

extension NotifyQueue.Request {
    /// The topic of the message.
    var topic: ReminderTopic {
        switch self {
        case .send(let reminder): reminder.topic
        case .withdraw(let sent): sent.topic
        }
    }

    /// The reminder that the service has, or has withdrawn.
    fileprivate func sent(to service: String, at now: UnixTime) -> SentReminder {
        switch self {
        case .send(let reminder):
            return SentReminder(
                topic: reminder.topic, service: service, day: reminder.day, at: now)
        case .withdraw(var sent):
            sent.isWithdrawn = true
            return sent
        }
    }
}

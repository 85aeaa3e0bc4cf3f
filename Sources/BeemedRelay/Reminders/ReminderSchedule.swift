import BeemedDomain
import RelayTrunk

/// The services with their reminders, and what is sent next.
///
/// Nothing is queued: each time the reasons are looked at anew, so that a reminder whose reason has
/// gone while a service did not answer is never sent.
struct ReminderSchedule: Sendable {
    private var queues: [NotifyQueue] = []
    /// The last reminder of each topic that each service has, also of before a restart; the newest
    /// last.
    private(set) var sent: [SentReminder]
    /// When to look again; nil without a service.
    private(set) var checkAt: Monotonic?
    /// Since when presses of a goal cannot be delivered.
    private var stuckSince: [GoalSlug: Monotonic] = [:]
    /// Since when newer goals are awaited before a reminder of a goal is sent.
    private var awaitsGoalsSince: Monotonic?

    /// Seconds between a change and the next look: many presses are one look.
    private static let rest = 1.0
    /// Seconds between two looks without a change: hours end, goals come near, clocks are set.
    private static let beat = 60.0
    /// The greatest age of the goals on which a reminder may rest, in seconds. Older ones are asked
    /// for first: the user may have logged elsewhere.
    private static let freshSeconds: Int64 = 600
    /// For how long a reminder waits for newer goals, in seconds.
    private static let freshPatience = 60.0
    /// How long a message can be withdrawn, in seconds: nobody reads an older one.
    private static let lifetime: Int64 = 7 * 86_400

    init(_ sent: [SentReminder] = []) { self.sent = sent }

    /// Another user has the folder, whose goals may have the same names.
    mutating func forgetUser() { (sent, stuckSince) = ([], [:]) }

    /// The failures in a row of each service.
    var failures: [String: Int] {
        Dictionary(queues.map { ($0.name, $0.failures) }) { first, _ in first }
    }

    // MARK: When to look

    /// Something has changed: looks again soon.
    mutating func hasChanged(at now: Monotonic) {
        guard !queues.isEmpty else { return }
        let soon = now.adding(seconds: ReminderSchedule.rest)
        checkAt = min(checkAt ?? soon, soon)
    }

    /// Whether to look now; then the next look comes a minute later, or when a service may be tried
    /// again.
    mutating func isDue(at now: Monotonic) -> Bool {
        guard let due = checkAt, due <= now else { return false }
        let retries = queues.compactMap(\.notBefore).filter { $0 > now }
        checkAt = (retries + [now.adding(seconds: ReminderSchedule.beat)]).min()
        return true
    }

    /// Takes over the services of new settings. Known services keep their state.
    mutating func use(_ services: [NotifyURL], at now: Monotonic) {
        let known = queues
        queues = services.map { service in
            let name = service.name
            var queue = known.first { $0.name == name } ?? NotifyQueue(service: service, name: name)
            queue.service = service
            return queue
        }
        checkAt = nil
        hasChanged(at: now)
    }

    // MARK: Choosing what to send

    /// Checks the reasons, and returns the requests that begin, which count as under way, and
    /// whether Beeminder is to be asked for newer goals first.
    mutating func check(
        at outlook: Outlook, _ rules: ReminderBook, _ devices: [ExpectedDevice]
    ) -> (starts: [ReminderRequest], wantsGoals: Bool) {
        let stuck = outlook.stuck.map { ($0.goal, stuckSince[$0.goal] ?? outlook.now.monotonic) }
        stuckSince = Dictionary(stuck) { first, _ in first }
        var reasons = ReminderReasons(outlook, rules, devices, stuckSince)
        let wereAwaited = awaitsGoalsSince != nil
        if mustAwaitGoals(outlook, reasons) { reasons.awaitGoals() }
        let wantsGoals = awaitsGoalsSince != nil && !wereAwaited
        return (start(reasons, at: outlook.now.monotonic), wantsGoals)
    }

    /// Whether a reminder of a goal must wait for newer goals, which are asked for then.
    private mutating func mustAwaitGoals(_ outlook: Outlook, _ reasons: ReminderReasons) -> Bool {
        let isFresh = outlook.goalsAge.map { $0 <= ReminderSchedule.freshSeconds } ?? false
        let now = outlook.now.monotonic
        let ready = queues.filter { $0.isReady(at: now) }
        let isAnyWanted = reasons.reminders.contains { reminder in
            reminder.topic.restsOnGoals && ready.contains { isWanted(reminder, by: $0, reasons) }
        }
        guard isAnyWanted, !isFresh, !outlook.isRefreshFailing else {
            awaitsGoalsSince = nil
            return false
        }
        let since = awaitsGoalsSince ?? now
        awaitsGoalsSince = since
        return now < since.adding(seconds: ReminderSchedule.freshPatience)
    }

    private mutating func start(_ reasons: ReminderReasons, at now: Monotonic) -> [ReminderRequest]
    {
        var starts: [ReminderRequest] = []
        for index in queues.indices where queues[index].isReady(at: now) {
            let queue = queues[index]
            guard let request = message(for: queue, reasons) ?? withdrawal(from: queue, reasons)
            else { continue }
            queues[index].underWay = request
            starts.append(request)
        }
        return starts
    }

    /// A message that the service has and for which there is no reason any more.
    private func withdrawal(
        from queue: NotifyQueue, _ reasons: ReminderReasons
    ) -> ReminderRequest? {
        guard queue.service.canWithdraw else { return nil }
        let oldest = sent.first { sent in
            sent.service == queue.name && !sent.withdrawn
                && abs(sent.at - reasons.now.seconds) < ReminderSchedule.lifetime
                && (sent.topic.goal == nil || reasons.areGoalsKnown)
                && !reasons.reminders.contains { $0.topic == sent.topic }
        }
        guard let oldest, let day = Daystamp(oldest.day) else { return nil }
        return ReminderRequest(
            action: .withdraw, service: queue.service, reminder: Reminder(oldest.topic, on: day))
    }

    /// The most urgent reminder that the service does not have and that may be sent now.
    private func message(for queue: NotifyQueue, _ reasons: ReminderReasons) -> ReminderRequest? {
        reasons.reminders.first { isWanted($0, by: queue, reasons) }
            .map { ReminderRequest(action: .send, service: queue.service, reminder: $0) }
    }

    /// Whether the service has the reminder, or has had it today. A snooze that has ended since
    /// asks for the reminder once more, and so does a goal that is due again: nothing says so any
    /// more where its reminder was withdrawn. A reminder sent in the future is of a wrong clock.
    private func has(_ service: String, _ reminder: Reminder, _ reasons: ReminderReasons) -> Bool {
        guard let index = sentIndex(of: reminder.topic, service) else { return false }
        let sent = sent[index]
        guard sent.day >= "\(reminder.day)",
            sent.day <= "\(max(reasons.today, reminder.day).adding(days: 1))",
            !(sent.withdrawn && reminder.topic.restsOnGoals)
        else { return false }
        guard let end = reasons.endOfSnooze(of: reminder.topic) else { return true }
        return end > reasons.now || sent.at >= end.seconds
    }

    /// Whether the service lacks this reminder and may get it now.
    private func isWanted(
        _ reminder: Reminder, by queue: NotifyQueue, _ reasons: ReminderReasons
    ) -> Bool {
        !reasons.isHeld(reminder) && !has(queue.name, reminder, reasons)
    }

    // MARK: Results

    /// A request to a service has a result; returns whether `sent` is to be saved.
    ///
    /// - Parameter left: the seconds until a goal derails.
    mutating func apply(
        _ service: String, _ outcome: NotifyOutcome, at now: Moment,
        left: (GoalSlug) -> Int64?, _ randomness: inout some RandomNumberGenerator
    ) -> Bool {
        hasChanged(at: now.monotonic)
        guard let index = queues.firstIndex(where: { $0.name == service }) else {
            return false
        }
        let request = queues[index].apply(outcome, at: now.monotonic, left: left, &randomness)
        guard let request else { return false }
        let (topic, day) = (request.reminder.topic, request.reminder.day)
        let known = sentIndex(of: topic, service)
        if request.action == .withdraw {
            if let known { sent[known].withdrawn = true }
        } else {
            if let known { sent.remove(at: known) }
            sent.append(
                SentReminder(topic: topic, service: service, day: "\(day)", at: now.wall.seconds))
        }
        return true
    }

    private func sentIndex(of topic: ReminderTopic, _ service: String) -> Int? {
        sent.firstIndex { $0.topic == topic && $0.service == service }
    }
}

/// A request to a service: it shows a message, withdraws it, or tests the service.
struct ReminderRequest: Sendable {
    /// The actions, as shown to users.
    enum Action: String, Sendable {
        case send, withdraw, test
    }

    let action: Action
    let service: NotifyURL
    let reminder: Reminder
}

/// The requests to one service: one at a time, with growing delays after failures. A service that
/// hangs delays its own reminders only.
private struct NotifyQueue {
    var service: NotifyURL
    let name: String
    var underWay: ReminderRequest?
    var failures = 0
    /// The time before which nothing is sent.
    var notBefore: Monotonic?

    func isReady(at now: Monotonic) -> Bool {
        underWay == nil && notBefore.map { $0 <= now } ?? true
    }

    /// The request under way has this result. Returns the request, if the service has the message,
    /// or has withdrawn it; nil if it is tried again, as long as there is a reason.
    mutating func apply(
        _ outcome: NotifyOutcome, at now: Monotonic, left: (GoalSlug) -> Int64?,
        _ randomness: inout some RandomNumberGenerator
    ) -> ReminderRequest? {
        guard let request = underWay.take() else { return nil }
        guard outcome.fault != nil else {
            (failures, notBefore) = (0, nil)
            return request
        }
        failures += 1
        let delay = Backoff.held(after: failures, &randomness)
        let wait = Backoff.wait(delay, left: request.reminder.topic.goal.flatMap(left))
        let wished = max(outcome.retryAfter ?? 0, wait)
        notBefore = now.adding(seconds: min(wished, Backoff.asked.upperBound))
        return nil
    }
}

/// The result of a request to a service.
struct NotifyOutcome: Sendable {
    /// Why the service has not accepted the message, or its withdrawal; nil if it has.
    var fault: String?
    /// The delay that it has asked for, in seconds.
    var retryAfter: Double?
}

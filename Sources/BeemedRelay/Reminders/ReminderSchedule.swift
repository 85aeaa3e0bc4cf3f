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
        at outlook: Outlook, _ rules: ReminderBook, _ devices: DeviceBook, _ lastSeen: LastSeen
    ) -> (starts: [ReminderRequest], wantsGoals: Bool) {
        let now = outlook.now.monotonic
        let stuck = outlook.stuck.map { ($0.goal, stuckSince[$0.goal] ?? now) }
        stuckSince = Dictionary(stuck) { first, _ in first }
        var reasons = ReminderReasons(outlook, rules, devices, lastSeen, stuckSince)
        let ready = queues.indices.filter { queues[$0].isReady(at: now) }
        let isAnyWanted = reasons.reminders.contains { reminder in
            reminder.topic.restsOnGoals
                && ready.contains { isWanted(reminder, by: queues[$0].name, reasons) }
        }
        let isFresh = outlook.goalsAge.map { $0 <= ReminderSchedule.freshSeconds } ?? false
        let mustAwait = isAnyWanted && !isFresh && !outlook.isRefreshFailing
        let wantsGoals = mustAwait && awaitsGoalsSince == nil
        awaitsGoalsSince = mustAwait ? awaitsGoalsSince ?? now : nil
        if let since = awaitsGoalsSince, now < since.adding(seconds: ReminderSchedule.freshPatience)
        {
            reasons.awaitGoals()
        }
        var starts: [ReminderRequest] = []
        for index in ready {
            guard let request = request(for: queues[index], reasons) else { continue }
            queues[index].underWay = request
            starts.append(request)
        }
        return (starts, wantsGoals)
    }

    /// The most urgent reminder that the service lacks and may get now; else a message that it has
    /// and for which there is no reason any more.
    private func request(
        for queue: NotifyQueue, _ reasons: ReminderReasons
    ) -> ReminderRequest? {
        let service = queue.service
        if let reminder = reasons.reminders.first(where: { isWanted($0, by: queue.name, reasons) })
        {
            return ReminderRequest(action: .send, service: service, reminder: reminder)
        }
        let oldest = sent.first { sent in
            service.canWithdraw && sent.service == queue.name && !sent.withdrawn
                && abs(sent.at - reasons.now.seconds) < ReminderSchedule.lifetime
                && (sent.topic.goal == nil || reasons.areGoalsKnown)
                && !reasons.reminders.contains { $0.topic == sent.topic }
        }
        guard let oldest, let day = Daystamp(oldest.day) else { return nil }
        return ReminderRequest(
            action: .withdraw, service: service, reminder: Reminder(oldest.topic, on: day))
    }

    /// Whether the service may get the reminder now, and has not had it today. A snooze that has
    /// ended since asks for the reminder once more, and so does a goal that is due again: nothing
    /// says so any more where its reminder was withdrawn. A reminder sent in the future is of a
    /// wrong clock.
    private func isWanted(
        _ reminder: Reminder, by service: String, _ reasons: ReminderReasons
    ) -> Bool {
        if reasons.isHeld(reminder) { return false }
        guard let index = sentIndex(of: reminder.topic, service) else { return true }
        let sent = sent[index]
        guard sent.day >= "\(reminder.day)",
            sent.day <= "\(max(reasons.today, reminder.day).adding(days: 1))",
            !(sent.withdrawn && reminder.topic.restsOnGoals)
        else { return true }
        guard let end = reasons.endOfSnooze(of: reminder.topic) else { return false }
        return end <= reasons.now && sent.at < end.seconds
    }

    // MARK: Results

    /// A request to a service has a result; returns whether `sent` is to be saved. A failed
    /// request is tried again, as long as there is a reason.
    ///
    /// - Parameter left: the seconds until a goal derails.
    mutating func apply(
        _ service: String, _ outcome: NotifyOutcome, at now: Moment,
        left: (GoalSlug) -> Int64?, _ randomness: inout some RandomNumberGenerator
    ) -> Bool {
        hasChanged(at: now.monotonic)
        guard let index = queues.firstIndex(where: { $0.name == service }),
            let request = queues[index].underWay.take()
        else { return false }
        let (topic, day) = (request.reminder.topic, request.reminder.day)
        guard outcome.fault == nil else {
            queues[index].failures += 1
            let delay = Backoff.held(after: queues[index].failures, &randomness)
            let wait = Backoff.wait(delay, left: topic.goal.flatMap(left))
            let wished = min(max(outcome.retryAfter ?? 0, wait), Backoff.asked.upperBound)
            queues[index].notBefore = now.monotonic.adding(seconds: wished)
            return false
        }
        (queues[index].failures, queues[index].notBefore) = (0, nil)
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
}

/// The result of a request to a service.
struct NotifyOutcome: Sendable {
    /// Why the service has not accepted the message, or its withdrawal; nil if it has.
    var fault: String?
    /// The delay that it has asked for, in seconds.
    var retryAfter: Double?
}

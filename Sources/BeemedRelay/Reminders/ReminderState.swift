import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The user's settings, the sent reminders, and the requests under way.
///
/// Reminders are sent off the loop: a service that hangs costs a thread for half a minute, and
/// nothing else.
final class ReminderState: LeafState {
    private(set) var book: ReminderBook
    /// The next and the sent reminders.
    private(set) var schedule: ReminderSchedule
    /// The last attempts to reach services, the newest first.
    private(set) var attempts: [NotifyAttempt] = []
    /// The test under way.
    private(set) var test: ReminderTest?
    /// The version of the core that was looked at.
    private var version: UInt64 = 0

    init(_ book: ReminderBook, _ sent: [SentReminder]) {
        self.book = book
        schedule = ReminderSchedule(sent)
    }

    func note(_ event: LeafEvent, in relay: isolated Relay) {
        switch event {
        case .settingsChanged: use(book, in: relay)
        case .devicesChanged, .upstreamAnswered: schedule.hasChanged(at: relay.clock().monotonic)
        // A service that hangs would hold up the end, and the answers to presses with it.
        case .stopping, .failed:
            for request in test?.missing ?? [] { endTest(request, "the relay stops", in: relay) }
        default: break
        }
    }

    func followUp(in relay: isolated Relay, at now: Moment) -> Monotonic? {
        guard !relay.isStopping else { return nil }
        if relay.engine.core.view.version != version {
            version = relay.engine.core.view.version
            schedule.hasChanged(at: now.monotonic)
        }
        if schedule.isDue(at: now.monotonic) { remind(in: relay, at: now) }
        return schedule.checkAt
    }

    func forgetUser(in relay: isolated Relay) -> (@Sendable (RelayStore, Log) -> Void)? {
        schedule.forgetUser()
        return Leaf.reminders.forgetUser
    }

    // MARK: Settings

    /// Takes over what the user has set.
    func use(_ book: ReminderBook, in relay: isolated Relay) {
        self.book = book
        schedule.use(book.all(relay.settings.notify), at: relay.clock().monotonic)
    }

    // MARK: Sending

    /// Sends what there is to remind of. Presses never wait for it, and many of them cost one look.
    private func remind(in relay: isolated Relay, at now: Moment) {
        guard let outlook = relay.engine.core.view.outlook(at: now) else { return }
        let access = relay.access
        let (starts, wantsGoals) = schedule.check(
            at: outlook, book, access.devices, access.lastSeen)
        if wantsGoals { relay.engine.handle(.goalsRequested) }
        for start in starts { send(start, in: relay) }
    }

    /// Sends a request off the loop, and handles its result on the loop.
    private func send(_ request: ReminderRequest, in relay: isolated Relay) {
        let service = request.service
        let reminder = completed(request.reminder, for: service, in: relay)
        let outgoing =
            request.action == .withdraw
            ? service.withdrawal(of: reminder) : service.request(for: reminder)
        guard let outgoing else { return }
        RequestThread.run { [relay] in
            // A transport of its own: a connection that is kept would have died before the next.
            // A reminder twice does no harm, so it needs no proof of leading.
            let answer = SystemTransport().perform(outgoing, atMost: 1 << 16, during: nil)
            relay.loop.post {
                relay.assumeIsolated { $0.reminderState.handle(answer, to: request, in: $0) }
            }
        }
    }

    /// A service has answered, or has not.
    private func handle(
        _ answer: Result<UpstreamAnswer, TransportFailure>, to request: ReminderRequest,
        in relay: isolated Relay
    ) {
        let core = relay.engine.core
        let now = core.view.corrected(relay.clock())
        var outcome = NotifyOutcome()
        switch answer {
        case .failure(let failure): outcome.fault = failure.words
        case .success(let answer) where (200..<300).contains(answer.status): break
        // A service that does not know the message cannot remove it.
        case .success(let answer)
        where request.action == .withdraw && answer.status < 500 && answer.status != 429:
            break
        case .success(let answer):
            outcome.fault = "it answered \(answer.status)"
            outcome.retryAfter = answer.retryAfter.flatMap {
                RetryAfter.seconds($0, answered: now.wall)
            }
        }
        guard request.action != .test else {
            endTest(request, outcome.fault, in: relay)
            return relay.finishTurn()
        }
        record(request, outcome.fault, in: relay)
        var randomness = SystemRandomNumberGenerator()
        let isNew = schedule.apply(
            request.service.name, outcome, at: now,
            left: { core.view.goals[$0]?.losedate.map { $0 - now.wall.seconds } },
            &randomness)
        guard isNew else { return }
        let sent = schedule.sent
        relay.files.save(.sentReminders) { $0.save(sent, as: .sentReminders, $1) }
    }

    /// The reminder with what a tap opens, and buttons if the service shows them.
    private func completed(
        _ reminder: Reminder, for service: NotifyURL, in relay: isolated Relay
    ) -> Reminder {
        let (core, now) = (relay.engine.core, relay.clock().wall)
        var reminder = reminder
        guard let goal = reminder.topic.goal else { return reminder }
        reminder.adds = core.view.goals[goal]?.countsPresses ?? true
        if let user = core.view.user {
            reminder.link = "\(relay.settings.beeminderOrigin)/\(FormEncoder.escape(user))/\(goal)"
        }
        guard service.hasActions, reminder.topic.restsOnGoals, let endpoint = relay.site?.endpoint
        else { return reminder }
        // The id makes two taps, and a repetition of the service, one press. A message that comes
        // again has another one: the first press may have been taken back.
        let id = "\(reminder.id).\(String(now.seconds, radix: 36))"
        var targets = reminder.adds ? [("+1", "/log/\(goal)?value=1&id=\(id)")] : []
        if let hours = reminder.hoursOfLater {
            targets.append(("Later", "/reminders/snooze?goal=\(goal)&hours=\(hours)"))
        }
        let token = relay.access.buttonToken(for: goal, at: now)
        reminder.buttons = targets.map { label, target in
            Reminder.Button(label: label, url: "http://\(endpoint)\(target)", token: token)
        }
        return reminder
    }

    private func record(_ request: ReminderRequest, _ fault: String?, in relay: isolated Relay) {
        let attempt = NotifyAttempt(at: relay.clock().wall, request: request, fault: fault)
        attempts = [attempt] + attempts.prefix(NotifyAttempt.maxAttempts - 1)
        let pairs = [("service", request.service.name), ("reminder", request.reminder.id)]
        if let fault {
            relay.log.warning("reminder not sent", pairs + [("why", fault)])
        } else {
            relay.log.info(
                request.action == .withdraw ? "reminder withdrawn" : "reminder sent", pairs)
        }
    }

    // MARK: Test

    /// Sends a test to these services, and answers the request when all have answered. No second
    /// test at the same time: each service costs a thread while it hangs.
    func test(_ services: [NotifyURL], for call: Call, in relay: isolated Relay) {
        let requests = services.map {
            ReminderRequest(action: .test, service: $0, reminder: .test)
        }
        test = ReminderTest(call: call, missing: requests)
        for request in requests { send(request, in: relay) }
    }

    private func endTest(_ request: ReminderRequest, _ fault: String?, in relay: isolated Relay) {
        guard var test else { return }
        record(request, fault, in: relay)
        test.missing.removeAll { $0.service == request.service }
        test.results.append((request.service.name, fault))
        self.test = test.missing.isEmpty ? nil : test
        if test.missing.isEmpty { relay.answer(test.call, .success(test.response)) }
    }
}

extension Relay {
    var reminderState: ReminderState { state() }
}

/// An attempt to reach a service, for the user who wonders why no reminder came.
struct NotifyAttempt: Sendable {
    let at: UnixTime
    let request: ReminderRequest
    /// Why the attempt failed; nil for success.
    let fault: String?

    /// Attempts that are remembered, at most.
    static let maxAttempts = 50
}

/// A request to test services, whose results are collected until all have answered.
struct ReminderTest {
    let call: Call
    /// The services that have not answered.
    var missing: [ReminderRequest]
    var results: [(service: String, fault: String?)] = []

    var response: Response {
        .json { json in
            json.add("ok", results.allSatisfy { $0.fault == nil })
            json.addArray("results", of: results) { result, json in
                json.add("service", result.service)
                json.add("ok", result.fault == nil)
                if let fault = result.fault { json.add("why", fault) }
            }
        }
    }
}

extension Reminder {
    /// For how many hours "Later" puts it off: two, but for a last call half of the time left, as
    /// nothing would come before the deadline; nil if that is too little to ask again.
    var hoursOfLater: Double? {
        guard topic.kind == .lastCall else { return 2 }
        return minutesLeft.flatMap { $0 < 20 ? nil : Double($0) / 120 }
    }
}

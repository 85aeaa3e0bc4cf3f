import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The user's settings, the sent reminders, and the requests under way.
final class ReminderState: LeafState {
    var book: ReminderBook
    /// The next and the sent reminders.
    var schedule: ReminderSchedule
    /// The last attempts to reach services, the newest first.
    fileprivate(set) var attempts: [NotifyAttempt] = []
    /// The test under way.
    fileprivate(set) var test: ReminderTest?
    /// The version of the core that was looked at.
    private var version: UInt64 = 0

    init(_ book: ReminderBook, _ sent: [SentReminder]) {
        self.book = book
        schedule = ReminderSchedule(sent)
    }

    func note(_ event: LeafEvent, in relay: isolated Relay) {
        switch event {
        case .settingsChanged: relay.useReminders()
        case .devicesChanged, .upstreamAnswered: schedule.hasChanged(at: relay.clock().monotonic)
        // A service that hangs would hold up the end, and the answers to presses with it.
        case .stopping, .failed:
            for request in test?.missing ?? [] { relay.endTest(request, "the relay stops") }
        default: break
        }
    }

    func followUp(in relay: isolated Relay, at now: Moment) -> Monotonic? {
        guard !relay.isStopping else { return nil }
        if relay.engine.core.version != version {
            version = relay.engine.core.version
            schedule.hasChanged(at: now.monotonic)
        }
        if schedule.isDue(at: now.monotonic) { relay.remind(at: now) }
        return schedule.checkAt
    }

    func forgetUser(in relay: isolated Relay) -> (@Sendable (RelayStore, Log) -> Void)? {
        schedule.forgetUser()
        return Leaf.reminders.forgetUser
    }
}

/// Reminders are sent off the loop: a service that hangs costs a thread for half a minute, and
/// nothing else.
extension Relay {
    var reminderState: ReminderState { state() }

    var notifyServices: [NotifyURL] { reminderState.book.all(settings.notify) }

    /// Takes over what the user has set.
    func useReminders() {
        reminderState.schedule.use(notifyServices, at: clock().monotonic)
    }

    /// The devices that are expected to send. A device that has never sent is not expected yet.
    private var expectedDevices: [ExpectedDevice] {
        access.devices.devices.compactMap { device in
            guard let within = device.expect, let seen = access.lastSeen.time(of: device) else {
                return nil
            }
            return ExpectedDevice(name: device.name, within: within, lastSeen: UnixTime(seen))
        }
    }

    /// Sends what there is to remind of. Presses never wait for it, and many of them cost one look.
    fileprivate func remind(at now: Moment) {
        let state = reminderState
        guard let outlook = engine.core.outlook(at: now) else { return }
        let (starts, wantsGoals) = state.schedule.check(
            at: outlook, state.book, expectedDevices)
        if wantsGoals { engine.handle(.goalsRequested) }
        for start in starts { send(start) }
    }

    /// Sends a request off the loop, and handles its result on the loop.
    private func send(_ request: ReminderRequest) {
        let service = request.service
        let reminder = completed(request.reminder, for: service)
        let outgoing =
            request.action == .withdraw
            ? service.withdrawal(of: reminder) : service.request(for: reminder)
        guard let outgoing else { return }
        RequestThread.run { [loop] in
            // A transport of its own: a connection that is kept would have died before the next.
            // A reminder twice does no harm, so it needs no proof of leading.
            let answer = SystemTransport().perform(outgoing, atMost: 1 << 16, during: nil)
            loop.post { self.assumeIsolated { $0.handle(answer, to: request) } }
        }
    }

    /// A service has answered, or has not.
    private func handle(
        _ answer: Result<UpstreamAnswer, TransportFailure>, to request: ReminderRequest
    ) {
        let outcome = outcome(answer, of: request.action)
        guard request.action != .test else {
            endTest(request, outcome.fault)
            return finishTurn()
        }
        record(request, outcome.fault)
        let (core, state) = (engine.core, reminderState)
        let now = core.corrected(clock())
        var randomness = SystemRandomNumberGenerator()
        let isNew = state.schedule.apply(
            request.service.name, outcome, at: now,
            left: { core.goals[$0]?.losedate.map { $0 - now.wall.seconds } },
            &randomness)
        guard isNew else { return }
        let sent = state.schedule.sent
        files.save(.sentReminders) { $0.save(sent, as: .sentReminders, $1) }
    }

    /// The reminder with what a tap opens, and buttons if the service shows them.
    private func completed(_ reminder: Reminder, for service: NotifyURL) -> Reminder {
        var reminder = reminder
        guard let goal = reminder.topic.goal else { return reminder }
        reminder.adds = engine.core.goals[goal]?.countsPresses ?? true
        if let user = engine.core.user {
            reminder.link = "\(settings.beeminderOrigin)/\(FormEncoder.escape(user))/\(goal)"
        }
        guard service.hasActions, reminder.topic.restsOnGoals, let endpoint = site?.endpoint
        else { return reminder }
        let token = access.buttonToken(for: goal, at: clock().wall)
        func add(_ label: String, _ target: String) {
            reminder.buttons.append(
                Reminder.Button(label: label, url: "http://\(endpoint)\(target)", token: token))
        }
        // The id makes two taps, and a repetition of the service, one press. A message that comes
        // again has another one: the first press may have been taken back.
        let id = "\(reminder.id).\(String(clock().wall.seconds, radix: 36))"
        if reminder.adds { add("+1", "/log/\(goal)?value=1&id=\(id)") }
        if let hours = reminder.hoursOfLater {
            add("Later", "/reminders/snooze?goal=\(goal)&hours=\(hours)")
        }
        return reminder
    }

    /// Any answer ends a withdrawal: a service that does not know the message cannot remove it.
    private func outcome(
        _ answer: Result<UpstreamAnswer, TransportFailure>, of action: ReminderRequest.Action
    ) -> NotifyOutcome {
        switch answer {
        case .failure(let failure): return NotifyOutcome(fault: failure.words)
        case .success(let answer):
            let isOver = action == .withdraw && answer.status < 500 && answer.status != 429
            if isOver || (200..<300).contains(answer.status) { return NotifyOutcome() }
            let now = engine.core.corrected(clock()).wall
            return NotifyOutcome(
                fault: "it answered \(answer.status)",
                retryAfter: answer.retryAfter.flatMap { RetryAfter.seconds($0, answered: now) })
        }
    }

    private func record(_ request: ReminderRequest, _ fault: String?) {
        let attempt = NotifyAttempt(at: clock().wall, request: request, fault: fault)
        reminderState.attempts =
            [attempt] + reminderState.attempts.prefix(NotifyAttempt.most - 1)
        let pairs = [("service", request.service.name), ("reminder", request.reminder.id)]
        if let fault {
            log.warning("reminder not sent", pairs + [("why", fault)])
        } else {
            log.info(request.action == .withdraw ? "reminder withdrawn" : "reminder sent", pairs)
        }
    }

    // MARK: Test

    /// Sends a test to these services, and answers the request when all have answered. No second
    /// test at the same time: each service costs a thread while it hangs.
    func test(_ services: [NotifyURL], for call: Call) {
        let requests = services.map {
            ReminderRequest(action: .test, service: $0, reminder: .test)
        }
        reminderState.test = ReminderTest(call: call, missing: requests)
        for request in requests { send(request) }
    }

    fileprivate func endTest(_ request: ReminderRequest, _ fault: String?) {
        guard var test = reminderState.test else { return }
        record(request, fault)
        test.missing.removeAll { $0.service == request.service }
        test.results.append((request.service.name, fault))
        reminderState.test = test.missing.isEmpty ? nil : test
        if test.missing.isEmpty { answer(test.call, .success(test.response)) }
    }
}

/// An attempt to reach a service, for the user who wonders why no reminder came.
struct NotifyAttempt: Sendable {
    let at: UnixTime
    let request: ReminderRequest
    /// Why the attempt failed; nil for success.
    let fault: String?

    /// Attempts that are remembered, at most.
    static let most = 50
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

import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The user's settings, the sent reminders, and the requests under way.
final class ReminderState: LeafState {
    /// The user's settings.
    var book: ReminderBook
    /// The next and the sent reminders.
    var schedule: ReminderSchedule
    /// Runs the requests to services.
    let executor = RequestExecutor()
    /// The attempts to send reminders.
    var attempts = ReminderAttempts()
    /// The tests of services that are under way.
    var tests = ReminderTests()
    /// For the delays after failures.
    fileprivate var randomness = SystemRandomNumberGenerator()
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
        case .stopping, .failed: relay.abandonTests()
        case .presentDayKnown, .partWanted, .waitEnded, .revoked: break
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
        return { store, log in store.forgetSentReminders(log) }
    }
}

extension RelayStore {
    func forgetSentReminders(_ log: Log) { _ = save([SentReminder](), as: .sentReminders, log) }
}

/// A service's answer, or why there is none.
private typealias NotifyAnswer = Result<UpstreamAnswer, HTTPTransport.Failure>

/// Reminders are sent off the loop: a service that hangs costs a thread for half a minute, and
/// nothing else.
extension Relay {
    var reminderState: ReminderState { state() }

    /// All services that take reminders.
    var notifyServices: [NotifyURL] { reminderState.book.all(settings.notify) }

    /// Takes over what the user has set.
    func useReminders() {
        let services = notifyServices.map {
            NotifyService(name: $0.name, canWithdraw: $0.canWithdraw)
        }
        reminderState.schedule.use(services, at: clock().monotonic)
    }

    /// The devices that are expected to send. A device that has never sent is not expected yet.
    private var expectedDevices: [ExpectedDevice] {
        rights.devices.devices.compactMap { device in
            guard let within = device.expect, let name = DeviceName(device.name),
                let seen = rights.lastSeen.time(of: device)
            else { return nil }
            return ExpectedDevice(name: name, within: within, lastSeen: UnixTime(seen))
        }
    }

    /// Sends what there is to remind of. Presses never wait for it, and many of them cost one look.
    fileprivate func remind(at now: Moment) {
        let state = reminderState
        guard let outlook = engine.core.outlook(at: now) else {
            return state.schedule.checkAgain(at: now.monotonic, after: 60)
        }
        let steps = state.schedule.check(at: outlook, state.book.rules, expectedDevices)
        if steps.wantsGoals { engine.handle(.goalsRequested) }
        for start in steps.starts { send(start) }
    }

    /// Sends a reminder, or withdraws it.
    private func send(_ start: ReminderSchedule.Start) {
        // The schedule has these services and no others.
        guard let service = notifyServices.first(where: { $0.name == start.service }) else {
            return
        }
        let message: NotifyMessage
        let request: OutgoingRequest?
        switch start.request {
        case .send(let reminder):
            message = self.message(reminder, for: service)
            request = service.request(for: message)
        case .withdraw(let sent):
            message = self.message(Reminder(sent.topic, on: sent.day), for: service)
            request = service.withdrawal(of: message)
        }
        guard let request else { return }
        let isWithdrawal = if case .withdraw = start.request { true } else { false }
        send(request) { relay, answer in
            let fault = Relay.fault(answer, isWithdrawal)
            relay.record(isWithdrawal ? .withdraw : .send, start.service, message, fault)
            relay.handle(start.service, answer, isAccepted: fault == nil)
        }
    }

    /// A service has answered, or has not.
    private func handle(_ service: String, _ answer: NotifyAnswer, isAccepted: Bool) {
        let (core, state) = (engine.core, reminderState)
        let now = core.corrected(clock())
        var outcome = NotifyOutcome.accepted
        if !isAccepted {
            let delay = (try? answer.get().retryAfter).flatMap {
                RetryAfter.seconds($0, answered: now.wall)
            }
            outcome = .failed(retryAfter: delay)
        }
        let isNew = state.schedule.apply(
            service, outcome, at: now,
            left: { core.goals[$0]?.losedate.map { $0 - now.wall.seconds } },
            &state.randomness)
        guard isNew else { return }
        let sent = state.schedule.sent.values.sorted { $0.at < $1.at }
        files.saveCache { _ = $0.save(sent, as: .sentReminders, $1) }
    }

    /// The reminder in words, with what a tap opens, and buttons if the service shows them.
    private func message(_ reminder: Reminder, for service: NotifyURL) -> NotifyMessage {
        var message = NotifyMessage(reminder)
        guard let goal = reminder.topic.goal else { return message }
        message.adds = engine.core.goals[goal]?.countsPresses ?? true
        if let user = engine.core.user {
            message.link = "\(settings.beeminderOrigin)/\(FormEncoder.escape(user))/\(goal)"
        }
        guard service.hasActions, let endpoint = site?.endpoint else { return message }
        let token = rights.buttonToken(for: goal, at: clock().wall)
        let root = "http://\(endpoint)"
        switch reminder.topic.kind {
        case .due, .lastCall:
            // The id makes two taps, and a repetition of the service, one press. A message that
            // comes again has another one: the first press may have been taken back.
            let id = "\(message.id).\(String(clock().wall.seconds, radix: 36))"
            if message.adds {
                message.actions.append(
                    NotifyMessage.Action(
                        label: "+1", url: "\(root)/log/\(goal)?value=1&id=\(id)", token: token))
            }
            if let hours = reminder.hoursOfLater {
                message.actions.append(
                    NotifyMessage.Action(
                        label: "Later", url: "\(root)/reminders/snooze?goal=\(goal)&hours=\(hours)",
                        token: token))
            }
        case .stuck, .refused, .signIn, .quietDevice: break
        }
        return message
    }

    /// Sends a request off the loop.
    ///
    /// - Parameter report: called on the loop.
    private func send(
        _ request: OutgoingRequest,
        report: @escaping @Sendable (isolated Relay, NotifyAnswer) -> Void
    ) {
        let loop = loop
        Task(executorPreference: reminderState.executor) {
            // A transport of its own: a connection that is kept would have died before the next.
            // A reminder twice does no harm, so it needs no proof of leading.
            let answer = await HTTPTransport().send(request, atMost: 1 << 16, under: .alone)
            loop.post { self.assumeIsolated { report($0, answer) } }
        }
    }

    /// Why an attempt has failed; nil for success. Any answer ends a withdrawal: a service that
    /// does not know the message cannot remove it.
    private static func fault(_ answer: NotifyAnswer, _ isWithdrawal: Bool) -> String? {
        switch answer {
        case .failure(let failure): return failure.words
        case .success(let answer):
            if (200..<300).contains(answer.status) { return nil }
            if isWithdrawal, answer.status < 500, answer.status != 429 { return nil }
            return "it answered \(answer.status)"
        }
    }

    private func record(
        _ action: ReminderAttempts.Attempt.Action, _ service: String,
        _ message: NotifyMessage, _ fault: String?
    ) {
        reminderState.attempts.record(
            ReminderAttempts.Attempt(
                at: clock().wall, service: service, action: action, message: message,
                fault: fault))
        let pairs = [("service", "\(service)"), ("reminder", message.id)]
        if let fault {
            log.warning("reminder not sent", pairs + [("why", fault)])
        } else {
            log.info(action == .withdraw ? "reminder withdrawn" : "reminder sent", pairs)
        }
    }

    // MARK: Test

    /// Sends a test to these services, and answers the request when all have answered. A service
    /// that is being tested already is not sent another: each costs a thread while it hangs.
    ///
    /// - Returns: false when too many are being tested.
    func test(_ services: [NotifyURL], for call: Call) -> Bool {
        let new = services.filter { !reminderState.tests.underWay.contains($0.name) }
        guard reminderState.tests.underWay.count + new.count <= ReminderTests.most else {
            return false
        }
        reminderState.tests.list.append(
            ReminderTest(call: call, waiting: Set(services.map(\.name))))
        for service in new {
            let name = service.name
            reminderState.tests.underWay.insert(name)
            send(service.request(for: .test)) { relay, answer in
                relay.endTest(of: name, Relay.fault(answer, false))
                relay.finishTurn()
            }
        }
        return true
    }

    private func endTest(of service: String, _ fault: String?) {
        guard reminderState.tests.underWay.remove(service) != nil else { return }
        record(.test, service, .test, fault)
        for test in reminderState.tests.enter(service, fault) {
            answer(test.call, .success(.json(test.body)))
        }
    }

    /// Answers all tests under way, before the relay stops: a service that hangs would hold up the
    /// end, and the answers to presses with it.
    func abandonTests() {
        for service in reminderState.tests.underWay { endTest(of: service, "the relay stops") }
    }
}

/// The tests of services that are under way.
struct ReminderTests {
    /// Services that are being tested.
    fileprivate(set) var underWay: Set<String> = []
    fileprivate var list: [ReminderTest] = []

    /// Services that are tested at once, at most: each costs a thread for half a minute.
    static let most = 2 * ReminderBook.maxServices

    /// Enters a result.
    ///
    /// - Returns: the tests that are complete now.
    fileprivate mutating func enter(_ service: String, _ fault: String?) -> [ReminderTest] {
        for index in list.indices where list[index].waiting.remove(service) != nil {
            list[index].results.append((service, fault))
        }
        defer { list.removeAll { $0.waiting.isEmpty } }
        return list.filter { $0.waiting.isEmpty }
    }
}

extension Problem {
    static let stopping = Problem(
        .crowded, "nothing was sent: the relay stops; send the same again in a minute",
        fields: [Response.Field("Retry-After", "60")])
    static let tooManyTests = Problem(
        .crowded, "many services are being tested already; send the same again in half a minute",
        fields: [Response.Field("Retry-After", "30")])
}

/// The results of a test, which are collected until all services have answered.
struct ReminderTest {
    let call: Call
    fileprivate var waiting: Set<String>
    fileprivate var results: [(service: String, fault: String?)] = []

    fileprivate init(call: Call, waiting: Set<String>) {
        self.call = call
        self.waiting = waiting
    }

    fileprivate var body: [UInt8] {
        JSONWriter.object { json in
            json.add("ok", results.allSatisfy { $0.fault == nil })
            json.addArray("results") { list in
                for (service, fault) in results {
                    list.object { json in
                        json.add("service", service)
                        json.add("ok", fault == nil)
                        if let fault { json.add("why", fault) }
                    }
                }
            }
        }
    }
}

extension Reminder {
    /// For how many hours "Later" puts it off: two, but for a last call half of the time left, as
    /// nothing would come before the deadline; nil if that is too little to ask again.
    var hoursOfLater: String? {
        guard topic.kind == .lastCall else { return "2" }
        guard let minutesLeft, minutesLeft >= 20 else { return nil }
        let hundredths = minutesLeft * 100 / 120
        return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
    }
}

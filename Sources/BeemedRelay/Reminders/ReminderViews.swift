import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The parts of `GET /reminders`.
extension Relay {
    /// When reminders are sent.
    func writeRules(to json: inout JSONWriter, at now: UnixTime) {
        let rules = reminderState.book.rules
        json.add("quietHours", rules.quietHours?.description ?? "off")
        if let end = rules.offUntil, end > now.seconds { json.add("offUntil", end) }
        json.addArray("goals") { list in
            for (name, lead) in rules.goals.sorted(by: { $0.key < $1.key }) {
                guard let goal = GoalSlug(name) else { continue }
                list.object { Optional(lead).write(goal, to: &$0) }
            }
        }
        json.addArray("snoozes") { list in
            for (name, snooze) in rules.snoozes.sorted(by: { $0.key < $1.key })
            where snooze.until > now.seconds {
                list.object { json in
                    json.add("goal", name)
                    json.add("until", snooze.until)
                }
            }
        }
    }

    /// Where they are sent, without what must stay secret.
    ///
    /// - Parameter names: as the reader may know the services.
    func writeServices(to json: inout JSONWriter, _ names: ShownServices) {
        let configured = Set(settings.notify.map(\.name))
        let failures = reminderState.schedule.failures
        json.addArray("services") { list in
            for url in notifyServices {
                list.object { json in
                    json.add("service", names.name(of: url.name))
                    json.add("shown", names.isWhole ? url.shown : url.kind)
                    json.add("isSetting", configured.contains(url.name))
                    json.add("failures", Int64(failures[url.name] ?? 0))
                }
            }
        }
    }

    /// The sent reminders, and the last attempts.
    ///
    /// - Parameter names: as the reader may know the services.
    func writeHistory(to json: inout JSONWriter, _ names: ShownServices) {
        let all = reminderState.schedule.sent.values.sorted {
            ($1.at, $0.topic.kind.rawValue) < ($0.at, $1.topic.kind.rawValue)
        }
        json.addArray("sent") { list in
            for sent in all.prefix(Relay.maxShown) {
                list.object { sent.write(to: &$0, names) }
            }
        }
        json.addArray("attempts") { list in
            for attempt in reminderState.attempts.list {
                list.object { attempt.write(to: &$0, names) }
            }
        }
    }

    /// Sent reminders in an answer, at most.
    private static let maxShown = 100
}

/// The names of services in an answer. Their own ones have a digest of what must stay secret in
/// them, so who may only read gets the kind and a number instead.
struct ShownServices {
    /// Whether the reader may manage.
    let isWhole: Bool
    private var numbers: [String: Int] = [:]

    init(_ services: [NotifyURL], for device: Device) {
        isWhole = device.rights.contains(.manage)
        for (index, service) in services.enumerated() { numbers[service.name] = index + 1 }
    }

    /// A service that was removed has no number.
    func name(of service: String) -> String {
        if isWhole { return service }
        let kind = service.prefix { $0 != "-" }
        return numbers[service].map { "\(kind)-\($0)" } ?? String(kind)
    }
}

extension SentReminder {
    fileprivate func write(to json: inout JSONWriter, _ names: ShownServices) {
        json.add("at", at.seconds)
        json.add("kind", topic.kind.rawValue)
        if let goal = topic.goal { json.add("goal", goal.description) }
        if case .quietDevice(let device) = topic { json.add("device", device.description) }
        json.add("day", day.dashed)
        json.add("service", names.name(of: service))
        json.add("withdrawn", isWithdrawn)
    }
}

extension ReminderAttempts.Attempt {
    fileprivate func write(to json: inout JSONWriter, _ names: ShownServices) {
        json.add("at", at.seconds)
        json.add("action", action.rawValue)
        json.add("service", names.name(of: service))
        json.add("kind", message.kind)
        if let goal = message.goal { json.add("goal", goal) }
        if let device = message.device { json.add("device", device) }
        json.add("title", message.title)
        json.add("ok", fault == nil)
        if let fault { json.add("why", fault) }
    }
}

extension ReminderRules.Lead? {
    /// A goal's lead; without one Beeminder's counts.
    func write(_ goal: GoalSlug, to json: inout JSONWriter) {
        json.add("goal", goal.description)
        switch self {
        case .hours(let hours): json.add("hours", Int64(hours))
        case .off: json.add("off", true)
        case nil: json.add("lead", "beeminder")
        }
    }
}

/// The last attempts to reach services, for the user who wonders why no reminder came.
struct ReminderAttempts: Sendable {
    /// An attempt.
    struct Attempt: Sendable {
        /// The attempted action.
        enum Action: String, Sendable {
            case send, withdraw, test
        }

        let at: UnixTime
        let service: String
        let action: Action
        let message: NotifyMessage
        /// Why the attempt failed; nil for success.
        let fault: String?
    }

    /// Newest first.
    private(set) var list: [Attempt] = []

    /// Attempts that are remembered, at most.
    private static let most = 50

    mutating func record(_ attempt: Attempt) {
        list.insert(attempt, at: 0)
        if list.count > ReminderAttempts.most { list.removeLast() }
    }
}

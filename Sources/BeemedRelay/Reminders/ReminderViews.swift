import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The parts of `GET /reminders`.
extension Relay {
    /// When reminders are sent.
    func writeRules(to json: inout JSONWriter, at now: UnixTime) {
        let rules = reminderState.book.rules
        json.add("quietHours", rules.quietHours?.rawValue ?? "off")
        if let end = rules.offUntil, end > now.seconds { json.add("offUntil", end) }
        json.addArray("goals", of: rules.goals.used.sorted { $0.key < $1.key }) { goal, json in
            Optional(goal.value).write(goal.key, to: &json)
        }
        let snoozes = rules.snoozes.used.filter { $0.value.until > now.seconds }
        json.addArray("snoozes", of: snoozes.sorted { $0.key < $1.key }) { snooze, json in
            json.add("goal", snooze.key)
            json.add("until", snooze.value.until)
        }
    }

    /// Where they are sent, without what must stay secret.
    ///
    /// - Parameter names: as the reader may know the services.
    func writeServices(to json: inout JSONWriter, _ names: ShownServices) {
        let configured = Set(settings.notify.map(\.name))
        let failures = reminderState.schedule.failures
        json.addArray("services", of: notifyServices) { url, json in
            json.add("service", names.name(of: url.name))
            json.add("shown", names.isWhole ? url.shown : url.kind)
            json.add("isSetting", configured.contains(url.name))
            json.add("failures", Int64(failures[url.name] ?? 0))
        }
    }

    /// The sent reminders, and the last attempts.
    ///
    /// - Parameter names: as the reader may know the services.
    func writeHistory(to json: inout JSONWriter, _ names: ShownServices) {
        let all = reminderState.schedule.sent.values.sorted {
            ($1.at, $0.topic.kind.rawValue) < ($0.at, $1.topic.kind.rawValue)
        }
        json.addArray("sent", of: all.prefix(Relay.maxShown)) { sent, json in
            json.add("at", sent.at)
            sent.topic.write(to: &json)
            json.add("day", Daystamp(sent.day)?.dashed ?? sent.day)
            json.add("service", names.name(of: sent.service))
            json.add("withdrawn", sent.withdrawn)
        }
        json.addArray("attempts", of: reminderState.attempts) { attempt, json in
            json.add("at", attempt.at.seconds)
            json.add("action", attempt.action.rawValue)
            json.add("service", names.name(of: attempt.service))
            attempt.message.writeTopic(to: &json)
            json.add("title", attempt.message.title)
            json.add("ok", attempt.fault == nil)
            if let fault = attempt.fault { json.add("why", fault) }
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

extension ReminderRules.Lead? {
    /// A goal's lead; without one Beeminder's counts.
    func write(_ goal: String, to json: inout JSONWriter) {
        json.add("goal", goal)
        switch self {
        case .hours(let hours): json.add("hours", hours)
        case .off: json.add("off", true)
        case nil: json.add("lead", "beeminder")
        }
    }
}

/// An attempt to reach a service, for the user who wonders why no reminder came.
struct NotifyAttempt: Sendable {
    enum Action: String, Sendable {
        case send, withdraw, test
    }

    let at: UnixTime
    let service: String
    let action: Action
    let message: NotifyMessage
    /// Why the attempt failed; nil for success.
    let fault: String?

    /// Attempts that are remembered, at most.
    static let most = 50
}

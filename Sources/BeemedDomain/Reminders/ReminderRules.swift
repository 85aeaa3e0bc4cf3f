/// When reminders are sent, as the user has set it.
package struct ReminderRules: Sendable, Equatable, Codable {
    /// The hours without reminders; nil without any.
    package var quietHours: QuietHours? = .standard
    /// The goals with a lead of their own, by name; the others have Beeminder's.
    package var goals: [String: Lead] = [:]
    /// Goals for which reminders are put off, by name.
    package var snoozes: [String: Snooze] = [:]
    /// Until when there are no reminders at all, in Unix seconds; nil when they are on.
    package var offUntil: Int64?

    /// Creates the default rules.
    package init() {}

    /// How long before a goal derails the reminder comes.
    package enum Lead: Sendable, Equatable, Codable {
        /// Never.
        case off
        /// This many hours before.
        case hours(Int)

        /// The accepted hours: a week at most.
        package static let range = 1...168

        package init(from decoder: any Decoder) throws {
            let hours = try decoder.singleValueContainer().decode(Int.self)
            self = Lead.range.contains(hours) ? .hours(hours) : .off
        }

        package func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .off: try value.encode(0)
            case .hours(let hours): try value.encode(hours)
            }
        }
    }

    /// "Not now." When it ends, a reminder that was sent before it is sent once more.
    package struct Snooze: Sendable, Equatable, Codable {
        /// When it ends, in Unix seconds.
        package var until: Int64

        /// Creates a snooze that ends at that time.
        package init(until: UnixTime) {
            self.until = until.seconds
        }
    }

    /// Forgets snoozes that ended days ago: only the last one counts.
    package mutating func forgetOld(at now: UnixTime) {
        snoozes = snoozes.filter { $0.value.until > now.seconds - 7 * 86_400 }
        if let end = offUntil, end <= now.seconds { offUntil = nil }
    }

    /// Moves the settings of renamed goals to their present names, unless those have some.
    mutating func rename(_ current: (GoalSlug) -> GoalSlug) {
        goals = ReminderRules.renamed(goals, current)
        snoozes = ReminderRules.renamed(snoozes, current)
    }

    private static func renamed<Value>(
        _ settings: [String: Value], _ current: (GoalSlug) -> GoalSlug
    ) -> [String: Value] {
        var renamed: [String: Value] = [:]
        for (name, value) in settings {
            let present = GoalSlug(name).map { "\(current($0))" } ?? name
            if present == name || settings[present] == nil { renamed[present] = value }
        }
        return renamed
    }

    /// Until when a reminder must wait because the user said so; nil when it need not.
    func hold(of topic: ReminderTopic, at now: UnixTime) -> UnixTime? {
        let snooze = topic.goal.flatMap { snoozes[$0.description]?.until }
        let ends = [offUntil, snooze].compactMap { $0 }.filter { $0 > now.seconds }
        return ends.max().map { UnixTime($0) }
    }

    /// When the last snooze of its goal ended; nil when there was none.
    func endOfSnooze(of topic: ReminderTopic, at now: UnixTime) -> UnixTime? {
        guard let end = topic.goal.flatMap({ snoozes[$0.description]?.until }),
            end <= now.seconds
        else { return nil }
        return UnixTime(end)
    }
}

/// A device that is expected to send, and when it last did.
package struct ExpectedDevice: Sendable, Equatable {
    package var name: DeviceName
    /// The longest silence that is no reason for a reminder, in seconds.
    package var within: Int64
    package var lastSeen: UnixTime

    /// Creates an expectation.
    package init(_ name: DeviceName, within seconds: Int64, lastSeen: UnixTime) {
        self.name = name
        within = seconds
        self.lastSeen = lastSeen
    }
}

/// A service that reminders are sent to.
package struct NotifyService: Sendable, Equatable {
    package var name: NotifyServiceName
    /// Whether it can withdraw a message.
    package var canWithdraw: Bool

    /// Creates a service.
    package init(_ name: NotifyServiceName, canWithdraw: Bool) {
        self.name = name
        self.canWithdraw = canWithdraw
    }
}

/// The result of a request to a service.
package enum NotifyOutcome: Sendable, Equatable {
    /// It has accepted the message, or its withdrawal.
    case accepted
    /// It has not, and may have asked for a delay in seconds.
    case failed(retryAfter: Double?)
}

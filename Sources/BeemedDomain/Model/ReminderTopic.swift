/// What a reminder is about. For each there is at most one reminder a day.
package enum ReminderTopic: Hashable, Sendable {
    /// The goal derails within its lead time, and what waits here does not cover it.
    case due(GoalSlug)
    /// The same, hours before it derails.
    case lastCall(GoalSlug)
    /// A press waits here, and its goal derails within hours.
    case stuck(GoalSlug)
    /// Beeminder has refused a press, or no longer has the goal.
    case refused(GoalSlug)
    /// Beeminder refuses the token.
    case signIn
    /// A device that is expected to send has sent nothing.
    case quietDevice(DeviceName)

    /// The kinds, as written in the journal and shown to users.
    package enum Kind: String, CaseIterable, Sendable {
        case due
        case lastCall = "last-call"
        case stuck, refused
        case signIn = "sign-in"
        case quietDevice = "quiet-device"
    }

    /// The topic of that kind; nil when the subject is missing or cannot be one.
    package init?(_ kind: Kind, subject: String?) {
        let goal = subject.flatMap(GoalSlug.init)
        let device = subject.flatMap(DeviceName.init)
        switch (kind, goal, device) {
        case (.due, let goal?, _): self = .due(goal)
        case (.lastCall, let goal?, _): self = .lastCall(goal)
        case (.stuck, let goal?, _): self = .stuck(goal)
        case (.refused, let goal?, _): self = .refused(goal)
        case (.quietDevice, _, let device?): self = .quietDevice(device)
        case (.signIn, _, _): self = .signIn
        case (.due, _, _), (.lastCall, _, _), (.stuck, _, _), (.refused, _, _),
            (.quietDevice, _, _):
            return nil
        }
    }

    package var kind: Kind {
        switch self {
        case .due: .due
        case .lastCall: .lastCall
        case .stuck: .stuck
        case .refused: .refused
        case .signIn: .signIn
        case .quietDevice: .quietDevice
        }
    }

    /// The goal that it is about, if it is about one.
    package var goal: GoalSlug? {
        switch self {
        case .due(let goal), .lastCall(let goal), .stuck(let goal), .refused(let goal): goal
        case .signIn, .quietDevice: nil
        }
    }

    /// The goal's or the device's name.
    package var subject: String? {
        if case .quietDevice(let device) = self { return device.description }
        return goal?.description
    }

    /// Whether it is sent in quiet hours too: later is too late.
    package var isUrgent: Bool {
        switch self {
        case .lastCall, .stuck: true
        case .due, .refused, .signIn, .quietDevice: false
        }
    }
}

/// Names a service that reminders are sent to, such as a topic of an ntfy server.
package struct NotifyServiceName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name itself.
    package let description: String

    /// Parses 1 to 64 letters, digits and `.`, `_`, `-`; nil for anything else.
    package init?(_ text: String) {
        guard NameText.isName(text, atMost: 64, besides: "._-") else { return nil }
        description = text
    }

    package static func < (left: NotifyServiceName, right: NotifyServiceName) -> Bool {
        left.description < right.description
    }
}

/// Says that a service has a reminder: it is not sent there again, also after a restart.
package struct ReminderMark: Hashable, Sendable {
    package var topic: ReminderTopic
    package var service: NotifyServiceName
    /// The day of the reminder.
    package var day: Daystamp
    /// When the service accepted it.
    package var at: UnixTime
    /// Whether it was withdrawn, because there was no reason for it any more.
    package var isWithdrawn = false

    /// The mark that a later one replaces.
    package struct Key: Hashable, Sendable {
        let topic: ReminderTopic
        let service: NotifyServiceName
    }

    package var key: Key { Key(topic: topic, service: service) }
}

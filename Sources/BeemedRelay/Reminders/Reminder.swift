import BeemedDomain

/// A message to the user about what only the relay knows.
struct Reminder: Sendable, Equatable {
    let topic: ReminderTopic
    /// The day that it is about: there is one reminder a day for each topic.
    let day: Daystamp
    /// Whole minutes until the goal derails, if it is about one that does.
    var minutesLeft: Int64?
    /// The amount due, as in "+2".
    var due: String?
    /// Whether `due` is a limit that must not be passed, as that of a goal to do less.
    var isLimit = false
    /// Why presses wait, if it is about those.
    var cause = Cause.silence
    /// Dollars at stake.
    var pledge: Double?
    /// The number of presses that wait for the goal.
    var waiting = 0
    /// The hours for which a device has been silent.
    var silentHours: Int64?
    /// Beeminder's reason for a refusal.
    var why: String?

    /// Why presses cannot be delivered.
    enum Cause: Sendable, Equatable {
        /// Beeminder cannot be reached, or does not take them.
        case silence
        /// Beeminder refuses the token, or it is another user's.
        case signIn
    }

    /// Creates a reminder without further facts.
    init(_ topic: ReminderTopic, on day: Daystamp) {
        self.topic = topic
        self.day = day
    }

    /// The same for the same topic and day: a service that knows the id replaces the message
    /// instead of showing it twice. At most 64 letters, digits and `-`, as ntfy demands; of a
    /// message with buttons 7 less, for the time behind it in the ids of their presses.
    var id: String {
        let subject = topic.subject.map { "-\($0)" } ?? ""
        let id = "\(topic.kind.rawValue)\(subject)-\(day)"
        guard id.utf8.count > 57 else { return id }
        let sum = String(CRC32C.of(Array(subject.utf8).span), radix: 16)
        return "\(topic.kind.rawValue)\(subject.prefix(30))-\(sum)-\(day)"
    }
}

/// The topic of a reminder. Each has at most one reminder a day.
enum ReminderTopic: Hashable, Sendable {
    /// The goal derails within its lead time, and the presses that wait here do not suffice.
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

    /// The kinds, as saved and shown to users.
    enum Kind: String, Codable, Sendable {
        case due
        case lastCall = "last-call"
        case stuck, refused
        case signIn = "sign-in"
        case quietDevice = "quiet-device"
    }

    /// The topic of that kind; nil when the subject is missing or cannot be one.
    init?(_ kind: Kind, subject: String?) {
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

    var kind: Kind {
        switch self {
        case .due: .due
        case .lastCall: .lastCall
        case .stuck: .stuck
        case .refused: .refused
        case .signIn: .signIn
        case .quietDevice: .quietDevice
        }
    }

    /// The goal of the topic, if there is one.
    var goal: GoalSlug? {
        switch self {
        case .due(let goal), .lastCall(let goal), .stuck(let goal), .refused(let goal): goal
        case .signIn, .quietDevice: nil
        }
    }

    /// The goal's or the device's name.
    var subject: String? {
        if case .quietDevice(let device) = self { return device.description }
        return goal?.description
    }

    /// Whether the reminder is sent in quiet hours too: later is too late.
    var isUrgent: Bool {
        switch self {
        case .lastCall, .stuck: true
        case .due, .refused, .signIn, .quietDevice: false
        }
    }
}

extension ReminderTopic {
    /// Whether the topic depends on the amount due and the deadline of a goal.
    var restsOnGoals: Bool { kind == .due || kind == .lastCall }
}

/// A reminder that a service has: it is not sent there again, also after a restart. It is saved
/// when the service has accepted it. After a crash in between the reminder is sent again, under the
/// same id: a reminder that never came would cost money.
struct SentReminder: Hashable, Sendable {
    var topic: ReminderTopic
    /// The service's name.
    var service: String
    /// The day of the reminder.
    var day: Daystamp
    /// When the service accepted it.
    var at: UnixTime
    /// Whether the reminder was withdrawn, because its reason had gone.
    var isWithdrawn = false

    /// The one that a later one replaces.
    struct Key: Hashable, Sendable {
        let topic: ReminderTopic
        let service: String
    }

    var key: Key { Key(topic: topic, service: service) }
}

extension SentReminder: Codable {
    private struct Saved: Codable {
        var kind: ReminderTopic.Kind
        var subject: String?
        var service: String
        var day: String
        var at: Int64
        var withdrawn: Bool
    }

    init(from decoder: any Decoder) throws {
        let saved = try Saved(from: decoder)
        guard let topic = ReminderTopic(saved.kind, subject: saved.subject),
            let day = Daystamp(saved.day)
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no topic"))
        }
        (self.topic, service, self.day) = (topic, saved.service, day)
        (at, isWithdrawn) = (UnixTime(saved.at), saved.withdrawn)
    }

    func encode(to encoder: any Encoder) throws {
        try Saved(
            kind: topic.kind, subject: topic.subject, service: service, day: day.description,
            at: at.seconds, withdrawn: isWithdrawn
        ).encode(to: encoder)
    }
}

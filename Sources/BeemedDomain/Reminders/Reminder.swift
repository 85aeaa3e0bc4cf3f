/// A message to the user about what only the relay knows.
package struct Reminder: Sendable, Equatable {
    package let topic: ReminderTopic
    /// The day that it is about: there is one reminder a day for each topic.
    package let day: Daystamp
    /// Whole minutes until the goal derails, if it is about one that does.
    package var minutesLeft: Int64?
    /// The amount due, as in "+2".
    package var due: String?
    /// Whether `due` is a limit that must not be passed, as that of a goal to do less.
    package var isLimit = false
    /// Why presses wait, if it is about those.
    package var cause = Cause.silence
    /// Dollars at stake.
    package var pledge: Double?
    /// The number of presses that wait for the goal.
    package var waiting = 0
    /// The hours for which a device has been silent.
    package var silentHours: Int64?
    /// Beeminder's reason for a refusal.
    package var why: String?

    /// Why presses cannot be delivered.
    package enum Cause: Sendable, Equatable {
        /// Beeminder cannot be reached, or does not take them.
        case silence
        /// Beeminder refuses the token, or it is another user's.
        case signIn
    }

    /// Creates a reminder without further facts.
    package init(_ topic: ReminderTopic, on day: Daystamp) {
        self.topic = topic
        self.day = day
    }

    /// The same for the same topic and day: a service that knows it replaces the message instead of
    /// showing it twice. At most 64 letters, digits and `-`, as ntfy demands.
    package var id: String { Reminder.id(of: topic, on: day) }

    static func id(of topic: ReminderTopic, on day: Daystamp) -> String {
        let subject = topic.subject.map { "-\($0)" } ?? ""
        let id = "\(topic.kind.rawValue)\(subject)-\(day)"
        guard id.utf8.count > 64 else { return id }
        let sum = String(CRC32C.of(Array(subject.utf8).span), radix: 16)
        return "\(topic.kind.rawValue)\(subject.prefix(30))-\(sum)-\(day)"
    }
}

import BeemedDomain
import RelayTrunk

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
    /// Whether presses wait because Beeminder refuses the token, or it is another user's, and not
    /// because Beeminder cannot be reached or does not take them.
    var mustSignIn = false
    /// Dollars at stake.
    var pledge: Double?
    /// The number of presses that wait for the goal.
    var waiting = 0
    /// The hours for which a device has been silent.
    var silentHours: Int64?
    /// Beeminder's reason for a refusal.
    var why: String?
    /// Whether +1 is one more to its goal, and not a reading such as a weight.
    var adds = true
    /// The page that a tap opens: the goal's at Beeminder.
    var link: String?
    var buttons: [Button] = []

    /// A button of the message, with which the service sends a POST to this URL, with the token.
    struct Button: Sendable, Equatable {
        var label: String
        var url: String
        var token: String
    }

    init(_ topic: ReminderTopic, on day: Daystamp) {
        self.topic = topic
        self.day = day
    }

    /// Shows that a service works.
    static let test = Reminder(ReminderTopic(kind: .test), on: Daystamp(number: 0))

    /// The same for the same topic and day: a service that knows the id replaces the message
    /// instead of showing it twice. At most 64 letters, digits and `-`, as ntfy demands; of a
    /// message with buttons 7 less, for the time behind it in the ids of their presses.
    var id: String {
        guard topic.kind != .test else { return "test" }
        let subject = topic.subject.map { "-\($0)" } ?? ""
        let id = "\(topic.kind.rawValue)\(subject)-\(day)"
        guard id.utf8.count > 57 else { return id }
        let sum = String(CRC32C.of(Array(subject.utf8).span), radix: 16)
        return "\(topic.kind.rawValue)\(subject.prefix(30))-\(sum)-\(day)"
    }

    // MARK: For services

    /// As JSON, for services without a protocol of their own.
    func json(isWithdrawn: Bool) -> [UInt8] {
        JSONWriter.object { json in
            json.add("id", id)
            topic.write(to: &json)
            if topic.kind != .test { json.add("day", day.dashed) }
            json.add("title", words.title)
            json.add("message", words.text)
            json.add("urgent", topic.isUrgent)
            if let minutesLeft { json.add("minutesLeft", minutesLeft) }
            if let due { json.add("due", due) }
            json.add("waiting", Int64(waiting))
            if !adds { json.add("adds", false) }
            if let link { json.add("url", link) }
            json.add("withdrawn", isWithdrawn)
        }
    }

    /// Title and text. Names of goals and devices are ASCII, and so is all of it: some services
    /// take the title in a header field.
    var words: (title: String, text: String) {
        let name = topic.subject ?? ""
        let left = minutesLeft.map { ($0 * 60).inWords } ?? "soon"
        let money = pledge.flatMap { $0 > 0 ? ", $\($0.shortText) at stake" : nil } ?? ""
        let presses = waiting == 1 ? "1 press waits" : "\(waiting) presses wait"
        let what = isLimit ? "limit \(due ?? "near")" : "\(due ?? "data") due"
        let waits =
            waiting == 0 || isLimit ? "" : " \(presses) here and may not be enough."
        switch topic.kind {
        case .due: return ("\(name): \(what)", "It derails in \(left)\(money).\(waits)")
        case .lastCall:
            return ("\(name) derails in \(left)", "Last call: \(what)\(money).\(waits)")
        case .stuck:
            let derails =
                (minutesLeft ?? 0) < 0 ? "It has derailed" : "It derails in \(left)"
            return ("\(name): \(presses) for Beeminder", "\(derails)\(money), and \(cause)")
        case .refused where waiting > 0:
            return (
                "\(name): \(presses) for Beeminder",
                "\(why ?? "Beeminder does not take them"). Restore the goal, or send them to "
                    + "another one on the relay's page."
            )
        case .refused:
            let reason = why.map { ": \($0)" } ?? ""
            return (
                "\(name): Beeminder refused a press",
                "It does not count\(reason). Repair, retry or discard it on the relay's page."
            )
        case .signIn:
            return (
                "Sign in to Beeminder again",
                "Beeminder refuses the relay's token. Presses are kept and wait until you connect "
                    + "the account again on the relay's page."
            )
        case .quietDevice:
            return (
                "\(name) is silent",
                "Nothing has come from it for \(silentHours ?? 0) hours. Is its battery empty?"
            )
        case .test:
            return (
                "Reminders work",
                "This is a test of your relay. What it has to say about your goals comes here."
            )
        }
    }

    /// Why presses wait, and what to do. A person who does not wait takes them back first: without
    /// that two datapoints would be there later.
    private var cause: String {
        let why =
            mustSignIn
            ? "Beeminder refuses the relay's token, or it is another user's. Connect the account "
                + "again on the relay's page"
            : "Beeminder cannot be reached from the relay. Check the network"
        return "\(why), or take back on the relay's page what waits, and then log it at "
            + "beeminder.com."
    }
}

/// The topic of a reminder. Each has at most one reminder a day.
struct ReminderTopic: Codable, Equatable, Sendable {
    /// The kinds, as saved and shown to users.
    enum Kind: String, Codable, Sendable {
        /// The goal derails within its lead time, and the presses that wait here do not suffice.
        case due
        /// The same, hours before it derails.
        case lastCall = "last-call"
        /// A press waits here, and its goal derails within hours.
        case stuck
        /// Beeminder has refused a press, or no longer has the goal.
        case refused
        /// Beeminder refuses the token.
        case signIn = "sign-in"
        /// A device that is expected to send has sent nothing.
        case quietDevice = "quiet-device"
        /// No reason: a service is tested.
        case test
    }

    let kind: Kind
    /// The goal's or the device's name.
    private(set) var subject: String?

    /// The goal, of the kinds that are about one.
    var goal: GoalSlug? { kind == .quietDevice ? nil : subject.flatMap(GoalSlug.init) }

    /// Whether the reminder is sent in quiet hours too: later is too late.
    var isUrgent: Bool { kind == .lastCall || kind == .stuck }

    /// Whether the topic depends on the amount due and the deadline of a goal.
    var restsOnGoals: Bool { kind == .due || kind == .lastCall }

    func write(to json: inout JSONWriter) {
        json.add("kind", kind.rawValue)
        guard let subject else { return }
        if kind == .quietDevice { json.add("device", subject) } else { json.add("goal", subject) }
    }
}

extension ReminderTopic {
    init(_ kind: Kind, _ goal: GoalSlug) { self.init(kind: kind, subject: goal.description) }
}

/// A reminder that a service has: it is not sent there again, also after a restart. It is saved
/// when the service has accepted it. After a crash in between the reminder is sent again, under the
/// same id: a reminder that never came would cost money.
struct SentReminder: Codable, Equatable, Sendable {
    let topic: ReminderTopic
    let service: String
    /// The day of the reminder, as in `20261122`.
    let day: String
    /// When the service accepted it, in Unix seconds.
    let at: Int64
    /// Whether the reminder was withdrawn, because its reason had gone.
    var withdrawn = false
}

import BeemedDomain
import RelayTrunk

/// When reminders are sent, as the user has set it.
struct ReminderRules: Sendable, Equatable {
    /// The hours without reminders; nil without any.
    var quietHours: QuietHours? = .standard
    /// The goals with a lead of their own, by name; the others have Beeminder's.
    var goals: [String: Lead] = [:]
    /// Goals for which reminders are put off, by name.
    var snoozes: [String: Snooze] = [:]
    /// Until when there are no reminders at all, in Unix seconds; nil when they are on.
    var offUntil: Int64?

    /// Creates the default rules.
    init() {}

    /// How long before a goal derails the reminder comes.
    enum Lead: Sendable, Equatable, Codable {
        /// Never.
        case off
        /// This many hours before.
        case hours(Int)

        /// The accepted hours: a week at most.
        static let range = 1...168

        init(from decoder: any Decoder) throws {
            let hours = try decoder.singleValueContainer().decode(Int.self)
            guard hours == 0 || Lead.range.contains(hours) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath, debugDescription: "not 0 to 168"))
            }
            self = hours == 0 ? .off : .hours(hours)
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .off: try value.encode(0)
            case .hours(let hours): try value.encode(hours)
            }
        }
    }

    /// "Not now." When the snooze ends, a reminder sent before is sent once more.
    struct Snooze: Sendable, Equatable, Codable {
        /// The end, in Unix seconds.
        var until: Int64
    }

    /// Forgets snoozes that ended days ago: only the last one counts.
    mutating func forgetOld(at now: UnixTime) {
        let oldest = now.seconds - 7 * 86_400
        snoozes = snoozes.filter { $0.value.until > oldest }
        if let end = offUntil, end <= oldest { offUntil = nil }
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
        end(of: topic).flatMap { $0 > now ? $0 : nil }
    }

    /// When the last snooze of its goal, or of all goals, ended; nil when there was none.
    func endOfSnooze(of topic: ReminderTopic, at now: UnixTime) -> UnixTime? {
        end(of: topic).flatMap { $0 <= now ? $0 : nil }
    }

    /// The later end of the last snooze of its goal and that of all goals; nil without any.
    private func end(of topic: ReminderTopic) -> UnixTime? {
        let snooze = topic.goal.flatMap { snoozes[$0.description]?.until }
        return [offUntil, snooze].compactMap { $0 }.max().map { UnixTime($0) }
    }
}

/// The hours of each day, in the user's local time, in which only urgent reminders are sent.
struct QuietHours: Sendable, Equatable {
    /// Minutes after midnight.
    let from: Int
    /// Minutes after midnight; earlier than `from` when midnight is among them.
    let until: Int

    /// From 22:00 to 07:00.
    static let standard = QuietHours(from: 22 * 60, until: 7 * 60)

    private init(from: Int, until: Int) {
        self.from = from
        self.until = until
    }

    /// Parses `22:00-07:00`; nil for anything else, and for an empty range.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let from = QuietHours.minutes(parts[0]),
            let until = QuietHours.minutes(parts[1]), from != until
        else { return nil }
        self.init(from: from, until: until)
    }

    /// Parses `7:00`, `07:00` or `24:00`.
    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.filter { $0 != " " }.split(
            separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0...24).contains(hour),
            (0...59).contains(minute), hour < 24 || minute == 0
        else { return nil }
        return (hour * 60 + minute) % 1_440
    }

    /// Seconds until they end; nil outside of them.
    ///
    /// - Parameter localSecond: seconds after midnight in the user's time zone.
    func secondsLeft(at localSecond: Int64) -> Int64? {
        let (start, end) = (Int64(from) * 60, Int64(until) * 60)
        let isInside =
            start < end
            ? (start..<end).contains(localSecond) : localSecond >= start || localSecond < end
        guard isInside else { return nil }
        return end > localSecond ? end - localSecond : end + 86_400 - localSecond
    }

    /// As parsed: `22:00-07:00`.
    var description: String { "\(QuietHours.text(from))-\(QuietHours.text(until))" }

    private static func text(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension QuietHours: Codable {
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let hours = QuietHours(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "not HH:MM-HH:MM"))
        }
        self = hours
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }
}

/// The user's settings of reminders, as saved.
struct ReminderBook: Codable, Sendable, Equatable, CheckedBook {
    /// The unusable parts of the file: they stay there.
    private struct LeftOut: Sendable, Equatable {
        var services: [SavedEntry<String>] = []
        var leads = NamedEntries<ReminderRules.Lead>()
        var snoozes = NamedEntries<ReminderRules.Snooze>()
    }

    private struct SavedRules: Codable {
        var quietHours: QuietHours?
        var goals: NamedEntries<ReminderRules.Lead>
        var snoozes: NamedEntries<ReminderRules.Snooze>
        var offUntil: Int64?
    }

    private enum CodingKeys: String, CodingKey {
        case rules, services
    }

    var rules = ReminderRules()
    /// Services added while the relay ran; those of the settings are not among them.
    var services: [String] = []
    private var leftOut = LeftOut()

    /// The maximum number of services: each is sent every reminder.
    static let maxServices = 16

    init() {}

    /// All that can be read is used until `leaveOut`.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let saved = try members.decode(SavedRules.self, forKey: .rules)
        (rules.quietHours, rules.offUntil) = (saved.quietHours, saved.offUntil)
        (leftOut.leads, leftOut.snoozes) = (saved.goals, saved.snoozes)
        swap(&rules.goals, &leftOut.leads.used)
        swap(&rules.snoozes, &leftOut.snoozes.used)
        for service in try members.decode([SavedEntry<String>].self, forKey: .services) {
            if case .readable(let address) = service {
                services.append(address)
            } else {
                leftOut.services.append(service)
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var (leads, snoozes) = (leftOut.leads, leftOut.snoozes)
        for (goal, lead) in rules.goals { leads.set(lead, for: goal) }
        for (goal, snooze) in rules.snoozes { snoozes.set(snooze, for: goal) }
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(
            SavedRules(
                quietHours: rules.quietHours, goals: leads, snoozes: snoozes,
                offUntil: rules.offUntil), forKey: .rules)
        let all = services.map { SavedEntry.readable($0) } + leftOut.services
        try members.encode(all, forKey: .services)
    }

    /// Leaves out invalid addresses and the settings of names that are no goals.
    ///
    /// - Returns: each of them in words, as in "the lead of 'a b'", and its fault.
    mutating func leaveOut() -> [(entry: String, fault: String)] {
        // Not quoted: an address may contain a token.
        let indices = services.indices.filter { NotifyURL(services[$0]) == nil }
        var found = indices.map { index in
            (entry: "address \(index + 1) of 'services'", fault: "it \(NotifyURL.advice)")
        }
        found += leftOut.services.map { _ in
            (entry: "an address of 'services'", fault: "it is no text")
        }
        leftOut.services += indices.map { .readable(services[$0]) }
        services = services.filter { NotifyURL($0) != nil }
        return found
            + ReminderBook.leaveOut("lead of", &rules.goals, &leftOut.leads)
            + ReminderBook.leaveOut("snooze of", &rules.snoozes, &leftOut.snoozes)
    }

    private static func leaveOut<Entry: Codable & Equatable & Sendable>(
        _ word: String, _ list: inout [String: Entry], _ leftOut: inout NamedEntries<Entry>
    ) -> [(entry: String, fault: String)] {
        swap(&list, &leftOut.used)
        defer { swap(&list, &leftOut.used) }
        return leftOut.leaveOut(word) { name, _ in
            GoalSlug(name) == nil ? "it is no goal's name in its Beeminder URL" : nil
        }
    }

    /// All services, those of the settings first, each once.
    func all(_ configured: [NotifyURL]) -> [NotifyURL] {
        var found: [NotifyURL] = []
        for url in configured + services.compactMap(NotifyURL.init)
        where !found.contains(where: { $0.name == url.name }) {
            found.append(url)
        }
        return found
    }
}

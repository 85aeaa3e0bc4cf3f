import BeemedDomain

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

    /// When the last snooze of its goal ended; nil when there was none.
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

import BeemedDomain
import RelayTrunk

/// The user's settings of reminders, as saved.
struct ReminderBook: Codable, Sendable {
    /// The hours without reminders; nil without any.
    var quietHours: QuietHours? = .standard
    /// How many hours before a goal derails its reminder comes, by the goal's name; 0 for never. The
    /// others have Beeminder's lead.
    var goals: [String: Int64] = [:]
    /// Until when reminders of a goal are put off, in Unix seconds, by the goal's name. When that
    /// ends, a reminder sent before is sent once more.
    var snoozes: [String: Int64] = [:]
    /// Until when there are no reminders at all, in Unix seconds; nil when they are on.
    var offUntil: Int64?
    /// The addresses of services added while the relay ran. Services of the relay's settings are
    /// not among them.
    private var services: [String] = []

    /// The hours that a goal's lead may have: a week at most.
    static let leadHours: ClosedRange<Int64> = 1...168
    /// The maximum number of services: each is sent every reminder.
    static let maxServices = 16

    /// The lead of the goal with these names, the present one first; nil for none of its own.
    func lead(of names: [String]) -> Int64? { names.lazy.compactMap { goals[$0] }.first }

    /// The later end of the last snooze of the goal with these names, the present one first, and
    /// that of all goals; nil without any.
    func endOfSnooze(of names: [String]) -> UnixTime? {
        let snooze = names.lazy.compactMap { snoozes[$0] }.first
        return [offUntil, snooze].compactMap(\.self).max().map { UnixTime($0) }
    }

    mutating func add(_ address: String) { services.append(address) }

    /// Removes a service, unless it has this address, and returns whether there was one.
    mutating func remove(_ name: String, unless address: String? = nil) -> Bool {
        let before = services.count
        services.removeAll { NotifyURL($0)?.name == name && $0 != address }
        return services.count < before
    }

    /// All services, those of the settings first, each once.
    func all(_ configured: [NotifyURL]) -> [NotifyURL] {
        var found: [NotifyURL] = []
        for url in configured + services.compactMap({ NotifyURL($0) })
        where !found.contains(where: { $0.name == url.name }) {
            found.append(url)
        }
        return found
    }
}

extension ReminderBook {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        quietHours = try members.decodeIfPresent(QuietHours.self, forKey: .quietHours)
        offUntil = try members.decodeIfPresent(Int64.self, forKey: .offUntil)
        goals = try members.decode([String: Int64].self, forKey: .goals)
        snoozes = try members.decode([String: Int64].self, forKey: .snoozes)
        services = try members.decode([String].self, forKey: .services)
        for (name, hours) in goals where hours != 0 && !ReminderBook.leadHours.contains(hours) {
            throw FileFault(
                words: "the hours of '\(name.cut(to: 64))' must be up to 168, or 0 for never")
        }
        // Not quoted: an address may contain a token.
        if let index = services.firstIndex(where: { NotifyURL($0) == nil }) {
            throw FileFault(words: "address \(index + 1) of 'services' \(NotifyURL.advice)")
        }
    }
}

/// The hours of each day, in the user's local time, in which only urgent reminders are sent, as in
/// `22:00-07:00`.
struct QuietHours: RawRepresentable, Codable, Sendable {
    /// Minutes after midnight.
    private let from: Int
    /// Minutes after midnight; earlier than `from` when midnight is among them.
    private let until: Int

    static let standard = QuietHours(rawValue: "22:00-07:00")

    /// Parses `22:00-07:00`, also `7:00` or `24:00`; nil for anything else, and for an empty range.
    init?(rawValue text: String) {
        let form = /([0-9]{1,2}):([0-5][0-9]) *- *([0-9]{1,2}):([0-5][0-9])/
        guard
            let (_, hour, minute, endHour, endMinute) = text.trimmed.wholeMatch(of: form)?
                .output,
            let from = QuietHours.minutes(hour, minute),
            let until = QuietHours.minutes(endHour, endMinute), from != until
        else { return nil }
        (self.from, self.until) = (from, until)
    }

    private static func minutes(_ hour: Substring, _ minute: Substring) -> Int? {
        guard let hour = Int(hour), let minute = Int(minute) else { return nil }
        let minutes = hour * 60 + minute
        return minutes <= 1_440 ? minutes % 1_440 : nil
    }

    /// Whether they last at a time of day of the user, in seconds after midnight.
    func contains(_ second: Int64) -> Bool {
        let minute = second / 60
        return from < until
            ? (from..<until).contains(Int(minute)) : minute >= from || minute < until
    }

    var rawValue: String {
        [from, until].map { minutes in
            [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
                .joined(separator: ":")
        }.joined(separator: "-")
    }
}

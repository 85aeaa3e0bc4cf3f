import BeemedDomain
import RelayTrunk

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

import BeemedDomain

/// The user's settings of reminders, as saved.
struct ReminderBook: Codable, Sendable, Equatable {
    var rules = ReminderRules()
    /// Services added while the relay ran; those of the settings are not among them.
    var services: [String] = []

    /// The maximum number of services: each is sent every reminder.
    static let mostServices = 16

    /// All services, those of the settings first, each once.
    func all(_ configured: [NotifyURL]) -> [NotifyURL] {
        var found = configured
        for url in services.compactMap(NotifyURL.init)
        where !found.contains(where: { $0.name == url.name }) {
            found.append(url)
        }
        return found
    }
}

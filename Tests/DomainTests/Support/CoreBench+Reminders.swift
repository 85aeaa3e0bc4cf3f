@testable import BeemedDomain

extension CoreBench {
    var ids: [String] { reminded.map(\.reminder.id) }

    mutating func remind(_ services: [String] = ["ntfy"], rules: ReminderRules = ReminderRules()) {
        apply(
            .reminding(rules, services.map { NotifyService(.known($0), canWithdraw: true) }))
    }

    /// A service has accepted what it was sent.
    mutating func accept(_ service: String = "ntfy") {
        apply(.notified(.known(service), .accepted))
    }

    mutating func fail(_ service: String) {
        apply(.notified(.known(service), .failed(retryAfter: nil)))
    }

    mutating func expect(_ device: String, within seconds: Int64, seen: UnixTime) {
        apply(.expecting([ExpectedDevice(.known(device), within: seconds, lastSeen: seen)]))
    }

    mutating func pass(to time: Int64) { pass(seconds: Double(time - now.wall.seconds)) }

    /// Beeminder says once more what it has said, and a second passes.
    mutating func refresh() {
        learn(core.goals.goals, timezone: core.goals.zone?.name)
        pass(seconds: 1)
    }
}

extension NotifyServiceName {
    static func known(_ text: String) -> NotifyServiceName {
        guard let name = NotifyServiceName(text) else { preconditionFailure("no service: \(text)") }
        return name
    }
}

import RelayHTTP

/// The resources below `/reminders`.
enum ReminderPart: Equatable {
    case all, services, test, snooze
    case service(name: String)

    /// The part of a path below `/reminders`.
    ///
    /// - Parameter rest: what follows the name, without its slash.
    init?(_ name: String, _ rest: String?) {
        switch (name, rest) {
        case ("services", nil): self = .services
        case ("services", let service?):
            self = .service(name: FormDecoder.decode(Substring(service), plusIsBlank: false))
        case ("test", nil): self = .test
        case ("snooze", nil): self = .snooze
        default: return nil
        }
    }

    var methods: [Method] {
        switch self {
        case .all: [.get, .head, .put, .options]
        case .services, .test: [.post, .options]
        case .snooze: [.post, .delete, .options]
        case .service: [.delete, .options]
        }
    }

    /// The pattern of its path, as in the contract.
    var route: StaticString {
        switch self {
        case .all: "/reminders"
        case .services: "/reminders/services"
        case .test: "/reminders/test"
        case .snooze: "/reminders/snooze"
        case .service: "/reminders/services/{name}"
        }
    }
}

import RelayHTTP

/// The resource that a path names.
enum Resource: Equatable {
    case log(goal: String?)
    case trigger(goal: String)
    case undo(goal: String)
    case events
    case event(id: String)
    case retry(event: String)
    case goals
    case goalRefresh
    case healthData
    case seenMetrics
    case rules
    case rule(name: String)
    case pins
    case pin(goal: String)
    case presets
    case preset(name: String)
    case context
    case contextStream
    case export
    case importing
    case flush
    case connection
    case oauthStart
    case oauthCallback
    case devices
    case device(name: String)
    case rotation(device: String)
    case expectation(device: String)
    case reminders(ReminderPart)
    case goalReminder(goal: String)
    case home
    case page(file: String)
    case recipe(file: String)
    case login
    case logout
    case sessions
    case ownerLink
    case qrCode
    case requests
    case metrics
    case settings
    case healthCheck
    case ready
    case manual(Manual.Part)

    /// The resource of a path, or nil. Unreserved characters may be percent-encoded (RFC 3986
    /// section 6.2.2.2), a trailing slash is allowed, and so are several at the beginning, as of a
    /// device that appends `/log` to an address that ends with one.
    init?(path: String) {
        if let exact = Resource(exact: path) {
            self = exact
            return
        }
        guard let usual = Resource.usual(path), let resource = Resource(exact: usual) else {
            return nil
        }
        self = resource
    }

    /// The path in normal form; nil when it is so already.
    private static func usual(_ path: String) -> String? {
        var usual = PathEscapes.decodingUnreserved(path)
        if usual.hasPrefix("//") {
            let rest = usual.drop { $0 == "/" }
            if !rest.isEmpty { usual = "/" + rest }
        }
        if usual.utf8.count > 1, usual.hasSuffix("/") { usual.removeLast() }
        return usual == path || usual == "/" ? nil : usual
    }

    /// Whether a plain GET changes it, for devices that can only fetch a URL.
    var changesByGet: Bool {
        switch self {
        case .trigger, .undo: true
        default: false
        }
    }

    /// The resource of a path in normal form. Segments are decoded one by one, so an encoded slash
    /// stays part of its segment.
    private init?(exact path: String) {
        switch path {
        case "/log": self = .log(goal: nil)
        case "/events": self = .events
        case "/context": self = .context
        case "/context/stream": self = .contextStream
        case "/export": self = .export
        case "/import": self = .importing
        case "/goals": self = .goals
        case "/goals/refresh": self = .goalRefresh
        case "/pins": self = .pins
        case "/health": self = .healthData
        case "/health/seen": self = .seenMetrics
        case "/rules": self = .rules
        case "/presets": self = .presets
        case "/flush": self = .flush
        case "/connection": self = .connection
        case "/oauth/start": self = .oauthStart
        case "/oauth/callback": self = .oauthCallback
        case "/devices": self = .devices
        case "/": self = .home
        case "/login": self = .login
        case "/logout": self = .logout
        case "/sessions": self = .sessions
        case "/owner-link": self = .ownerLink
        case "/qr": self = .qrCode
        case "/requests": self = .requests
        case "/metrics": self = .metrics
        case "/settings": self = .settings
        default:
            if let other = Resource.other(path) {
                self = other
                return
            }
            let segments = path.dropFirst().split(
                separator: "/", omittingEmptySubsequences: false)
            guard segments.count >= 2, !segments[1].isEmpty else { return nil }
            self.init(segments)
        }
    }

    /// Reminders, the manual, and what watches over the relay.
    private static func other(_ path: String) -> Resource? {
        switch path {
        case "/reminders": .reminders(.all)
        case "/healthz": .healthCheck
        case "/readyz": .ready
        case "/docs": .manual(.page)
        case "/docs/manual.css": .manual(.style)
        case "/docs/manual.js": .manual(.script)
        case "/openapi.yaml": .manual(.contract)
        default: nil
        }
    }

    /// The resource of a path with a name in it.
    private init?(_ segments: [Substring]) {
        let name = FormDecoder.decode(segments[1], plusIsBlank: false)
        let rest = segments.count > 2 ? segments[2...].joined(separator: "/") : nil
        switch (segments[0], rest) {
        case ("log", nil): self = .log(goal: name)
        case ("log", "trigger"): self = .trigger(goal: name)
        case ("log", "undo"): self = .undo(goal: name)
        case ("events", nil): self = .event(id: name)
        case ("events", "retry"): self = .retry(event: name)
        case ("pins", nil): self = .pin(goal: name)
        case ("rules", nil): self = .rule(name: name)
        case ("presets", nil): self = .preset(name: name)
        case ("devices", nil): self = .device(name: name)
        case ("devices", "rotate"): self = .rotation(device: name)
        case ("devices", "expect"): self = .expectation(device: name)
        case ("goals", "reminder"): self = .goalReminder(goal: name)
        case ("reminders", let rest):
            guard let part = ReminderPart(name, rest) else { return nil }
            self = .reminders(part)
        case ("page", nil): self = .page(file: name)
        case ("docs", let file?) where name == "recipes" && segments.count == 3:
            self = .recipe(file: file)
        default: return nil
        }
    }

    /// The allowed methods. GET includes HEAD; OPTIONS is always allowed.
    var methods: [Method] {
        switch self {
        case .log: [.post, .put, .options]
        case .undo: [.get, .head, .post, .options]
        case .event: [.get, .head, .delete, .options]
        case .events: [.get, .head, .post, .options]
        case .preset, .rule: [.get, .head, .put, .delete, .options]
        case .pin: [.put, .delete, .options]
        case .importing: [.get, .head, .post, .options]
        case .trigger, .context, .contextStream, .export, .goals, .pins, .presets, .home, .page,
            .recipe, .rules, .seenMetrics,
            .login, .requests, .metrics, .settings, .healthCheck, .ready, .manual, .oauthStart:
            [.get, .head, .options]
        case .healthData, .retry, .goalRefresh, .flush, .logout, .ownerLink, .qrCode:
            [.post, .options]
        case .connection: [.get, .head, .put, .delete, .options]
        case .oauthCallback: [.get, .head, .post, .options]
        case .devices: [.get, .head, .post, .options]
        case .device: [.put, .patch, .delete, .options]
        case .sessions: [.delete, .options]
        case .rotation: [.post, .options]
        case .expectation: [.put, .options]
        case .goalReminder: [.get, .head, .put, .delete, .options]
        case .reminders(let part): part.methods
        }
    }
}

extension Resource {
    /// The pattern of its path, as in the contract.
    var route: StaticString {
        switch self {
        case .log(let goal): goal == nil ? "/log" : "/log/{goal}"
        case .trigger: "/log/{goal}/trigger"
        case .undo: "/log/{goal}/undo"
        case .events: "/events"
        case .event: "/events/{id}"
        case .retry: "/events/{id}/retry"
        case .goals: "/goals"
        case .goalRefresh: "/goals/refresh"
        case .healthData: "/health"
        case .seenMetrics: "/health/seen"
        case .rules: "/rules"
        case .rule: "/rules/{name}"
        case .pins: "/pins"
        case .pin: "/pins/{goal}"
        case .presets: "/presets"
        case .preset: "/presets/{name}"
        case .export: "/export"
        case .importing: "/import"
        case .context: "/context"
        case .contextStream: "/context/stream"
        case .flush: "/flush"
        case .connection: "/connection"
        case .oauthStart: "/oauth/start"
        case .oauthCallback: "/oauth/callback"
        case .devices: "/devices"
        case .device: "/devices/{name}"
        case .rotation: "/devices/{name}/rotate"
        case .expectation: "/devices/{name}/expect"
        case .goalReminder: "/goals/{goal}/reminder"
        case .reminders(let part): part.route
        case .home: "/"
        case .page: "/page/{file}"
        case .recipe: "/docs/recipes/{file}"
        case .login: "/login"
        case .logout: "/logout"
        case .sessions: "/sessions"
        case .ownerLink: "/owner-link"
        case .qrCode: "/qr"
        case .requests: "/requests"
        case .metrics: "/metrics"
        case .settings: "/settings"
        case .healthCheck: "/healthz"
        case .ready: "/readyz"
        case .manual(.page): "/docs"
        case .manual(.style): "/docs/manual.css"
        case .manual(.script): "/docs/manual.js"
        case .manual(.contract): "/openapi.yaml"
        }
    }

    /// Whether the content of a request to it is kept to be shown: it says why a press or a day of
    /// health data is missing.
    var showsContent: Bool {
        switch self {
        case .log, .trigger, .undo, .events, .healthData: true
        default: false
        }
    }

    /// Whether path and query of a request to it are shown: a token, or the address of a service,
    /// may stand in them by mistake.
    var showsTarget: Bool {
        switch self {
        case .connection, .reminders(.services), .reminders(.service): false
        default: true
        }
    }

    /// The pattern to show in place of a path that is not shown; nil for any other.
    static func shownPath(of path: String) -> String? {
        guard let resource = Resource(path: path), !resource.showsTarget else { return nil }
        return "\(resource.route)"
    }

    /// An alternative to the wrong method, for the error text.
    func hint(for method: Method) -> String {
        guard case .log = self, method == .get else { return "" }
        return "; what can only fetch a URL logs by GET /log/GOAL/trigger"
    }
}

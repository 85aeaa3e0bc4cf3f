import RelayHTTP

/// Tells when a network comes back, so that what waits for its next attempt need not wait.
protocol Connectivity: Sendable {
    /// Begins to watch. To be called once.
    ///
    /// - Parameter cameBack: called on the loop, within a second of a network that comes back and
    ///   at most once a second; never because one goes.
    func watch(on loop: Loop, cameBack: @escaping @Sendable () -> Void)
}

/// What this system offers.
enum SystemConnectivity {
    /// A watch; nil where the system has none to offer, and the timers alone must do.
    static func make() -> (any Connectivity)? {
        #if canImport(Network)
            PathWatch()
        #elseif os(Linux)
            RouteWatch()
        #else
            nil
        #endif
    }
}

/// Makes one of many: an interface that comes up brings a dozen messages, of its link, addresses
/// and routes, and the last of them is what makes it of use.
struct Debounce: Sendable {
    private var due: Instant?
    private var last = Instant.distantPast

    /// How long to wait for what follows, in seconds.
    static let settling = 0.3
    /// The shortest time from one to the next, in seconds.
    static let pause = 1.0

    init() {}

    /// When to ask again; nil when nothing has happened.
    var wake: Instant? { due }

    /// It has happened.
    mutating func note(at now: Instant) {
        guard due == nil else { return }
        let settled = now.advanced(bySeconds: Debounce.settling)
        due =
            last == .distantPast ? settled : max(settled, last.advanced(bySeconds: Debounce.pause))
    }

    /// Whether it is time to say so.
    mutating func fires(at now: Instant) -> Bool {
        guard let due, due <= now else { return false }
        self.due = nil
        last = now
        return true
    }
}

package import RelayHTTP

#if canImport(Glibc)
    import CTimex
#endif

/// Reports when a network comes back, so that waiting deliveries are retried at once.
package protocol Connectivity: Sendable {
    /// Begins to watch. Must be called once.
    ///
    /// - Parameter cameBack: called on the loop, within a second after a network comes back and at
    ///   most once a second; never because one disappears.
    func watch(on loop: Loop, cameBack: @escaping @Sendable () -> Void)
}

/// The implementation for this system.
package enum SystemConnectivity {
    /// A watch; nil where the system has none, and only timers trigger retries.
    package static func make() -> (any Connectivity)? {
        #if canImport(Network)
            PathWatch()
        #elseif os(Linux)
            RouteWatch()
        #else
            nil
        #endif
    }
}

/// Joins many notifications into one: an interface that comes up causes a dozen messages about its
/// link, addresses and routes, and is usable only after the last.
struct Debounce: Sendable {
    /// When to check again; nil when nothing is pending.
    private(set) var wake: Instant?
    private var last = Instant.distantPast

    /// Delay for further messages, in seconds.
    static let settling = 0.3
    /// Minimum time between two reports, in seconds.
    static let pause = 1.0

    init() {}

    /// Records a message.
    mutating func update(at now: Instant) {
        guard wake == nil else { return }
        let settled = now.advanced(bySeconds: Debounce.settling)
        wake =
            last == .distantPast ? settled : max(settled, last.advanced(bySeconds: Debounce.pause))
    }

    /// Whether to report now.
    mutating func fires(at now: Instant) -> Bool {
        guard let due = wake, due <= now else { return false }
        wake = nil
        last = now
        return true
    }
}

/// Connectivity on Apple's systems.
#if canImport(Network)
    import Dispatch
    import Network
    import RelayHTTP
    import Synchronization

    /// The Network framework's monitor, which reports every change on its queue.
    final class PathWatch: Connectivity {
        private let monitor = NWPathMonitor()
        private let wasThere = Mutex(true)

        func watch(on loop: Loop, cameBack: @escaping @Sendable () -> Void) {
            monitor.pathUpdateHandler = { path in
                let isThere = path.status == .satisfied
                let hasComeBack = self.wasThere.withLock { wasThere in
                    defer { wasThere = isThere }
                    return isThere && !wasThere
                }
                if hasComeBack { loop.post(cameBack) }
            }
            monitor.start(queue: DispatchQueue(label: "connectivity"))
        }
    }
#endif

/// The kernel's clock status.
package enum ClockDiscipline {
    /// Whether NTP synchronizes the clock, according to the kernel (adjtimex(2), `STA_UNSYNC`); nil
    /// where unreadable. The time may still be wrong: a user may have set it since.
    package static var isSynchronized: Bool? {
        #if canImport(Glibc)
            var state = timex()
            guard unsafe adjtimex(&state) >= 0 else { return nil }
            return state.status & STA_UNSYNC == 0
        #else
            return nil
        #endif
    }
}

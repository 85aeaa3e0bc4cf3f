#if canImport(Network)
    import Dispatch
    import Network
    package import RelayHTTP
    import Synchronization
#else
    import RelayHTTP
#endif

#if canImport(Glibc)
    import CTimex
#endif

/// Reports when a network comes back, so that waiting deliveries are retried at once.
#if canImport(Network)
    package typealias Connectivity = PathWatch
#elseif os(Linux)
    package typealias Connectivity = RouteWatch
#endif

/// Connectivity on Apple's systems.
#if canImport(Network)
    /// The Network framework's monitor, which reports every change on its queue.
    package final class PathWatch: Sendable {
        private let monitor = NWPathMonitor()
        private let wasThere = Mutex(true)

        /// A watch, as on Linux, where there may be none.
        package init?() {}

        /// Begins to watch. Must be called once.
        ///
        /// - Parameter cameBack: called when a network comes back, as by `RouteWatch`.
        package func watch(on loop: Loop, cameBack: @escaping @Sendable () -> Void) {
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

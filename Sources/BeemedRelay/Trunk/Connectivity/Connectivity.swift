import BeemedDomain
import RelayHTTP

#if canImport(Glibc)
    import CTimex
#endif

/// Notices that a network has come back: while Beeminder cannot be reached it looks for addresses
/// that this machine did not have, so that what waits is sent at once, and not minutes later. To
/// compare addresses is the same on every system, and no work while Beeminder is reached.
struct NetworkWatch {
    /// When to look; nil while Beeminder is reached.
    private(set) var lookAt: Monotonic?
    private var addresses: [Address] = []
    private var hasNew = false

    /// Seconds between two looks. A new address is believed at the second one: it may not be usable
    /// before (RFC 4862 section 5.4), and routes come behind it.
    private static let interval = 0.3

    /// Begins to look, unless it does already.
    mutating func begin(
        at now: Monotonic, _ present: @autoclosure () -> [Address] = LocalAddresses.reachable
    ) {
        guard lookAt == nil else { return }
        addresses = present()
        lookAt = now.adding(seconds: NetworkWatch.interval)
    }

    /// Looks, if that is due, and returns whether a network has come back. Ends when Beeminder is
    /// reached.
    mutating func hasComeBack(
        at now: Monotonic, isOffline: @autoclosure () -> Bool,
        _ present: @autoclosure () -> [Address] = LocalAddresses.reachable
    ) -> Bool {
        guard let lookAt, lookAt <= now else { return false }
        let (known, isUsable) = (addresses, hasNew)
        self = NetworkWatch()
        guard isOffline() else { return false }
        begin(at: now, present())
        hasNew = addresses.contains { !known.contains($0) }
        return isUsable
    }
}

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

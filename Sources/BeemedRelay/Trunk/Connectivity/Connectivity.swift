import BeemedDomain
import RelayHTTP

#if canImport(Glibc)
    import CTimex
#endif

/// Notices that a network has come back: while Beeminder cannot be reached it looks for addresses
/// that this machine did not have, so that what waits is sent at once, and not minutes later.
struct NetworkWatch {
    /// When to look; nil while Beeminder is reached.
    private(set) var lookAt: Monotonic?
    private var addresses: [Address] = []
    private var hasNew = false

    /// Seconds between two looks. A new address is believed at the second one: it may not be usable
    /// before (RFC 4862 section 5.4), and routes come behind it.
    private static let interval = 0.5

    /// Notes whether Beeminder cannot be reached.
    mutating func note(isOffline: Bool, at now: Monotonic) {
        if !isOffline { self = NetworkWatch() }
        guard isOffline, lookAt == nil else { return }
        addresses = LocalAddresses.reachable
        lookAt = now.adding(seconds: NetworkWatch.interval)
    }

    /// Looks, if that is due, and returns whether a network has come back.
    mutating func hasComeBack(at now: Monotonic) -> Bool {
        guard let lookAt, lookAt <= now else { return false }
        self.lookAt = now.adding(seconds: NetworkWatch.interval)
        let (known, isUsable) = (addresses, hasNew)
        addresses = LocalAddresses.reachable
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

package import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The system's clocks, and the id of this boot.
package struct SystemClock: Sendable {
    /// Distinguishes monotonic times of this boot from those of another.
    package let boot: String

    /// The clocks of this machine.
    package init() {
        let name = PrivateFile.textIfReadable("/proc/sys/kernel/random/boot_id")
        // Its end: versions that wrote its beginning had a clock that stopped with the machine.
        boot = String((name ?? UUID().uuidString).trimmed.suffix(8)).lowercased()
    }

    /// The present time by both clocks.
    package func moment() -> Moment {
        Moment(
            wall: UnixTime(Instant.wallNanoseconds / 1_000_000_000),
            monotonic: Monotonic(milliseconds: Instant.now.nanoseconds / 1_000_000))
    }
}

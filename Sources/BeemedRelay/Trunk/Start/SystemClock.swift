package import BeemedDomain
import RelayHTTP

/// The system's clocks, and the id of this boot.
package enum SystemClock {
    /// Distinguishes monotonic times of this boot from those of another.
    static let boot: String = {
        let name = PrivateFile.textIfReadable("/proc/sys/kernel/random/boot_id")
        // Its end: versions that wrote its beginning had a clock that stopped with the machine.
        let id = name ?? String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(id.trimmed.suffix(8)).lowercased()
    }()

    /// The present time by both clocks.
    @Sendable package static func moment() -> Moment {
        Moment(
            wall: wall(),
            monotonic: Monotonic(milliseconds: Instant.now.nanoseconds / 1_000_000))
    }

    /// The present time by the wall clock.
    @Sendable package static func wall() -> UnixTime {
        UnixTime(Instant.wallNanoseconds / 1_000_000_000)
    }
}

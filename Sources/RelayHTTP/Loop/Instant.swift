import Libc

/// A time of the monotonic clock: it never jumps, goes on while the machine sleeps, and is
/// meaningless after a reboot.
package struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since an arbitrary moment of this boot.
    package var nanoseconds: Int64

    /// Creates a time from nanoseconds since the clock's start.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Before every reading of the clock.
    package static let distantPast = Instant(nanoseconds: .min)
    /// After every reading of the clock.
    static let distantFuture = Instant(nanoseconds: .max)

    /// The current time.
    package static var now: Instant { Instant(nanoseconds: read(clock)) }

    #if os(Linux)
        /// CLOCK_MONOTONIC stops while a Linux machine sleeps, and the sleep would look like a
        /// clock that was set.
        static let clock = CLOCK_BOOTTIME
    #else
        static let clock = CLOCK_MONOTONIC
    #endif

    /// Nanoseconds of CLOCK_MONOTONIC, which the service manager compares with its own.
    package static var monotonicNanoseconds: Int64 { read(CLOCK_MONOTONIC) }

    /// Nanoseconds since 1970, from the wall clock.
    package static var wallNanoseconds: Int64 { read(CLOCK_REALTIME) }

    /// The time this many seconds later.
    package func advanced(bySeconds seconds: Double) -> Instant {
        Instant(nanoseconds: nanoseconds + Int64(seconds * 1e9))
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A point on the monotonic clock: it never jumps, and it means nothing after a restart.
package struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since some moment of this boot.
    package var nanoseconds: Int64

    /// A point so many nanoseconds after the clock's start.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Before every reading of the clock.
    package static let distantPast = Instant(nanoseconds: .min)
    /// After every reading of the clock.
    package static let distantFuture = Instant(nanoseconds: .max)

    /// The clock's reading.
    package static var now: Instant { Instant(nanoseconds: read(CLOCK_MONOTONIC)) }

    /// Nanoseconds since 1970, from the clock that people set.
    package static var wallNanoseconds: Int64 { read(CLOCK_REALTIME) }

    /// The point so many seconds later.
    package func advanced(bySeconds seconds: Double) -> Instant {
        Instant(nanoseconds: nanoseconds + Int64(seconds * 1e9))
    }

    /// Whole milliseconds until that point, rounded up so that a sleeper does not wake early;
    /// zero when it has passed.
    func milliseconds(until later: Instant) -> Int {
        max(0, Int((later.nanoseconds - nanoseconds + 999_999) / 1_000_000))
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

/// Seconds since 1970, the unit of Beeminder's `timestamp`.
package struct UnixTime: Hashable, Comparable, Sendable {
    package var seconds: Int64

    /// Creates a time from seconds since 1970.
    package init(_ seconds: Int64) {
        self.seconds = seconds
    }

    /// The times that a record may have: the years 0 to 9999 with a margin, about 200 and 600
    /// years, for the moments of their first and last days. Differences of such times do not
    /// overflow, in milliseconds either.
    package static let recordable = UnixTime(-1 << 36)...UnixTime(1 << 38)

    /// The time this many seconds later, or the greatest or least one.
    package func adding(_ seconds: Int64) -> UnixTime {
        let (sum, isTooLarge) = self.seconds.addingReportingOverflow(seconds)
        return UnixTime(isTooLarge ? (seconds > 0 ? .max : .min) : sum)
    }

    package static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.seconds < right.seconds
    }
}

/// A time of the monotonic clock, which never jumps. Meaningless after a reboot.
package struct Monotonic: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    /// Creates a time from milliseconds since an arbitrary moment of this boot.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The times that a record may have: up to 100,000 years after the boot of the machine.
    static let recordable = Monotonic(milliseconds: 0)...Monotonic(milliseconds: 1 << 52)

    /// The time this many seconds later; a delay of more than 100,000 years is as good as that.
    package func adding(seconds: Double) -> Monotonic {
        let delay = min(4e15, max(-4e15, (seconds * 1_000).rounded(.up)))
        let (sum, isTooLarge) = milliseconds.addingReportingOverflow(Int64(delay))
        return Monotonic(milliseconds: isTooLarge ? (delay > 0 ? .max : .min) : sum)
    }

    package static func < (left: Monotonic, right: Monotonic) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The earlier of two optional times; nil when both are nil.
    package static func soonest(_ one: Monotonic?, _ other: Monotonic?) -> Monotonic? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}

/// The current time by both clocks: the wall clock for times sent to Beeminder, the monotonic clock
/// for every delay.
package struct Moment: Sendable {
    package var wall: UnixTime
    package var monotonic: Monotonic

    /// Creates a moment from both readings.
    package init(wall: UnixTime, monotonic: Monotonic) {
        self.wall = wall
        self.monotonic = monotonic
    }
}

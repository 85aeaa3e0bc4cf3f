/// Seconds since 1970, the unit of Beeminder's `timestamp`.
package struct UnixTime: Hashable, Comparable, Sendable {
    package var seconds: Int64

    /// So many seconds after 1970 began.
    package init(_ seconds: Int64) {
        self.seconds = seconds
    }

    /// The time so many seconds later.
    package func adding(_ seconds: Int64) -> UnixTime {
        UnixTime(self.seconds + seconds)
    }

    package static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.seconds < right.seconds
    }
}

/// A reading of the clock that never jumps. It means nothing after the machine has restarted.
package struct Monotonic: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    /// So many milliseconds after some moment of this boot.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The point so many seconds later.
    package func adding(seconds: Double) -> Monotonic {
        Monotonic(milliseconds: milliseconds + Int64((seconds * 1_000).rounded(.up)))
    }

    package static func < (left: Monotonic, right: Monotonic) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The earlier of two points that may not be there; nil when neither is.
    package static func soonest(_ one: Monotonic?, _ other: Monotonic?) -> Monotonic? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}

/// Now, on both clocks: the one that people set, for what is said to Beeminder, and the one that
/// never jumps, for every wait.
package struct Moment: Sendable {
    package var wall: UnixTime
    package var monotonic: Monotonic

    /// Both readings of one moment.
    package init(wall: UnixTime, monotonic: Monotonic) {
        self.wall = wall
        self.monotonic = monotonic
    }
}

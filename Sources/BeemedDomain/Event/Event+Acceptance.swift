/// Why the time that a device gave cannot be used.
package enum TimeFault: Error, Equatable, Sendable {
    /// A timestamp so large that it must be milliseconds.
    case milliseconds
    /// An age below zero or above `TimeRules.oldestAge`.
    case age
}

/// Which times are believed (Beeminder takes whole seconds; a press may decide a deadline).
package enum TimeRules {
    /// 2024-01-01: a device that says less has no clock.
    package static let earliest = UnixTime(1_704_067_200)
    /// How far ahead a device's clock may be, in seconds.
    package static let aheadSeconds: Int64 = 600
    /// The greatest age, in seconds: 35 days, as long as an event's name is remembered.
    package static let oldestAgeSeconds: Int64 = 35 * 86_400
    /// From here on a timestamp can only be milliseconds: the year 5138 in seconds.
    package static let millisecondsFrom = UnixTime(100_000_000_000)

    /// When a press happened, and who says so. A device whose clock was never set is not refused:
    /// the time of receipt is nearer the truth.
    ///
    /// - Parameter isSound: whether the relay's own clock is right; if not a device's is believed.
    static func time(
        of press: Press, at now: UnixTime, isSound: Bool
    ) throws(TimeFault) -> (UnixTime, TimeSource) {
        switch press.time {
        case .now:
            return (now, .receipt)
        case .timestamp(let time):
            guard time < millisecondsFrom else { throw .milliseconds }
            guard time >= earliest, time <= now.adding(aheadSeconds) || !isSound else {
                return (now, .receipt)
            }
            return (time, .device)
        case .age(let seconds):
            guard (0...oldestAgeSeconds).contains(seconds) else { throw .age }
            return (now.adding(-seconds), .age)
        }
    }
}

extension Event {
    /// What a press came under.
    struct Circumstances: Sendable {
        /// Names this boot of the machine.
        var boot: String
        /// Whether the relay's own clock is right.
        var isSound = true
        var connection: ConnectionName?
    }

    /// Makes the event of a press, which fixes its time.
    ///
    /// - Throws: `TimeFault` when the press says a time that means something else.
    convenience init(
        _ press: Press, id: EventID, at now: Moment, _ under: Circumstances
    ) throws(TimeFault) {
        let (time, source) = try TimeRules.time(of: press, at: now.wall, isSound: under.isSound)
        self.init(
            key: press.key(id), goal: press.goal, value: press.value,
            comment: press.comment, at: time, timeSource: source,
            arrival: Arrival(wall: now.wall, monotonic: now.monotonic, boot: under.boot),
            isTimeUnsure: !under.isSound, connection: under.connection,
            preset: press.rule?.preset, metadata: press.metadata)
    }
}

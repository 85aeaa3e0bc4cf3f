/// Why the time that a device gave cannot be used.
package enum TimeFault: Error, Equatable, Sendable {
    /// A timestamp so large that it must be milliseconds.
    case milliseconds
    /// An age below zero or above `TimeRules.oldestAgeSeconds`.
    case age
    /// A day that does not exist, more than 35 days back or after tomorrow.
    case day
    /// The timestamp or the age is of another day than the one that is named.
    case otherDay
}

/// Why a device's timestamp was replaced by the time of receipt.
package enum TimeReplacement: Hashable, Sendable {
    /// It is more than `TimeRules.aheadSeconds` ahead.
    case ahead
    /// It is before `TimeRules.earliest`: the device's clock was never set.
    case unset
    /// It is older than `TimeRules.oldestAgeSeconds`.
    case old
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

    /// When a press happened, and who says so. A device whose clock is wrong is not refused: the
    /// time of receipt is nearer the truth.
    ///
    /// - Parameter isSound: whether the relay's own clock is right; if not a device's is believed.
    static func time(
        of time: PressTime, at now: UnixTime, isSound: Bool
    ) throws(TimeFault) -> (UnixTime, TimeSource) {
        switch time {
        case .now:
            return (now, .receipt)
        case .timestamp(let time):
            guard time < millisecondsFrom else { throw .milliseconds }
            guard replacement(of: time, at: now, isSound: isSound) == nil else {
                return (now, .receipt)
            }
            return (time, .device)
        case .age(let seconds):
            guard (0...oldestAgeSeconds).contains(seconds) else { throw .age }
            return (now.adding(-seconds), .age)
        }
    }

    /// Why a timestamp is not believed; nil when it is.
    private static func replacement(
        of time: UnixTime, at now: UnixTime, isSound: Bool
    ) -> TimeReplacement? {
        if time < earliest { return .unset }
        guard isSound else { return nil }
        if time > now.adding(aheadSeconds) { return .ahead }
        return time < now.adding(-oldestAgeSeconds) ? .old : nil
    }

    /// Why the time of a press was replaced when it became that event; nil when it was not.
    package static func replacement(of time: PressTime, in event: Event) -> TimeReplacement? {
        guard case .timestamp(let time) = time, event.timeSource == .receipt else { return nil }
        return replacement(of: time, at: event.arrival.wall, isSound: !event.isTimeUnsure)
    }
}

/// When a press happened, as it was decided when the press was accepted.
struct AcceptedTime: Sendable, Equatable {
    var at: UnixTime
    var source: TimeSource
    /// The day that the device named, which Beeminder is told in place of a time.
    var daystamp: Daystamp?
}

extension Press {
    /// The name of a replaced timestamp in an event's metadata. No unknown field has it.
    fileprivate static let replacedTime = "timestamp"

    /// What the event keeps as metadata: with the timestamp, where that was replaced. When the
    /// relay's clock turns out to be wrong, it may have been right.
    fileprivate func keptMetadata(_ source: TimeSource) -> [String: String] {
        guard case .timestamp(let said) = time, source == .receipt, said >= TimeRules.earliest
        else { return metadata }
        return metadata.merging([Press.replacedTime: "\(said.seconds)"]) { _, said in said }
    }
}

extension Event {
    /// What the device said, where it was replaced by the time of receipt.
    var replacedTime: UnixTime? {
        guard timeSource == .receipt, !metadata.isEmpty else { return nil }
        return metadata[Press.replacedTime].flatMap { Int64($0) }.map { UnixTime($0) }
    }

    /// What a press came under.
    struct AcceptanceContext: Sendable {
        /// Names this boot of the machine.
        var boot: String
        /// Whether the relay's own clock is right.
        var isSound = true
        var connection: ConnectionName?
    }

    /// Makes the event of a press whose time is decided.
    convenience init(
        _ press: Press, id: EventID, _ time: AcceptedTime, at now: Moment,
        _ under: AcceptanceContext
    ) {
        self.init(
            key: press.key(id), goal: press.goal, value: press.value,
            comment: press.comment, at: time.at, timeSource: time.source,
            arrival: Arrival(wall: now.wall, monotonic: now.monotonic, boot: under.boot),
            isTimeUnsure: !under.isSound, connection: under.connection,
            preset: press.rule?.preset, daystamp: time.daystamp,
            metadata: press.keptMetadata(time.source))
    }

    /// Makes the event of a press that names no day, which fixes its time.
    ///
    /// - Throws: `TimeFault` when the press says a time that means something else.
    convenience init(
        _ press: Press, id: EventID, at now: Moment, _ under: AcceptanceContext
    ) throws(TimeFault) {
        let (at, source) = try TimeRules.time(
            of: press.time, at: now.wall, isSound: under.isSound)
        self.init(press, id: id, AcceptedTime(at: at, source: source), at: now, under)
    }
}

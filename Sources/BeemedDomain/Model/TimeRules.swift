/// Why the time given by a device cannot be used.
package enum TimeFault: Error, Equatable, Sendable {
    /// A timestamp so large that it must be milliseconds.
    case milliseconds
    /// A timestamp that has the digits of a day, as in 20261118.
    case digitsOfDay
    /// An age below zero or above `TimeRules.oldestAgeSeconds`.
    case age
    /// A timestamp and an age that differ by more than `TimeRules.aheadSeconds`.
    case otherAge
    /// A day that does not exist, or is more than 35 days back or after tomorrow.
    case day
    /// The timestamp or age belongs to another day than the given one.
    case otherDay
}

/// Why a device's timestamp was replaced by the time of receipt.
package enum TimeReplacement: Hashable, Sendable {
    /// The time is more than `TimeRules.aheadSeconds` ahead.
    case ahead
    /// The time is before `TimeRules.earliest`: the device's clock was never set.
    case unset
    /// The time is older than `TimeRules.oldestAgeSeconds`.
    case old
}

/// In which way a value that is no amount says the present time: as the time since 1970 in a unit,
/// or as the digits of a day.
package enum TimeUnit: Sendable {
    case seconds, milliseconds, digitsOfDay
}

/// The times that are accepted (Beeminder uses whole seconds; a press may decide a deadline).
package enum TimeRules {
    /// 2024-01-01: a device with an earlier time has no clock.
    package static let earliest = UnixTime(1_704_067_200)
    /// How far ahead a device's clock may be, in seconds.
    package static let aheadSeconds: Int64 = 600
    /// The greatest age, in seconds: 35 days, as long as an event's id is remembered.
    static let oldestAgeSeconds: Int64 = 35 * 86_400
    /// A timestamp from here on must be milliseconds: the year 5138 in seconds.
    package static let millisecondsFrom = UnixTime(100_000_000_000)

    /// Determines the time of a press and its source. A wrong time does not refuse the press: the
    /// time of receipt is used instead.
    ///
    /// - Parameter isSound: whether the relay's own clock is right; if not, the device's time is
    ///   used.
    static func time(
        of time: PressTime, at now: UnixTime, isSound: Bool
    ) throws(TimeFault) -> AcceptedTime {
        switch time {
        case .now:
            return AcceptedTime(at: now, source: .receipt)
        case .timestamp(let time):
            guard time < millisecondsFrom else { throw .milliseconds }
            if isDay(time.seconds, at: now) { throw .digitsOfDay }
            guard replacement(of: time, at: now, isSound: isSound) == nil else {
                return AcceptedTime(at: now, source: .receipt)
            }
            return AcceptedTime(at: time, source: .device)
        case .age(let seconds):
            guard (0...oldestAgeSeconds).contains(seconds) else { throw .age }
            return AcceptedTime(at: now.adding(-seconds), source: .age)
        case .recorded(let time):
            guard (time ?? now) < millisecondsFrom else { throw .milliseconds }
            return AcceptedTime(at: time ?? now, source: .device)
        }
    }

    /// Why a timestamp is not used; nil when used.
    private static func replacement(
        of time: UnixTime, at now: UnixTime, isSound: Bool
    ) -> TimeReplacement? {
        if time < earliest { return .unset }
        guard isSound else { return nil }
        if time > now.adding(aheadSeconds) { return .ahead }
        return time < now.adding(-oldestAgeSeconds) ? .old : nil
    }

    /// Whether a number has the digits of a day that a press may have. This is the wrong field for
    /// one: as a time it would be of 1970, and the press of another day than its sender meant.
    private static func isDay(_ number: Int64, at now: UnixTime) -> Bool {
        guard (10_000_000..<100_000_000).contains(number) else { return false }
        guard let day = Daystamp("\(number)") else { return false }
        return (-36...2).contains(day.number - now.seconds / 86_400)
    }

    /// The unit in which the value of a press is the present time; nil for an amount. Programs send
    /// the time where nothing else was set, as Node-RED does.
    ///
    /// Seconds are such a time within a year of the relay's clock, since amounts may be as great.
    /// Milliseconds are one from 2020 to 2100 whatever the clock says: no amount is as great. In a
    /// list that a person imports, values are meant as written.
    static func unitOfTime(in press: Press, at now: UnixTime) -> TimeUnit? {
        if case .recorded = press.time { return nil }
        if let number = Int64(exactly: press.value), isDay(number, at: now) { return .digitsOfDay }
        guard press.value >= 1e9 else { return nil }
        if TimeRules.presentMilliseconds.contains(press.value) { return .milliseconds }
        let distance = (press.value - Double(now.seconds)).magnitude
        return distance < TimeRules.yearSeconds ? .seconds : nil
    }

    /// 2020 to 2100, in milliseconds since 1970.
    private static let presentMilliseconds = 1.577_836_8e12..<4.102_444_8e12
    private static let yearSeconds = 366.0 * 86_400

    /// Why the time of a press was replaced in that event; nil when unchanged.
    package static func replacement(of time: PressTime, in event: Event) -> TimeReplacement? {
        guard case .timestamp(let time) = time, event.timeSource == .receipt else { return nil }
        return replacement(of: time, at: event.arrival.wall, isSound: !event.arrival.isClockUnset)
    }
}

/// The time of a press, as decided at acceptance.
struct AcceptedTime: Sendable, Equatable {
    var at: UnixTime
    var source: TimeSource
    /// The day given by the device, which is sent to Beeminder instead of a time.
    var daystamp: Daystamp?
}

import Foundation

/// Which day of a goal a moment belongs to: the user's time zone and the goal's deadline decide
/// together.
///
/// Day D covers [D 00:00 + deadline, D+1 00:00 + deadline) by the clock on the user's wall. A
/// positive deadline is for night owls, a negative one for early birds (Beeminder API reference,
/// "Goal resource", `deadline`).
struct GoalDay: Sendable, Equatable {
    /// The user's time zone, never the relay's.
    let zone: TimeZone
    /// Seconds from midnight, -61,200 to 21,600.
    let deadline: Int

    /// The day of a moment, as its distance in days from 1970-01-01.
    ///
    /// It is the day whose first second is the last before that moment. The reading of the clock
    /// on the wall alone does not tell: where that is set back over a deadline, it goes from one
    /// day to the next twice.
    func number(of time: UnixTime) -> Int64 {
        let wall = time.seconds + offset(at: time.seconds) - Int64(deadline)
        var day = wall >= 0 ? wall / 86_400 : -((-wall + 86_399) / 86_400)
        while start(of: day) > time { day -= 1 }
        while start(of: day + 1) <= time { day += 1 }
        return day
    }

    /// The day around a moment: its first second, and the first second of the next one.
    func bounds(around time: UnixTime) -> Range<UnixTime> {
        let day = number(of: time)
        return start(of: day)..<start(of: day + 1)
    }

    /// The first second of a day.
    func start(of day: Int64) -> UnixTime {
        moment(ofWallSecond: day * 86_400 + Int64(deadline))
    }

    /// A time that the wall's clock shows twice is the first of the two; one that it skips is read
    /// by the clock as it ran before the skip.
    private func moment(ofWallSecond wall: Int64) -> UnixTime {
        let before = offset(at: wall - 86_400)
        let after = offset(at: wall + 86_400)
        if before != after, offset(at: wall - before) != before, offset(at: wall - after) == after {
            return UnixTime(wall - after)
        }
        return UnixTime(wall - before)
    }

    private func offset(at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}

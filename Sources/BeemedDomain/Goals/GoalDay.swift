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

    /// A day, as its distance in days from 1970-01-01.
    func number(of time: UnixTime) -> Int64 {
        let wall = time.seconds + offset(at: time.seconds) - Int64(deadline)
        return wall >= 0 ? wall / 86_400 : -((-wall + 86_399) / 86_400)
    }

    /// The day around a moment: its first second, and the first second of the next one.
    func bounds(around time: UnixTime) -> Range<UnixTime> {
        let day = number(of: time)
        let start = moment(ofWallSecond: day * 86_400 + Int64(deadline))
        let end = moment(ofWallSecond: (day + 1) * 86_400 + Int64(deadline))
        return min(start, time)..<max(end, time.adding(1))
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

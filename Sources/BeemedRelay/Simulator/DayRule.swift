import Foundation

/// Assigns times to days by the user's time zone and the goal's deadline.
///
/// Day D covers [D 00:00 + deadline, D+1 00:00 + deadline) in the user's local time. A positive
/// deadline is for night owls, a negative one for early birds.
struct DayRule: Sendable {
    /// The user's time zone, never the client's.
    let zone: TimeZone
    /// Seconds from midnight, -17 h to 6 h.
    let deadline: Int

    /// The day to which the time belongs.
    func day(of timestamp: Int) -> CivilDay {
        let wall = timestamp + offset(at: timestamp)
        return CivilDay(number: (wall - deadline).flooredQuotient(by: 86_400))
    }

    /// The timestamp that Beeminder assigns to a datapoint with only a daystamp: the day's last
    /// second (recorded 2026-01: deadline 0, 20260120 is 23:59:59).
    func lastSecond(of day: CivilDay) -> Int {
        moment(ofWallSecond: (day.number + 1) * 86_400 + deadline - 1)
    }

    /// Noon in local time: Beeminder's timestamp for a day (`curday`, `initday`).
    func noon(of day: CivilDay) -> Int {
        moment(ofWallSecond: day.number * 86_400 + 43_200)
    }

    /// Midnight in local time.
    func midnight(of day: CivilDay) -> Int {
        moment(ofWallSecond: day.number * 86_400)
    }

    /// `14:51` in local time.
    func clockTime(of timestamp: Int) -> String {
        let wall = timestamp + offset(at: timestamp)
        let second = wall - wall.flooredQuotient(by: 86_400) * 86_400
        return "\(CivilDay.twoDigits(second / 3_600)):\(CivilDay.twoDigits(second / 60 % 60))"
    }

    /// The deadline in local time: `22:45`; midnight is `12am`, since `00:00` would read as the
    /// past midnight.
    var deadlineText: String {
        if deadline == 0 { return "12am" }
        let second = (deadline + 86_400) % 86_400
        return "\(CivilDay.twoDigits(second / 3_600)):\(CivilDay.twoDigits(second / 60 % 60))"
    }

    /// A local time that occurs twice means the first one; a skipped one is read with the offset
    /// before the skip.
    private func moment(ofWallSecond wall: Int) -> Int {
        let before = offset(at: wall - 86_400)
        let after = offset(at: wall + 86_400)
        if before != after, offset(at: wall - before) != before, offset(at: wall - after) == after {
            return wall - after
        }
        return wall - before
    }

    private func offset(at timestamp: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(timestamp)))
    }
}

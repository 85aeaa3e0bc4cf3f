import Foundation

/// Which day a moment belongs to: the user's time zone and the goal's deadline decide together.
///
/// Day D covers [D 00:00 + deadline, D+1 00:00 + deadline) by the clock on the user's wall. A
/// positive deadline is for night owls, a negative one for early birds.
struct DayRule: Sendable {
    /// The user's time zone, never the client's.
    let zone: TimeZone
    /// Seconds from midnight, -17 h to 6 h.
    let deadline: Int

    /// The day that the moment counts for.
    func day(of timestamp: Int) -> CivilDay {
        let wall = timestamp + offset(at: timestamp)
        return CivilDay(number: (wall - deadline).flooredQuotient(by: 86_400))
    }

    /// The timestamp Beeminder gives a datapoint that came with a daystamp alone: the day's last
    /// second (recorded 2026-01: deadline 0, 20260120 is 23:59:59).
    func lastSecond(of day: CivilDay) -> Int {
        moment(ofWallSecond: (day.number + 1) * 86_400 + deadline - 1)
    }

    /// Noon by the wall's clock: how Beeminder writes a day as a timestamp (`curday`, `initday`).
    func noon(of day: CivilDay) -> Int {
        moment(ofWallSecond: day.number * 86_400 + 43_200)
    }

    /// Midnight by the wall's clock.
    func midnight(of day: CivilDay) -> Int {
        moment(ofWallSecond: day.number * 86_400)
    }

    /// `14:51` by the wall's clock.
    func clockTime(of timestamp: Int) -> String {
        let wall = timestamp + offset(at: timestamp)
        let second = wall - wall.flooredQuotient(by: 86_400) * 86_400
        return "\(CivilDay.twoDigits(second / 3_600)):\(CivilDay.twoDigits(second / 60 % 60))"
    }

    /// The deadline as the wall's clock shows it: `22:45`; midnight would be taken for the one
    /// that has passed, and is `12am`.
    var deadlineText: String {
        if deadline == 0 { return "12am" }
        let second = (deadline + 86_400) % 86_400
        return "\(CivilDay.twoDigits(second / 3_600)):\(CivilDay.twoDigits(second / 60 % 60))"
    }

    /// A time that the wall's clock shows twice is the first of the two; one that it skips is read
    /// by the clock as it ran before the skip.
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

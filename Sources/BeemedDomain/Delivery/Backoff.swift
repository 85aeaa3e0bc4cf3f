/// The delay after failures: a random time below a bound that doubles, so that many relays do not
/// return to a recovering Beeminder at the same moment.
package enum Backoff {
    /// The bound after the first failure, in seconds.
    static let first = 2.0
    /// The greatest bound, in seconds: a datapoint may be needed before a deadline.
    static let longest = 300.0
    /// The shortest delay, in seconds.
    static let shortest = 0.5
    /// The longest delay between probes while a person must repair something, in seconds.
    static let probe = 900.0
    /// The delay before the next request while several goals get no answers, in seconds: a goal
    /// that works must not wait longer.
    static let resting = 10.0...30.0
    /// The shortest delay before the next probe, however near a deadline is, in seconds.
    static let shortestBeforeDeadline = 5.0
    /// The part of the time left before a deadline that a delay may use.
    static let partOfTimeLeft = 0.1
    /// The range of delays that Beeminder may request, in seconds.
    package static let asked = 1.0...3_600.0

    /// The delay after this many failures in a row, in seconds.
    static func seconds(
        after failures: Int, _ randomness: inout some RandomNumberGenerator
    ) -> Double {
        let bound = min(longest, first * Double(1 << min(max(failures - 1, 0), 20)))
        return max(shortest, Double.random(in: 0...bound, using: &randomness))
    }

    /// The delay before the next probe of a held queue after this many failures in a row, in
    /// seconds: a short fault ends soon, and a lasting one is probed from time to time.
    package static func held(
        after failures: Int, _ randomness: inout some RandomNumberGenerator
    ) -> Double {
        let bound = min(probe, first * Double(1 << min(max(failures - 1, 0), 20)))
        return Double.random(in: bound / 2...bound, using: &randomness)
    }

    /// The delay before the next probe of an account that needs a person, after this many probes:
    /// from half a minute to a quarter of an hour, in seconds.
    static func paused(after probes: Int) -> Double {
        min(probe, 30 * Double(1 << min(max(probes - 1, 0), 20)))
    }

    /// The same delay, or less before a deadline: a tenth of the time left, at least 5 s.
    ///
    /// - Parameter left: seconds until the goal derails; nil when unknown. After the derailment the
    ///   delay is not shortened.
    package static func wait(_ seconds: Double, left: Int64?) -> Double {
        guard let left, left > 0 else { return seconds }
        return min(seconds, max(shortestBeforeDeadline, Double(left) * partOfTimeLeft))
    }
}

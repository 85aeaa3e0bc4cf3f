/// How long to wait after failures: a random time below a bound that doubles, so that many
/// relays do not return to a recovering Beeminder in step.
enum Backoff {
    /// The bound after the first failure, in seconds.
    static let first = 2.0
    /// The greatest bound, in seconds: a datapoint can decide a deadline.
    static let longest = 300.0
    /// The shortest wait, in seconds.
    static let shortest = 0.5
    /// The longest time until the next look at something that waits for a person, in seconds.
    static let probe = 900.0
    /// How long until one more request is tried while none of several goals' is answered, in
    /// seconds: no longer may anything wait that is all right itself.
    static let resting = 10.0...30.0
    /// The shortest time until the next look, however near a deadline is, in seconds.
    static let shortestBeforeDeadline = 5.0
    /// The part of the time left until a deadline that may pass before the next look.
    static let partOfTimeLeft = 0.1
    /// What a remote may ask us to wait, in seconds.
    static let asked = 1.0...3_600.0

    /// Seconds to wait after so many failures in a row.
    static func seconds(
        after failures: Int, _ randomness: inout some RandomNumberGenerator
    ) -> Double {
        let bound = min(longest, first * Double(1 << min(max(failures - 1, 0), 20)))
        return max(shortest, Double.random(in: 0...bound, using: &randomness))
    }

    /// Seconds until the next look at a queue that waits for a person, after so many failures in a
    /// row: what was a moment's trouble is over soon, and what is not is looked at now and then.
    static func held(
        after failures: Int, _ randomness: inout some RandomNumberGenerator
    ) -> Double {
        let bound = min(probe, first * Double(1 << min(max(failures - 1, 0), 20)))
        return Double.random(in: bound / 2...bound, using: &randomness)
    }

    /// Seconds until the next look at an account that waits for a person, after so many looks: from
    /// half a minute to a quarter of an hour.
    static func paused(after looks: Int) -> Double {
        min(probe, 30 * Double(1 << min(max(looks - 1, 0), 20)))
    }

    /// The same wait, or less before a deadline: a tenth of the time left, 5 s at least.
    ///
    /// - Parameter left: seconds until the goal derails; nil when nobody knows. After it has
    ///   derailed there is no hurry.
    static func wait(_ seconds: Double, left: Int64?) -> Double {
        guard let left, left > 0 else { return seconds }
        return min(seconds, max(shortestBeforeDeadline, Double(left) * partOfTimeLeft))
    }
}

/// How long to wait after failures: a random time below a bound that doubles, so that many
/// relays do not return to a recovering Beeminder in step.
enum Backoff {
    /// The bound after the first failure, in seconds.
    static let first = 2.0
    /// The greatest bound, in seconds: a datapoint can decide a deadline.
    static let longest = 300.0
    /// The shortest wait, in seconds.
    static let shortest = 0.5
    /// How long until the next look at something that waits for a person, in seconds.
    static let probe = 900.0
    /// What a remote may ask us to wait, in seconds.
    static let asked = 1.0...3_600.0

    /// Seconds to wait after so many failures in a row.
    static func seconds(
        after failures: Int, _ randomness: inout some RandomNumberGenerator
    ) -> Double {
        let bound = min(longest, first * Double(1 << min(max(failures - 1, 0), 20)))
        return max(shortest, Double.random(in: 0...bound, using: &randomness))
    }
}

/// How often something may be done: some times at once after a quiet time, and on average once in
/// so many seconds.
struct Allowance: Sendable {
    private let most: Double
    private let secondsEach: Double
    private var left: Double
    private var countedAt = Monotonic(milliseconds: 0)

    init(atOnce most: Int, secondsEach: Double) {
        (self.most, left, self.secondsEach) = (Double(most), Double(most), secondsEach)
    }

    /// Takes one, if one is left.
    ///
    /// - Returns: nil, or after how many seconds one is left.
    mutating func consume(at now: Monotonic) -> Double? {
        let passed = Double(now.milliseconds - countedAt.milliseconds) / 1_000
        left = min(most, left + max(0, passed) / secondsEach)
        countedAt = now
        guard left < 1 else {
            left -= 1
            return nil
        }
        return (1 - left) * secondsEach
    }
}

/// How often something may be done: some times at once after a quiet time, and on average once in
/// so many seconds.
struct Allowance: Sendable {
    private let most: Double
    private let secondsEach: Double
    private var left: Double
    /// Up to when some were given back; nil before the first time.
    private var countedAt: Monotonic?

    init(atOnce most: Int, secondsEach: Double) {
        (self.most, left, self.secondsEach) = (Double(most), Double(most), secondsEach)
    }

    /// Whether nothing was taken, or all is given back.
    var isWhole: Bool { left == most }

    /// Takes one, if one is left.
    ///
    /// - Returns: nil, or after how many seconds one is left.
    mutating func consume(at now: Monotonic) -> Double? {
        let seconds = wait(for: 1, at: now)
        if seconds == nil { take(1) }
        return seconds
    }

    /// Takes that many, even if fewer are left.
    mutating func take(_ amount: Double) { left -= amount }

    /// After how many seconds that many are left; nil when they are.
    mutating func wait(for amount: Double, at now: Monotonic) -> Double? {
        let passed = Double(now.milliseconds - (countedAt ?? now).milliseconds) / 1_000
        left = min(most, left + max(0, passed) / secondsEach)
        countedAt = now
        return left < amount ? (amount - left) * secondsEach : nil
    }
}

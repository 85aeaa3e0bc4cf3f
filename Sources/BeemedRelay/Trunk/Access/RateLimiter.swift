import BeemedDomain

/// A token bucket for each key. Pure: the time is an argument.
struct RateLimiter: Sendable {
    let rate: Double
    /// Requests at once after a pause.
    let burst: Double
    /// When each bucket is full again, in nanoseconds of the monotonic clock.
    private var fullAt: [String: Int64] = [:]
    /// Stored keys, at most; beyond that, full buckets, which carry no state, are dropped.
    private static let maxBuckets = 4_096

    init(rate: Double, burst: Double) {
        precondition(rate > 0 && burst >= 1)
        self.rate = rate
        self.burst = burst
    }

    /// Takes one request from the key's bucket; nil when allowed, else the seconds until one is.
    mutating func consume(_ key: String, at time: Monotonic) -> Double? {
        let now = time.milliseconds * 1_000_000
        if fullAt.count >= RateLimiter.maxBuckets { fullAt = fullAt.filter { $0.value > now } }
        if fullAt.count >= RateLimiter.maxBuckets { fullAt.removeAll() }
        let full = max(fullAt[key] ?? now, now)
        let missing = Double(full - now) / 1e9 * rate
        guard missing <= burst - 1 else { return (missing + 1 - burst) / rate }
        fullAt[key] = full + Int64(1e9 / rate)
        return nil
    }
}

/// The limits on requests.
struct RateLimits: Sendable {
    var requests: RateLimiter
    var failures = RateLimiter(rate: 1, burst: 60)
    /// Requests of each address that need no token.
    var strangers: RateLimiter

    /// So many requests per second in the long run; nil without limits.
    init?(perSecond rate: Double?) {
        guard let rate else { return nil }
        requests = RateLimiter(rate: rate, burst: max(20, rate * 20))
        strangers = requests
    }
}

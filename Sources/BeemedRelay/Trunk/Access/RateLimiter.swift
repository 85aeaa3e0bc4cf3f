import RelayHTTP

/// A token bucket for each key. Pure: the time is an argument.
struct RateLimiter: Sendable {
    private struct Bucket: Sendable {
        var tokens: Double
        var filledAt: Instant
    }

    let rate: Double
    /// Requests at once after a pause.
    let burst: Double
    private var buckets: [String: Bucket] = [:]
    /// Stored keys, at most; beyond that, full buckets, which carry no state, are dropped.
    private static let maxBuckets = 4_096

    init(rate: Double, burst: Double) {
        precondition(rate > 0 && burst >= 1)
        self.rate = rate
        self.burst = burst
    }

    /// Takes one request from the key's bucket; nil when allowed, else the seconds until one is.
    mutating func consume(_ key: String, at now: Instant) -> Double? {
        if buckets.count >= RateLimiter.maxBuckets { dropFull(at: now) }
        var bucket = buckets[key] ?? Bucket(tokens: burst, filledAt: now)
        bucket.tokens = level(of: bucket, at: now)
        bucket.filledAt = now
        let passes = bucket.tokens >= 1
        if passes { bucket.tokens -= 1 }
        buckets[key] = bucket
        return passes ? nil : (1 - bucket.tokens) / rate
    }

    private func level(of bucket: Bucket, at now: Instant) -> Double {
        let seconds = Double(now.nanoseconds - bucket.filledAt.nanoseconds) / 1e9
        return min(burst, bucket.tokens + seconds * rate)
    }

    private mutating func dropFull(at now: Instant) {
        buckets = buckets.filter { level(of: $0.value, at: now) < burst }
        if buckets.count >= RateLimiter.maxBuckets { buckets.removeAll() }
    }
}

/// The limits on requests; without limits all are nil.
struct RateLimits: Sendable {
    var requests: RateLimiter?
    var failures: RateLimiter?
    /// Requests of each address that need no token.
    var strangers: RateLimiter?

    /// - Parameter rate: requests per second in the long run; nil without limits.
    init(perSecond rate: Double?) {
        guard let rate else { return }
        requests = RateLimiter(rate: rate, burst: max(20, rate * 20))
        failures = RateLimiter(rate: 1, burst: 60)
        strangers = requests
    }
}

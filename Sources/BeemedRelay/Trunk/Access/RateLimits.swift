import RelayHTTP

/// The limits on requests: of each device, and of each address.
struct RateLimits: Sendable {
    private var requests: RateLimiter?
    private var failures: RateLimiter?
    /// Requests of each address that need no token.
    private var strangers: RateLimiter?

    /// - Parameter rate: requests per second in the long run; nil without limits.
    init(perSecond rate: Double?) {
        guard let rate else { return }
        requests = RateLimiter(rate: rate, burst: max(20, rate * 20))
        failures = RateLimiter(rate: 1, burst: 60)
        strangers = RateLimiter(rate: rate, burst: max(20, rate * 20))
    }

    /// Requests per second in the long run; nil without limits.
    var rate: Double? { requests?.rate }

    /// Counts a request of a device.
    ///
    /// - Returns: nil when it is allowed, else the seconds until the next one is.
    mutating func count(requestOf device: Device, at now: Instant) -> Double? {
        requests?.consume(device.name, at: now)
    }

    /// Counts a request that needs no token.
    mutating func count(openRequest context: RequestContext) -> Double? {
        strangers?.consume("\(context.peer)", at: context.instant)
    }

    /// Counts a failed authentication.
    mutating func count(failureOf context: RequestContext) -> Double? {
        failures?.consume("\(context.peer)", at: context.instant)
    }
}

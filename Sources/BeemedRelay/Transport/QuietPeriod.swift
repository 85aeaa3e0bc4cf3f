import RelayHTTP

/// Tells when no request was under way for so long that the pages that requests need may go.
struct QuietPeriod {
    /// How long that is, in seconds: what follows another request soon finds the pages there.
    static let seconds = 5.0

    private var underWay = 0
    private var lastEnd = Instant.distantPast
    private var isWatched = false

    /// A request begins.
    mutating func begin() {
        underWay += 1
    }

    /// A request has ended.
    ///
    /// - Returns: whether the caller must look after `seconds`, since nobody else will.
    mutating func end(at now: Instant) -> Bool {
        underWay -= 1
        lastEnd = now
        defer { isWatched = true }
        return !isWatched
    }

    /// Looks whether the period is over.
    ///
    /// - Returns: after how many seconds to look again; nil when it is over, and the next request
    ///   begins another one.
    mutating func rest(at now: Instant) -> Double? {
        guard underWay == 0 else { return QuietPeriod.seconds }
        let passed = Double(now.nanoseconds - lastEnd.nanoseconds) / 1e9
        guard passed >= QuietPeriod.seconds else { return QuietPeriod.seconds - passed }
        isWatched = false
        return nil
    }
}

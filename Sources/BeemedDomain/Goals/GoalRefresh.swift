/// Decides when to request the goals.
struct GoalRefresh: Sendable {
    /// The events of the time in which an answer is awaited.
    private struct Awaited: Sendable {
        /// Whether an event was delivered.
        var isOvertaken = false
        /// When to ask again, since the answer may be too old; nil when that is not necessary.
        var againAt: Monotonic?
    }

    /// Nil while no answer is awaited.
    private var awaited: Awaited?
    var isAsking: Bool { awaited != nil }
    /// Whether an event was delivered while an answer was awaited.
    var isOvertaken: Bool { awaited?.isOvertaken ?? false }
    private var next: Monotonic?
    private var failures = 0
    /// Whether the last request for the goals failed.
    var isFailing: Bool { failures > 0 }
    /// Whether to request the whole list, whatever the user's `updated_at` is.
    private(set) var wantsAll = true
    /// Consecutive answers in which Beeminder had not processed the latest datapoints.
    private var impatience = 0
    /// Whether an event was delivered that the last list does not show.
    private(set) var isExpectingChange = false
    /// How many doubts may still cause an immediate request.
    private var doubts = Allowance(
        atOnce: GoalRefresh.maxDoubts, secondsEach: GoalRefresh.notBefore)

    /// The validity of a list, in seconds.
    static let staleAfter = 900.0
    /// The average seconds between requests because of a goal that is not in the list, or because
    /// a device asks: mistyped names and a loop in an automation must not burden Beeminder.
    static let notBefore = 10.0
    /// The number of such requests that may come at once, after a quiet time.
    static let maxDoubts = 3
    /// The delay after a delivery, in seconds: Beeminder updates its graphs later.
    static let afterDelivery = 3.0
    /// The number of repeated requests, with doubling delays, while Beeminder is not ready.
    static let maxImpatience = 6

    /// When to check again; nil while an answer is awaited.
    var wake: Monotonic? { isAsking ? nil : next }

    mutating func askNow() {
        awaited?.againAt = Monotonic(milliseconds: .min)
        wantsAll = true
        next = Monotonic(milliseconds: .min)
    }

    /// A goal was named that is not in the list, Beeminder does not know a listed one, or a device
    /// asks: the list may be outdated. Requests it at once, or a little later if that has happened
    /// too often.
    mutating func doubt(at now: Monotonic) {
        if let time = awaited?.againAt, time <= now { return }
        guard let seconds = doubts.consume(at: now) else { return askNow() }
        wantsAll = true
        let later = now.adding(seconds: seconds)
        if isAsking {
            awaited?.againAt = later
        } else {
            next = next.map { min($0, later) } ?? later
        }
    }

    /// An event was delivered: the amount due and the deadline are about to change.
    mutating func expectChange(at now: Monotonic) {
        impatience = 0
        isExpectingChange = true
        let soon = now.adding(seconds: GoalRefresh.afterDelivery)
        if isAsking {
            awaited?.isOvertaken = true
        } else if let planned = next {
            next = min(planned, soon)
        }
    }

    mutating func stop() {
        next = nil
        if isAsking { awaited = Awaited() }
    }

    /// Whether to request the goals now; then the request counts as started.
    mutating func start(at now: Monotonic) -> Bool {
        guard !isAsking, let next, next <= now else { return false }
        awaited = Awaited()
        self.next = nil
        return true
    }

    /// - Parameter isBusy: whether Beeminder has not processed all datapoints yet.
    mutating func succeed(at now: Monotonic, isBusy: Bool) {
        let meanwhile = end()
        failures = 0
        wantsAll = isBusy || meanwhile.againAt != nil
        var seconds = GoalRefresh.staleAfter
        if isBusy, impatience < GoalRefresh.maxImpatience {
            seconds = GoalRefresh.afterDelivery * Double(1 << impatience)
            impatience += 1
        }
        if meanwhile.isOvertaken { seconds = min(seconds, GoalRefresh.afterDelivery) }
        let planned = now.adding(seconds: seconds)
        next = meanwhile.againAt.map { max(now, min(planned, $0)) } ?? planned
        isExpectingChange = meanwhile.isOvertaken
    }

    /// The token is refused: a person must repair that, so it is checked only from time to time.
    mutating func pause(at now: Monotonic, for seconds: Double) {
        _ = end()
        next = now.adding(seconds: seconds)
    }

    mutating func fail(at now: Monotonic, _ randomness: inout some RandomNumberGenerator) {
        _ = end()
        failures += 1
        next = now.adding(seconds: Backoff.seconds(after: failures, &randomness))
    }

    /// No answer is awaited any more.
    private mutating func end() -> Awaited { awaited.take() ?? Awaited() }
}

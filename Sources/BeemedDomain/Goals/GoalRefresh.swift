/// When to ask for the goals.
struct GoalRefresh: Sendable {
    private(set) var isAsking = false
    private var next: Monotonic?
    private var failures = 0
    /// Whether Beeminder could not be asked when that was last tried.
    var isFailing: Bool { failures > 0 }
    private var last: Monotonic?
    /// Whether the whole list is wanted, whatever the user's `updated_at` says.
    private(set) var wantsAll = true
    /// How often in a row Beeminder had not worked in what was logged.
    private var impatience = 0
    /// Something was asked for while an answer was awaited.
    private var isOvertaken = false

    /// How long a list is good for, in seconds.
    static let staleAfter = 900.0
    /// How soon a list may be asked for again because a goal is not in it, in seconds.
    static let notBefore = 10.0
    /// How long after a delivery Beeminder is asked, in seconds: its graphs are drawn later.
    static let afterDelivery = 3.0
    /// How often Beeminder is asked again, each time after twice as long, when it is not ready.
    static let mostImpatience = 6

    /// When to look again; while it is being asked that is when the answer comes.
    var wake: Monotonic? { isAsking ? nil : next }

    mutating func askNow() {
        if isAsking { isOvertaken = true }
        wantsAll = true
        next = Monotonic(milliseconds: .min)
    }

    /// A goal was named that is not in the list: it may be new.
    mutating func doubt(at now: Monotonic) {
        if let last, now < last.adding(seconds: GoalRefresh.notBefore) { return }
        askNow()
    }

    /// Something was delivered: what is due, and when, is about to change.
    mutating func expectChange(at now: Monotonic) {
        impatience = 0
        let soon = now.adding(seconds: GoalRefresh.afterDelivery)
        if isAsking {
            isOvertaken = true
        } else if let planned = next {
            next = min(planned, soon)
        }
    }

    mutating func stop() {
        next = nil
        isOvertaken = false
    }

    /// Whether to ask now; then it counts as asked.
    mutating func start(at now: Monotonic) -> Bool {
        guard !isAsking, let next, next <= now else { return false }
        isAsking = true
        self.next = nil
        return true
    }

    /// - Parameter isBusy: Beeminder has not worked in everything yet.
    mutating func succeed(at now: Monotonic, isBusy: Bool) {
        isAsking = false
        failures = 0
        last = now
        wantsAll = isBusy
        var seconds = GoalRefresh.staleAfter
        if isBusy, impatience < GoalRefresh.mostImpatience {
            seconds = GoalRefresh.afterDelivery * Double(1 << impatience)
            impatience += 1
        }
        if isOvertaken { seconds = min(seconds, GoalRefresh.afterDelivery) }
        isOvertaken = false
        next = now.adding(seconds: seconds)
    }

    /// The token is not taken: what people must repair is looked at now and then.
    mutating func pause(at now: Monotonic) {
        isAsking = false
        isOvertaken = false
        next = now.adding(seconds: Backoff.probe)
    }

    mutating func fail(at now: Monotonic, _ randomness: inout some RandomNumberGenerator) {
        isAsking = false
        isOvertaken = false
        failures += 1
        next = now.adding(seconds: Backoff.seconds(after: failures, &randomness))
    }
}

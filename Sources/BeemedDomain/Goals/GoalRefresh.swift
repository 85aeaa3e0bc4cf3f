/// When to ask for the goals.
struct GoalRefresh: Sendable {
    private(set) var isAsking = false
    private var next: Monotonic?
    private var failures = 0
    /// Whether Beeminder could not be asked when that was last tried.
    var isFailing: Bool { failures > 0 }
    /// Whether the whole list is wanted, whatever the user's `updated_at` says.
    private(set) var wantsAll = true
    /// How often in a row Beeminder had not worked in what was logged.
    private var impatience = 0
    /// Something was delivered while an answer was awaited.
    private var isOvertaken = false
    /// Somebody asked while an answer was awaited, which may not tell.
    private var isAskedAgain = false
    /// How many fetches were begun.
    private(set) var fetches = 0
    /// How often doubts may still have Beeminder asked at once, and when that was so.
    private var doubts = (left: GoalRefresh.mostDoubts, at: Monotonic(milliseconds: .min / 2))

    /// How long a list is good for, in seconds.
    static let staleAfter = 900.0
    /// How often, in seconds, a list may be asked for because a goal is not in it: presses with
    /// mistyped names must not burden Beeminder.
    static let notBefore = 10.0
    /// So many of these may come at once, after a quiet time.
    static let mostDoubts = 3.0
    /// How long after a delivery Beeminder is asked, in seconds: its graphs are drawn later.
    static let afterDelivery = 3.0
    /// How often Beeminder is asked again, each time after twice as long, when it is not ready.
    static let mostImpatience = 6

    /// When to look again; while it is being asked that is when the answer comes.
    var wake: Monotonic? { isAsking ? nil : next }

    mutating func askNow() {
        if isAsking { isAskedAgain = true }
        wantsAll = true
        next = Monotonic(milliseconds: .min)
    }

    /// A goal was named that is not in the list, or Beeminder does not know one that is: the list
    /// may be old. Beeminder is asked at once, or if that was so too often of late, soon.
    mutating func doubt(at now: Monotonic) {
        guard !isAsking || !isAskedAgain else { return }
        let passed = Double(now.milliseconds - max(doubts.at.milliseconds, 0)) / 1_000
        let regained = max(0, passed) / GoalRefresh.notBefore
        doubts = (min(GoalRefresh.mostDoubts, doubts.left + regained), now)
        guard doubts.left < 1 else {
            doubts.left -= 1
            return askNow()
        }
        wantsAll = true
        let later = now.adding(seconds: (1 - doubts.left) * GoalRefresh.notBefore)
        next = next.map { min($0, later) } ?? (isAsking ? nil : later)
    }

    /// The answer cannot be believed yet.
    mutating func askAgain(at now: Monotonic, after seconds: Double) {
        succeed(at: now, isBusy: false)
        wantsAll = true
        next = next.map { min($0, now.adding(seconds: seconds)) }
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
        isAskedAgain = false
    }

    /// Whether to ask now; then it counts as asked.
    mutating func start(at now: Monotonic) -> Bool {
        guard !isAsking, let next, next <= now else { return false }
        isAsking = true
        fetches += 1
        self.next = nil
        return true
    }

    /// - Parameter isBusy: Beeminder has not worked in everything yet.
    mutating func succeed(at now: Monotonic, isBusy: Bool) {
        isAsking = false
        failures = 0
        wantsAll = isBusy || isAskedAgain
        var seconds = GoalRefresh.staleAfter
        if isBusy, impatience < GoalRefresh.mostImpatience {
            seconds = GoalRefresh.afterDelivery * Double(1 << impatience)
            impatience += 1
        }
        if isOvertaken { seconds = min(seconds, GoalRefresh.afterDelivery) }
        next = isAskedAgain ? now : now.adding(seconds: seconds)
        isOvertaken = false
        isAskedAgain = false
    }

    /// The token is not taken: what people must repair is looked at now and then.
    ///
    /// - Parameter seconds: until the next look.
    mutating func pause(at now: Monotonic, for seconds: Double) {
        isAsking = false
        isOvertaken = false
        isAskedAgain = false
        next = now.adding(seconds: seconds)
    }

    mutating func fail(at now: Monotonic, _ randomness: inout some RandomNumberGenerator) {
        isAsking = false
        isOvertaken = false
        isAskedAgain = false
        failures += 1
        next = now.adding(seconds: Backoff.seconds(after: failures, &randomness))
    }
}

/// How delivery fares, for people, and how often they may hasten it.
struct DeliveryStatus: Sendable {
    /// Whether the last attempt left its event in the queue.
    private(set) var lastFailed = false
    /// Beeminder's answer at the last attempt, in words, if it was an error of Beeminder's own.
    private(set) var lastError: String?
    /// When a request was last sent or answered, or the queue was last empty.
    var lastMove: Monotonic?
    /// How often a device may end the delays: a loop in an automation must not burden Beeminder.
    var flushes = Allowance(atOnce: 10, secondsEach: 10)

    /// Notes the end of an attempt.
    mutating func note(_ outcomes: some Sequence<Outcome>) {
        let open = outcomes.first { !$0.isFinal }
        lastFailed = open != nil
        switch open {
        case .unclear(let why)?: lastError = why
        case .busy?: lastError = "it asks to wait"
        default: lastError = nil
        }
    }
}

/// The requests to one service: one at a time, with growing delays after failures. A service that
/// hangs delays its own reminders only.
struct NotifyQueue: Sendable {
    /// A request.
    enum Request: Sendable, Equatable {
        case send(Reminder)
        case withdraw(ReminderMark)
    }

    let service: NotifyService
    /// The request under way.
    private(set) var underWay: Request?
    /// Consecutive failures.
    private(set) var failures = 0
    /// The time before which nothing is sent.
    private(set) var notBefore: Monotonic?

    /// How often a withdrawal is tried: a message that stays is a nuisance, not a loss.
    private static let maxWithdrawals = 3

    init(_ service: NotifyService) {
        self.service = service
    }

    /// Whether a request may begin.
    func isReady(at now: Monotonic) -> Bool {
        underWay == nil && notBefore.map { $0 <= now } ?? true
    }

    mutating func begin(_ request: Request) { underWay = request }

    /// What a result means.
    enum Conclusion: Sendable, Equatable {
        /// The service has the message, or has withdrawn it, or cannot: it counts as done.
        case done(Request)
        /// It is tried again, if there is still a reason then.
        case later
    }

    /// The request under way has this result.
    ///
    /// - Parameter left: seconds until a goal derails that the reminder is about.
    mutating func process(
        _ outcome: NotifyOutcome, at now: Monotonic, left: Int64?,
        _ randomness: inout some RandomNumberGenerator
    ) -> Conclusion {
        guard let request = underWay.take() else { return .later }
        switch outcome {
        case .accepted:
            failures = 0
            notBefore = nil
            return .done(request)
        case .failed(let asked):
            failures += 1
            let delay = Backoff.held(after: failures, &randomness)
            let wished = max(asked ?? 0, Backoff.wait(delay, left: left))
            notBefore = now.adding(seconds: min(wished, Backoff.asked.upperBound))
            if case .withdraw = request, failures >= NotifyQueue.maxWithdrawals {
                return .done(request)
            }
            return .later
        }
    }
}

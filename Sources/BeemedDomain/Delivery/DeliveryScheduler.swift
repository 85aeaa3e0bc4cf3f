/// Who is sent when. One queue a goal, first in, first out, one request at a time; two in flight
/// over all; the goal that derails soonest goes first.
///
/// Knows numbers and goals, not events; keeps no clock.
struct DeliveryScheduler: Sendable {
    /// What is known of Beeminder as a whole.
    enum Remote: Sendable, Equatable {
        case open
        /// It cannot be reached again and again: what has failed waits, and then one probes.
        case resting(until: Monotonic)
        /// It asked everybody to wait.
        case waiting(until: Monotonic)
        /// The token is not taken, not even for the user: a person must sign in.
        case signInAgain(probe: Monotonic)
        /// Something else answers at its address, for the user too: a person must look.
        case misdirected(probe: Monotonic)
        /// There is no account.
        case notConnected
    }

    /// One request that may go now.
    struct Start: Sendable, Equatable {
        var goal: GoalSlug
        var numbers: [SequenceNumber]
    }

    var queues: [GoalSlug: GoalQueue] = [:]
    var remote = Remote.notConnected
    /// Attempts without an answer, in a row, over all goals.
    var failures = 0
    /// The goals of those.
    var silent: Set<GoalSlug> = []
    /// Whether the user could not be asked for either, since something was last answered.
    var isUserSilent = false
    /// Looks in a row that found the account waiting for a person.
    var looks = 0
    /// Whether the user is to be asked for: that tells a goal's own trouble from everybody's.
    var wantsUser = false
    var inFlight = 0
    /// Those under way of goals whose last request was not answered.
    var probesInFlight = 0
    /// How often an account was connected, so that a late word about an old token is known as such.
    var connection = 0
    /// Whether something has changed since `start` was last asked.
    var isNews = true
    /// What `nextWake` said last.
    private var wake: Monotonic?

    /// From so many waiting events of one goal on they travel together.
    private let togetherFrom: Int

    init(togetherFrom: Int = DatapointBatch.from) {
        self.togetherFrom = togetherFrom
    }

    /// Requests under way at once, those not counted that have been without an answer for
    /// `slowSeconds`.
    static let mostInFlight = 2
    /// After so many seconds without an answer a request gives up its place to another goal's:
    /// goals that hang for the first time must not hold up the others for a whole time-out.
    static let slowSeconds = 3.0
    /// Requests that have given up their place, at most: when so many goals hang at once, it is
    /// Beeminder, and more requests are of no use to it.
    static let mostSlow = 4
    /// From so many attempts without an answer on, of several goals or of the user too, it is not
    /// the goals: then one at a time is tried.
    static let breakerFailures = 5

    mutating func enqueue(_ number: SequenceNumber, for goal: GoalSlug) {
        queues[goal, default: GoalQueue()].add(number)
        isNews = true
    }

    /// Takes an event out of its queue.
    ///
    /// - Returns: false when it is not there, or is under way.
    mutating func withdraw(_ number: SequenceNumber, for goal: GoalSlug) -> Bool {
        guard queues[goal]?.withdraw(number) == true else { return false }
        if queues[goal]?.isEmpty == true { queues[goal] = nil }
        isNews = true
        return true
    }

    /// Does this event wait for a person?
    func isHeld(_ goal: GoalSlug) -> Bool {
        switch remote {
        case .signInAgain, .misdirected, .notConnected: true
        case .open, .resting, .waiting: queues[goal]?.isHeld ?? false
        }
    }

    /// Whether anything is on its way.
    var isSending: Bool { inFlight > 0 }

    /// Is this event on its way?
    func isInFlight(_ number: SequenceNumber, for goal: GoalSlug) -> Bool {
        inFlight > 0 && queues[goal]?.isUnderWay(number) ?? false
    }

    // MARK: Sending

    /// Whether `start` has anything to look at.
    func isDue(at now: Monotonic) -> Bool { isNews || wake.map { $0 <= now } ?? false }

    /// What may be sent now; it counts as under way from here on.
    ///
    /// - Parameters:
    ///   - losedate: when a goal derails; unknown goals come last. While nothing is answered, the
    ///     goals take turns instead: the one with the fewest failures is tried first.
    ///   - weigh: an event's bytes in a request, or nil for one that must travel alone.
    mutating func start(
        at now: Monotonic, losedate: (GoalSlug) -> Int64,
        weigh: (SequenceNumber) -> Int? = { _ in nil }
    ) -> [Start] {
        guard isDue(at: now) else { return [] }
        defer {
            isNews = false
            wake = soonest(after: now)
        }
        let isOpen = remote == .open
        var place = nextPlace()
        let ready = queues.filter { due($0.value, place).map { $0 <= now } ?? false }
            .map { (isOpen ? 0 : $0.value.failures, losedate($0.key), $0.key) }
            .sorted { ($0.0, $0.1, $0.2.description) < ($1.0, $1.1, $1.2.description) }
        var started: [Start] = []
        for (_, _, goal) in ready {
            // What has just been started may have taken the place.
            guard var queue = queues[goal], let time = due(queue, place), time <= now else {
                continue
            }
            let numbers = queue.start(togetherFrom: togetherFrom, weigh: weigh)
            queue.connection = connection
            queue.startedAt = now
            queue.isProbe = queue.isSilent
            queues[goal] = queue
            inFlight += 1
            probesInFlight += queue.isProbe ? 1 : 0
            started.append(Start(goal: goal, numbers: numbers))
            place = nextPlace()
        }
        return started
    }

    /// When there is a place for one more request; nil when one must be answered first.
    private func nextPlace() -> Monotonic? {
        guard inFlight >= DeliveryScheduler.mostInFlight else {
            return Monotonic(milliseconds: .min)
        }
        guard inFlight < DeliveryScheduler.mostInFlight + DeliveryScheduler.mostSlow else {
            return nil
        }
        let youngest = queues.values.filter { $0.underWay > 0 }.map(\.startedAt).sorted(by: >)
        return youngest.dropFirst(DeliveryScheduler.mostInFlight - 1).first?
            .adding(seconds: DeliveryScheduler.slowSeconds)
    }

    /// When a queue's next request may go; nil when it waits for one that is under way, or for an
    /// account.
    ///
    /// - Parameter place: what `nextPlace` says.
    private func due(_ queue: GoalQueue, _ place: Monotonic?) -> Monotonic? {
        guard let place, queue.isIdle, !queue.isSilent || probesInFlight == 0 else { return nil }
        switch remote {
        case .open, .resting: break
        // Nothing else is asked of somebody who takes nothing: one probe at a time.
        case .misdirected: if queue.failures > 0, inFlight > 0 { return nil }
        case .waiting, .signInAgain, .notConnected: if inFlight > 0 { return nil }
        }
        return earliest(queue).map { max($0, place) }
    }

    /// When a queue's next request may go as far as the time is concerned; nil for never. What has
    /// not failed itself does not wait because others have.
    private func earliest(_ queue: GoalQueue) -> Monotonic? {
        let own = queue.notBefore ?? Monotonic(milliseconds: .min)
        switch remote {
        case .open: return own
        case .resting(let time):
            if queue.failures == 0 { return own }
            // Any of those that were not answered may be the one that is answered first.
            return queue.isHeld || !queue.isSilent ? max(own, time) : time
        case .misdirected(let time): return queue.failures == 0 ? own : time
        case .signInAgain(let time): return time
        case .waiting(let time): return max(own, time)
        case .notConnected: return nil
        }
    }

    /// When to look again, if nothing happens before. To be asked after `start`.
    func nextWake(after now: Monotonic) -> Monotonic? {
        isNews ? soonest(after: now) : wake
    }

    private func soonest(after now: Monotonic) -> Monotonic? {
        // What is ready and was not started waits for a request that is under way.
        let place = nextPlace()
        return queues.values.compactMap { due($0, place) }.min().map { max($0, now) }
    }

    /// When this goal's events are tried next, as far as that is known; nil when nobody knows.
    func nextAttempt(for goal: GoalSlug, after now: Monotonic) -> Monotonic? {
        guard let queue = queues[goal] else { return nil }
        return earliest(queue).map { max(now, $0) }
    }
}

/// Decides which events are sent and when. Each goal has a queue, first in, first out, one request
/// at a time; two at once; the goal that derails soonest goes first.
///
/// Handles numbers and goals, not events, and reads no clock.
final class DeliveryScheduler {
    /// The state of Beeminder as a whole.
    enum Remote: Sendable, Equatable {
        case open
        /// All goals wait, or all that have failed; after `until` one request is tried.
        case waiting(Obstacle, until: Monotonic)
        /// There is no account.
        case notConnected
    }

    /// Why nothing is sent for a time.
    enum Obstacle: Sendable, Equatable {
        /// Beeminder is down: failed events wait, and then one request at a time probes.
        case outage
        /// Beeminder requested a wait.
        case limit
        /// The token is refused, for the user too: a person must sign in.
        case token
    }

    /// A request that may be sent now.
    struct Start: Sendable, Equatable {
        var goal: GoalSlug
        var numbers: [SequenceNumber]
    }

    var queues = ShortDictionary<GoalSlug, GoalQueue>()
    var remote = Remote.notConnected
    /// Consecutive attempts without an answer, over all goals.
    var failures = 0
    /// Consecutive probes that found the account waiting for a person.
    var probeCount = 0
    /// Whether to ask for the user: the answer tells a fault of one goal from a fault of all.
    var wantsUser = false
    /// The goals with a request under way, few at a time; assigned whole: see `RelayCore`.
    private(set) var busy: [GoalSlug] = []
    /// Whether a request is under way of a goal whose last request was not answered.
    private var isProbing: Bool { busy.contains { queues[$0]?.isSilent ?? false } }

    /// The number of waiting events of one goal from which they are sent in a batch.
    private let batchThreshold: Int

    init(batchThreshold: Int = DatapointBatch.threshold) {
        self.batchThreshold = batchThreshold
    }

    /// Requests under way at once. When they have hung for some seconds, there is room for two more:
    /// goals that hang for the first time must not delay the others for a whole timeout. When so
    /// many hang at once, Beeminder is down, and more requests do not help.
    static let maxInFlight = 4
    private static let maxAnswering = 2
    /// The seconds after which a request counts as one that hangs.
    static let hangSeconds = 3.0
    /// The number of attempts without an answer from which on Beeminder is considered down, until
    /// the user is named: then one request at a time is tried.
    static let breakerFailures = 5

    func enqueue(_ number: SequenceNumber, for goal: GoalSlug) {
        if let queue = queues[goal] { return queue.add(number) }
        let queue = GoalQueue()
        queue.add(number)
        queues[goal] = queue
    }

    /// Removes an event that is not under way from its queue, if it is still there.
    func withdraw(_ number: SequenceNumber, from goal: GoalSlug) {
        guard let queue = queues[goal] else { return }
        queue.withdraw(number)
        if queue.isEmpty { queues[goal] = nil }
    }

    /// Whether this goal's queue waits for a person.
    @inline(__always)
    func isHeld(_ goal: GoalSlug) -> Bool {
        needsPerson || queues[goal]?.isHeld ?? false
    }

    /// Why all goals wait, or those that have failed; nil when they do not, and without an account.
    var obstacle: Obstacle? {
        if case .waiting(let obstacle, _) = remote { obstacle } else { nil }
    }

    /// Whether a person must connect or repair the account; each request finds out whether that was
    /// done.
    @inline(__always)
    var needsPerson: Bool {
        switch remote {
        case .waiting(.token, _), .notConnected: true
        case .open, .waiting: false
        }
    }

    /// Whether Beeminder may be asked for the goals.
    var mayAsk: Bool { remote != .notConnected && obstacle != .limit }

    /// Whether a queue could be sent now, if Beeminder answers.
    @inline(__always)
    var hasSendable: Bool {
        remote == .open
            && queues.values.contains { !$0.isHeld && $0.hasWaiting && $0.failures == 0 }
    }

    /// Whether a request is under way.
    var isSending: Bool { inFlight > 0 }

    /// The number of requests under way.
    var inFlight: Int { busy.count }

    /// Whether this event is in a request under way, whatever name its goal has by now.
    @inline(__always)
    func isInFlight(_ number: SequenceNumber) -> Bool {
        !busy.isEmpty && busy.contains { isInFlight(number, for: $0) }
    }

    /// Whether this event is in a request under way to this goal.
    func isInFlight(_ number: SequenceNumber, for goal: GoalSlug) -> Bool {
        queues[goal]?.isUnderWay(number) ?? false
    }

    /// When the request to this goal that is under way, or the last one, was started; nil without
    /// events for it.
    func lastStart(for goal: GoalSlug) -> Monotonic? { queues[goal]?.startedAt }

    // MARK: Sending

    /// The requests that may be sent now; they count as under way from here on.
    ///
    /// - Parameters:
    ///   - losedate: when a goal derails; unknown goals come last. While Beeminder does not answer,
    ///     the goals alternate instead: the one with the fewest failures is tried first.
    ///   - weigh: an event's bytes in a request, or nil if it must be sent alone.
    func start(
        at now: Monotonic, losedate: (GoalSlug) -> Int64,
        weigh: (SequenceNumber) -> Int? = { _ in nil }
    ) -> [Start] {
        let isOpen = remote == .open
        let ready = queues.filter { due($0.value).map { $0 <= now } ?? false }
            .map { (isOpen ? 0 : $0.value.failures, losedate($0.key), $0.key) }
            .sorted { ($0.0, $0.1, $0.2.description) < ($1.0, $1.1, $1.2.description) }
        var started: [Start] = []
        for (_, _, goal) in ready {
            // A request that was just started may have taken the slot.
            guard let queue = queues[goal], let time = due(queue), time <= now else {
                continue
            }
            let numbers = queue.start(batchThreshold: batchThreshold, weigh: weigh)
            queue.startedAt = now
            busy = busy + [goal]
            started.append(Start(goal: goal, numbers: numbers))
        }
        return started
    }

    /// The request under way of a goal was answered or given up.
    func requestEnded(_ goal: GoalSlug) { busy = busy.filter { $0 != goal } }

    /// Takes events out of a request that was to begin. The others wait again.
    func drop(_ numbers: Set<SequenceNumber>, from goal: GoalSlug) {
        guard let queue = queues[goal], queue.underWay > 0 else { return }
        requestEnded(goal)
        queue.drop(numbers)
        if queue.isEmpty { queues[goal] = nil }
    }

    /// When a queue's next request may start; nil while waiting for one under way, or for an
    /// account.
    private func due(_ queue: GoalQueue) -> Monotonic? {
        guard let room = roomAt, queue.isIdle, !queue.isSilent || !isProbing else { return nil }
        switch remote {
        case .open, .waiting(.outage, _): break
        // Only one probe at a time while a person must repair the account.
        case .waiting(.limit, _), .waiting(.token, _), .notConnected: if isSending { return nil }
        }
        return earliest(queue).map { max($0, room) }
    }

    /// When another request has room; nil while one under way must end first.
    private var roomAt: Monotonic? {
        guard inFlight < DeliveryScheduler.maxInFlight else { return nil }
        let starts = busy.compactMap { queues[$0]?.startedAt }.sorted()
        guard starts.count >= DeliveryScheduler.maxAnswering else {
            return Monotonic(milliseconds: .min)
        }
        return starts[starts.count - DeliveryScheduler.maxAnswering]
            .adding(seconds: DeliveryScheduler.hangSeconds)
    }

    /// When a queue's next request may start according to its delays; nil for never. A queue
    /// without failures is not delayed by those of others.
    private func earliest(_ queue: GoalQueue) -> Monotonic? {
        let own = queue.dueAt ?? Monotonic(milliseconds: .min)
        switch remote {
        case .open: return own
        case .waiting(.outage, let time):
            if queue.failures == 0 { return own }
            // Any goal without an answer may be the first to be answered again.
            return queue.isHeld || !queue.isSilent ? max(own, time) : time
        case .waiting(.token, let time): return time
        case .waiting(.limit, let time): return max(own, time)
        case .notConnected: return nil
        }
    }

    /// When to call `start` again, if nothing happens before. Call it after `start`: a request that
    /// is due and was not started waits for one under way.
    func nextWake(after now: Monotonic) -> Monotonic? {
        queues.values.compactMap { due($0) }.min().map { max($0, now) }
    }

    /// When this goal's events are tried next; nil when unknown.
    func nextAttempt(for goal: GoalSlug, after now: Monotonic) -> Monotonic? {
        guard let queue = queues[goal] else { return nil }
        return earliest(queue).map { max(now, $0) }
    }
}

/// Commands of a person.
extension DeliveryScheduler {
    /// An account was connected: everything is tried now.
    func connect() {
        remote = .open
        recordReachable()
        for queue in queues.values { (queue.failures, queue.isSilent) = (0, false) }
        flush()
    }

    func disconnect() { remote = .notConnected }

    /// Tries everything now, also the probes. Queues that wait for a person stay marked until an
    /// answer shows otherwise, and a wait that Beeminder requested is not shortened.
    func flush() {
        for queue in queues.values { queue.hasten() }
        if let obstacle, obstacle != .limit {
            remote = .waiting(obstacle, until: Monotonic(milliseconds: .min))
        }
    }

    /// Tries a goal now: it exists again, or a person requests that.
    func flush(_ goal: GoalSlug) { queues[goal]?.hasten() }
}

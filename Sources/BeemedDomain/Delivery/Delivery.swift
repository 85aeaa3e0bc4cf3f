/// Who is sent when. One lane a goal, first in, first out, one request at a time; two in flight
/// over all; the goal that derails soonest goes first.
///
/// Knows numbers and goals, not events; keeps no clock.
struct Delivery: Sendable {
    /// What is known of Beeminder as a whole.
    enum Remote: Sendable, Equatable {
        case open
        /// It cannot be reached again and again: everything waits, and then one probes.
        case resting(until: Monotonic)
        /// It asked everybody to wait.
        case waiting(until: Monotonic)
        /// The token is not taken: a person must sign in.
        case signInAgain(probe: Monotonic)
        /// Something else answers at its address: a person must look.
        case misdirected(probe: Monotonic)
        /// There is no account.
        case notConnected
    }

    /// One request that may go now.
    struct Start: Sendable, Equatable {
        var goal: GoalSlug
        var numbers: [SequenceNumber]
    }

    private(set) var lanes: [GoalSlug: Lane] = [:]
    private(set) var remote = Remote.notConnected
    /// Attempts that failed on the way, in a row, over all goals.
    private(set) var failures = 0
    private var inFlight = 0
    /// How often an account was connected, so that a late word about an old token is known as such.
    private var connection = 0
    /// Whether something has changed since `start` was last asked.
    private var isNews = true
    /// What `nextWake` said last.
    private var wake: Monotonic?

    /// From so many waiting events of one goal on they travel together.
    private let togetherFrom: Int

    init(togetherFrom: Int = Consignment.from) {
        self.togetherFrom = togetherFrom
    }

    /// Requests under way at once.
    static let mostInFlight = 2
    /// From so many failures in a row on, one probe at a time.
    static let breakerFailures = 5

    mutating func enqueue(_ number: SequenceNumber, for goal: GoalSlug) {
        lanes[goal, default: Lane()].add(number)
        isNews = true
    }

    /// Takes an event out of its queue.
    ///
    /// - Returns: false when it is not there, or is under way.
    mutating func withdraw(_ number: SequenceNumber, for goal: GoalSlug) -> Bool {
        guard lanes[goal]?.withdraw(number) == true else { return false }
        if lanes[goal]?.isEmpty == true { lanes[goal] = nil }
        isNews = true
        return true
    }

    /// Does this event wait for a person?
    func isHeld(_ goal: GoalSlug) -> Bool {
        switch remote {
        case .signInAgain, .misdirected, .notConnected: true
        case .open, .resting, .waiting: lanes[goal]?.isHeld ?? false
        }
    }

    /// Is this event on its way?
    func isInFlight(_ number: SequenceNumber, for goal: GoalSlug) -> Bool {
        inFlight > 0 && lanes[goal]?.isUnderWay(number) ?? false
    }

    // MARK: Sending

    /// Whether `start` has anything to look at.
    func isDue(at now: Monotonic) -> Bool { isNews || wake.map { $0 <= now } ?? false }

    /// What may be sent now; it counts as under way from here on.
    ///
    /// - Parameters:
    ///   - losedate: when a goal derails; unknown goals come last.
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
        var room = capacity - inFlight
        guard room > 0, isReachable(at: now) else { return [] }
        let ready = lanes.filter { isReady($0.value, at: now) }.keys
            .map { (losedate: losedate($0), goal: $0) }
            .sorted { ($0.losedate, $0.goal.description) < ($1.losedate, $1.goal.description) }
        var started: [Start] = []
        for (_, goal) in ready where room > 0 {
            guard let numbers = lanes[goal]?.start(togetherFrom: togetherFrom, weigh: weigh),
                !numbers.isEmpty
            else { continue }
            lanes[goal]?.connection = connection
            inFlight += 1
            room -= 1
            started.append(Start(goal: goal, numbers: numbers))
        }
        return started
    }

    /// Only one at a time, a probe, as long as there is trouble.
    private var capacity: Int {
        failures < Delivery.breakerFailures && remote == .open ? Delivery.mostInFlight : 1
    }

    private func isReachable(at now: Monotonic) -> Bool {
        notBefore.map { $0 <= now } ?? false
    }

    /// When the remote as a whole may be tried; nil for never.
    private var notBefore: Monotonic? {
        switch remote {
        case .open: Monotonic(milliseconds: .min)
        case .resting(let time), .waiting(let time): time
        case .signInAgain(let time), .misdirected(let time): time
        case .notConnected: nil
        }
    }

    private func isReady(_ lane: Lane, at now: Monotonic) -> Bool {
        lane.isIdle && lane.notBefore.map { $0 <= now } ?? true
    }

    /// When to look again, if nothing happens before. To be asked after `start`.
    func nextWake(after now: Monotonic) -> Monotonic? {
        isNews ? soonest(after: now) : wake
    }

    private func soonest(after now: Monotonic) -> Monotonic? {
        // Whoever is ready and was not started waits for one that is under way.
        guard inFlight < capacity, let notBefore else { return nil }
        let soonest = lanes.values.filter(\.isIdle).map { $0.notBefore ?? now }.min()
        return soonest.map { max($0, notBefore) }
    }

    /// When this goal's events are tried next, as far as that is known; nil when nobody knows.
    func nextAttempt(for goal: GoalSlug, after now: Monotonic) -> Monotonic? {
        guard let lane = lanes[goal], let notBefore else { return nil }
        return max(now, max(notBefore, lane.notBefore ?? now))
    }

    // MARK: What came of it

    /// Takes what came of a request under way, event by event.
    ///
    /// - Parameter isWhole: whether all of them met with the same.
    /// - Returns: those that are settled: they have left the queue, or if they were refused will
    ///   leave it with `release`. None for what is not under way.
    mutating func finish(
        _ goal: GoalSlug, _ outcomes: [(number: SequenceNumber, outcome: Outcome)],
        isWhole: Bool = true, at now: Monotonic, _ randomness: inout some RandomNumberGenerator
    ) -> [(number: SequenceNumber, outcome: Outcome)] {
        guard let first = outcomes.first, isInFlight(first.number, for: goal),
            var lane = lanes.removeValue(forKey: goal)
        else { return [] }
        inFlight -= 1
        isNews = true
        let settled = outcomes.filter(\.outcome.isFinal)
        let refused = settled.filter(\.outcome.isRefusal).map(\.number)
        let gone = settled.filter { !$0.outcome.isRefusal }.map(\.number)
        lane.finish(gone: Set(gone), refused: Set(refused), isWhole: isWhole)
        if !settled.isEmpty {
            lane.failures = 0
            lane.notBefore = nil
            lane.isHeld = false
            succeed(at: now)
        }
        if let open = outcomes.first(where: { !$0.outcome.isFinal }) {
            hear(open.outcome, &lane, at: now, &randomness)
        }
        lanes[goal] = lane.isEmpty ? nil : lane
        return settled
    }

    /// They were not taken together, and go one by one from here on.
    mutating func separate(_ goal: GoalSlug, at now: Monotonic) {
        guard var lane = lanes[goal], lane.underWay > 0 else { return }
        inFlight -= 1
        isNews = true
        lane.finish(gone: [], refused: [], isWhole: false)
        lanes[goal] = lane
        succeed(at: now)
    }

    /// Takes an outcome that leaves events in the queue.
    private mutating func hear(
        _ outcome: Outcome, _ lane: inout Lane, at now: Monotonic,
        _ randomness: inout some RandomNumberGenerator
    ) {
        switch outcome {
        case .delivered, .erased, .refused: break
        case .unclear, .unreachable:
            lane.failures += 1
            let seconds = Backoff.seconds(after: lane.failures, &randomness)
            lane.notBefore = now.adding(seconds: seconds)
            if case .unreachable = outcome { failures += 1 }
            rest(at: now, &randomness)
        case .busy(let seconds):
            lane.failures += 1
            wait(seconds ?? Backoff.seconds(after: lane.failures, &randomness), from: now)
        case .noSuchGoal:
            lane.isHeld = true
            lane.notBefore = now.adding(seconds: Backoff.probe)
            succeed(at: now)
        case .unauthorized:
            // A late word about a token that was replaced meanwhile says nothing.
            if lane.connection == connection { pause(at: now) }
        case .misdirected:
            turn(to: .misdirected(probe: now.adding(seconds: Backoff.probe)))
        }
    }

    /// The record that an event was refused is on the disk.
    mutating func release(_ number: SequenceNumber, for goal: GoalSlug) {
        lanes[goal]?.release(number)
        if lanes[goal]?.isEmpty == true { lanes[goal] = nil }
        isNews = true
    }

    /// Whatever happens, without an account there is none.
    private mutating func turn(to remote: Remote) {
        if self.remote != .notConnected { self.remote = remote }
        isNews = true
    }

    /// Beeminder answers: whoever waited because it did not, need not wait any longer. What it
    /// asked for still counts: the answer may be that to an earlier shipment.
    private mutating func succeed(at now: Monotonic) {
        if failures >= Delivery.breakerFailures { retryLanes() }
        failures = 0
        if case .waiting(let until) = remote, until > now { return }
        turn(to: .open)
    }

    /// After a failed probe the next one waits, and so does everybody when the breaker opens.
    private mutating func rest(
        at now: Monotonic, _ randomness: inout some RandomNumberGenerator
    ) {
        let later = now.adding(seconds: Backoff.seconds(after: max(1, failures), &randomness))
        switch remote {
        case .open, .resting:
            if failures >= Delivery.breakerFailures { remote = .resting(until: later) }
        case .signInAgain(let time): remote = .signInAgain(probe: max(time, later))
        case .misdirected(let time): remote = .misdirected(probe: max(time, later))
        case .waiting, .notConnected: break
        }
    }

    private mutating func wait(_ seconds: Double, from now: Monotonic) {
        let clamped = min(max(seconds, Backoff.asked.lowerBound), Backoff.asked.upperBound)
        turn(to: .waiting(until: now.adding(seconds: clamped)))
    }

    private mutating func retryLanes() {
        for goal in lanes.keys where lanes[goal]?.isHeld == false { lanes[goal]?.notBefore = nil }
        isNews = true
    }

    // MARK: What people say

    /// There is an account: everything is tried now.
    mutating func connect() {
        connection += 1
        remote = .open
        failures = 0
        flush()
    }

    mutating func disconnect() {
        remote = .notConnected
        isNews = true
    }

    /// The token was refused.
    mutating func pause(at now: Monotonic) {
        turn(to: .signInAgain(probe: now.adding(seconds: Backoff.probe)))
    }

    /// Everything is tried now, the probes too. What waits for a person is still marked so, until
    /// an answer says otherwise; and a wait that Beeminder asked for is not ours to cut short.
    mutating func flush() {
        isNews = true
        for goal in lanes.keys { lanes[goal]?.notBefore = nil }
        let now = Monotonic(milliseconds: .min)
        switch remote {
        case .resting: remote = .resting(until: now)
        case .signInAgain: remote = .signInAgain(probe: now)
        case .misdirected: remote = .misdirected(probe: now)
        case .open, .waiting, .notConnected: break
        }
    }

    /// One goal is tried now: it is there again, or somebody asks for it.
    mutating func flush(_ goal: GoalSlug) {
        lanes[goal]?.notBefore = nil
        isNews = true
    }

    /// A goal goes by another name: what waits for it goes there too.
    ///
    /// - Returns: false when something is under way under the old name; to be tried again then.
    mutating func rename(_ old: GoalSlug, to new: GoalSlug) -> Bool {
        guard let lane = lanes[old], old != new else { return true }
        guard lane.underWay == 0 else { return false }
        lanes[old] = nil
        lanes[new, default: Lane()].merge(lane)
        isNews = true
        return true
    }
}

extension Outcome {
    /// Whether it settles the event. Everything else is tried again.
    var isFinal: Bool {
        switch self {
        case .delivered, .erased, .refused: true
        case .unclear, .unreachable, .busy, .unauthorized, .noSuchGoal, .misdirected: false
        }
    }

    fileprivate var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}

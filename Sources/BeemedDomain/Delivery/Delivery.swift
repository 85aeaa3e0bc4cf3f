/// Who is sent when. One lane a goal, first in, first out, one shipment at a time; two in flight
/// over all; the goal that derails soonest goes first.
///
/// Knows numbers and goals, not events; keeps no clock.
struct Delivery: Sendable {
    /// The queue of one goal.
    struct Lane: Sendable {
        fileprivate(set) var waiting = Queue<SequenceNumber>()
        fileprivate(set) var isInFlight = false
        fileprivate(set) var failures = 0
        /// Not to be tried before; for a lane that is held, the time of the next probe.
        fileprivate(set) var notBefore: Monotonic?
        /// Beeminder knows no such goal: a person must look.
        fileprivate(set) var isHeld = false
    }

    /// What is known of Beeminder as a whole.
    enum Remote: Sendable, Equatable {
        case open
        /// Everything waits: it asked for that, or it fails again and again.
        case waiting(until: Monotonic)
        /// The token is not taken: a person must sign in.
        case signInAgain(probe: Monotonic)
        /// Something else answers at its address: a person must look.
        case misdirected(probe: Monotonic)
        /// There is no account.
        case notConnected
    }

    private(set) var lanes: [GoalSlug: Lane] = [:]
    private(set) var remote = Remote.notConnected
    /// Attempts that failed on the way, in a row, over all goals.
    private(set) var failures = 0
    private var inFlight = 0

    /// Shipments under way at once.
    static let mostInFlight = 2
    /// From so many failures in a row on, one probe at a time.
    static let breakerFailures = 5

    mutating func enqueue(_ number: SequenceNumber, for goal: GoalSlug) {
        lanes[goal, default: Lane()].waiting.append(number)
    }

    /// Does this event wait for a person?
    func isHeld(_ goal: GoalSlug) -> Bool {
        switch remote {
        case .signInAgain, .misdirected, .notConnected: true
        case .open, .waiting: lanes[goal]?.isHeld ?? false
        }
    }

    /// Is this event on its way?
    func isInFlight(_ number: SequenceNumber, for goal: GoalSlug) -> Bool {
        guard let lane = lanes[goal] else { return false }
        return lane.isInFlight && lane.waiting.first == number
    }

    // MARK: Sending

    /// What may be sent now; it counts as under way from here on.
    ///
    /// - Parameter losedate: when a goal derails; unknown goals come last.
    mutating func start(
        at now: Monotonic, losedate: (GoalSlug) -> Int64
    ) -> [SequenceNumber] {
        var room = (mayOverlap ? Delivery.mostInFlight : 1) - inFlight
        guard room > 0, isReachable(at: now) else { return [] }
        let ready = lanes.filter { isReady($0.value, at: now) }.keys
            .sorted { (losedate($0), $0.description) < (losedate($1), $1.description) }
        var started: [SequenceNumber] = []
        for goal in ready where room > 0 {
            guard let number = lanes[goal]?.waiting.first else { continue }
            lanes[goal]?.isInFlight = true
            inFlight += 1
            room -= 1
            started.append(number)
        }
        return started
    }

    private var mayOverlap: Bool {
        failures < Delivery.breakerFailures && remote == .open
    }

    private func isReachable(at now: Monotonic) -> Bool {
        switch remote {
        case .open: true
        case .waiting(let time), .signInAgain(let time), .misdirected(let time): time <= now
        case .notConnected: false
        }
    }

    private func isReady(_ lane: Lane, at now: Monotonic) -> Bool {
        guard !lane.isInFlight, !lane.waiting.isEmpty else { return false }
        return lane.notBefore.map { $0 <= now } ?? true
    }

    /// When to look again, if nothing happens before.
    func nextWake(after now: Monotonic) -> Monotonic? {
        guard remote != .notConnected, inFlight < Delivery.mostInFlight else { return nil }
        let waiting = lanes.values.filter { !$0.isInFlight && !$0.waiting.isEmpty }
        guard let soonest = waiting.map({ $0.notBefore ?? now }).min() else { return nil }
        switch remote {
        case .waiting(let time), .signInAgain(let time), .misdirected(let time):
            return max(time, soonest)
        case .open, .notConnected:
            // A lane that is ready and was not started waits for one that is under way.
            return soonest > now ? soonest : nil
        }
    }

    // MARK: What came of it

    /// Takes the outcome of the goal's shipment under way.
    ///
    /// - Returns: whether the event has left the queue.
    mutating func finish(
        _ goal: GoalSlug, _ outcome: Outcome, at now: Monotonic,
        _ randomness: inout some RandomNumberGenerator
    ) -> Bool {
        guard var lane = lanes.removeValue(forKey: goal), lane.isInFlight else { return false }
        lane.isInFlight = false
        inFlight -= 1
        var hasLeft = false
        switch outcome {
        case .delivered, .refused:
            lane.waiting.popFirst()
            hasLeft = true
            lane.failures = 0
            lane.notBefore = nil
            lane.isHeld = false
            succeed()
        case .unclear, .unreachable:
            lane.failures += 1
            lane.notBefore = now.adding(
                seconds: Backoff.seconds(after: lane.failures, &randomness))
            if case .unreachable = outcome { fail(at: now, &randomness) }
        case .busy(let seconds):
            wait(seconds ?? Backoff.seconds(after: lane.failures + 1, &randomness), from: now)
            lane.failures += 1
        case .noSuchGoal:
            lane.isHeld = true
            lane.notBefore = now.adding(seconds: Backoff.probe)
            succeed()
        case .unauthorized:
            remote = .signInAgain(probe: now.adding(seconds: Backoff.probe))
        case .misdirected:
            remote = .misdirected(probe: now.adding(seconds: Backoff.probe))
        }
        lanes[goal] = lane.waiting.isEmpty ? nil : lane
        return hasLeft
    }

    /// Beeminder answers: whoever waited because it did not, need not wait any longer.
    private mutating func succeed() {
        if failures >= Delivery.breakerFailures { retryLanes() }
        failures = 0
        remote = .open
    }

    private mutating func fail(
        at now: Monotonic, _ randomness: inout some RandomNumberGenerator
    ) {
        failures += 1
        guard failures >= Delivery.breakerFailures else { return }
        let seconds = Backoff.seconds(after: failures, &randomness)
        remote = .waiting(until: now.adding(seconds: seconds))
    }

    private mutating func wait(_ seconds: Double, from now: Monotonic) {
        let clamped = min(max(seconds, Backoff.asked.lowerBound), Backoff.asked.upperBound)
        remote = .waiting(until: now.adding(seconds: clamped))
    }

    private mutating func retryLanes() {
        for goal in lanes.keys where lanes[goal]?.isHeld == false { lanes[goal]?.notBefore = nil }
    }

    // MARK: What people say

    /// There is an account: everything is tried now.
    mutating func connect() {
        remote = .open
        flush()
    }

    mutating func disconnect() {
        remote = .notConnected
    }

    /// The token was refused elsewhere.
    mutating func pause(at now: Monotonic) {
        guard remote != .notConnected else { return }
        remote = .signInAgain(probe: now.adding(seconds: Backoff.probe))
    }

    /// Everything is tried now, the probes too. What waits for a person is still marked so, until
    /// an answer says otherwise.
    mutating func flush() {
        for goal in lanes.keys { lanes[goal]?.notBefore = nil }
        let now = Monotonic(milliseconds: .min)
        switch remote {
        case .waiting: remote = .waiting(until: now)
        case .signInAgain: remote = .signInAgain(probe: now)
        case .misdirected: remote = .misdirected(probe: now)
        case .open, .notConnected: break
        }
    }
}

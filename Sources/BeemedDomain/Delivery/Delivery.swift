/// Who is sent when. One lane a goal, first in, first out, one shipment at a time; two in flight
/// over all; the goal that derails soonest goes first.
///
/// Knows numbers and goals, not events; keeps no clock.
struct Delivery: Sendable {
    /// The queue of one goal.
    struct Lane: Sendable {
        fileprivate(set) var waiting = Queue<SequenceNumber>()
        fileprivate(set) var isInFlight = false
        /// Beeminder will not have the first one, and the record of that is on its way to the disk:
        /// the next one follows when it is there, or a crash could let it overtake.
        fileprivate(set) var isSettling = false
        fileprivate(set) var failures = 0
        /// Not to be tried before; for a lane that is held, the time of the next probe.
        fileprivate(set) var notBefore: Monotonic?
        /// Beeminder knows no such goal: a person must look.
        fileprivate(set) var isHeld = false
        /// Under which connection the shipment under way was sent.
        fileprivate var connection = 0

        fileprivate var isIdle: Bool { !isInFlight && !isSettling && !waiting.isEmpty }
    }

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

    private(set) var lanes: [GoalSlug: Lane] = [:]
    private(set) var remote = Remote.notConnected
    /// Attempts that failed on the way, in a row, over all goals.
    private(set) var failures = 0
    private var inFlight = 0
    /// How often an account was connected, so that a late word about an old token is known as such.
    private var connection = 0

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
        case .open, .resting, .waiting: lanes[goal]?.isHeld ?? false
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
        var room = capacity - inFlight
        guard room > 0, isReachable(at: now) else { return [] }
        let ready = lanes.filter { isReady($0.value, at: now) }.keys
            .map { (losedate: losedate($0), goal: $0) }
            .sorted { ($0.losedate, $0.goal.description) < ($1.losedate, $1.goal.description) }
        var started: [SequenceNumber] = []
        for (_, goal) in ready where room > 0 {
            guard let number = lanes[goal]?.waiting.first else { continue }
            lanes[goal]?.isInFlight = true
            lanes[goal]?.connection = connection
            inFlight += 1
            room -= 1
            started.append(number)
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
        // Whoever is ready and was not started waits for one that is under way.
        guard inFlight < capacity, let notBefore else { return nil }
        let soonest = lanes.values.filter(\.isIdle).map { $0.notBefore ?? now }.min()
        return soonest.map { max($0, notBefore) }
    }

    // MARK: What came of it

    /// Takes the outcome of a shipment under way.
    ///
    /// - Returns: whether it is settled: the event has left the queue, or if it was refused will
    ///   leave it with `release`. False also for what is not under way.
    mutating func finish(
        _ number: SequenceNumber, for goal: GoalSlug, _ outcome: Outcome, at now: Monotonic,
        _ randomness: inout some RandomNumberGenerator
    ) -> Bool {
        guard isInFlight(number, for: goal), var lane = lanes.removeValue(forKey: goal) else {
            return false
        }
        lane.isInFlight = false
        inFlight -= 1
        let isSettled = outcome.isFinal
        switch outcome {
        case .delivered, .refused:
            if case .refused = outcome { lane.isSettling = true } else { lane.waiting.popFirst() }
            lane.failures = 0
            lane.notBefore = nil
            lane.isHeld = false
            succeed(at: now)
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
        case .erased: break
        case .misdirected:
            turn(to: .misdirected(probe: now.adding(seconds: Backoff.probe)))
        }
        lanes[goal] = lane.waiting.isEmpty ? nil : lane
        return isSettled
    }

    /// The record that the goal's first event was refused is on the disk.
    mutating func release(_ number: SequenceNumber, for goal: GoalSlug) {
        guard var lane = lanes.removeValue(forKey: goal) else { return }
        if lane.isSettling, lane.waiting.first == number {
            lane.isSettling = false
            lane.waiting.popFirst()
        }
        lanes[goal] = lane.waiting.isEmpty ? nil : lane
    }

    /// Whatever happens, without an account there is none.
    private mutating func turn(to remote: Remote) {
        if self.remote != .notConnected { self.remote = remote }
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
    }

    /// The token was refused.
    mutating func pause(at now: Monotonic) {
        turn(to: .signInAgain(probe: now.adding(seconds: Backoff.probe)))
    }

    /// Everything is tried now, the probes too. What waits for a person is still marked so, until
    /// an answer says otherwise; and a wait that Beeminder asked for is not ours to cut short.
    mutating func flush() {
        for goal in lanes.keys { lanes[goal]?.notBefore = nil }
        let now = Monotonic(milliseconds: .min)
        switch remote {
        case .resting: remote = .resting(until: now)
        case .signInAgain: remote = .signInAgain(probe: now)
        case .misdirected: remote = .misdirected(probe: now)
        case .open, .waiting, .notConnected: break
        }
    }
}

extension Outcome {
    /// Whether it settles the event. Everything else is tried again.
    var isFinal: Bool {
        switch self {
        case .delivered, .refused: true
        case .erased, .unclear, .unreachable, .busy, .unauthorized, .noSuchGoal, .misdirected:
            false
        }
    }
}

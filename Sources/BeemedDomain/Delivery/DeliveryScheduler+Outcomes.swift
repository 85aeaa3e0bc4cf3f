/// Processing of answers, for one goal and for Beeminder as a whole.
///
/// | answer | waits | how long |
/// |---|---|---|
/// | a fault, or none | the goal's queue | `Backoff.seconds` |
/// | none to several goals | all that have failed, then one probe (`rest`) | `Backoff.resting` |
/// | a request to wait | the goal's queue, or all (`wait`) | as asked, `Backoff.seconds` |
/// | no such goal, or not allowed | the goal's queue, for a person (`hold`) | `Backoff.held` |
/// | the token is refused for the user, too | all, for a person (`waitForPerson`) | `Backoff.paused` |
/// | one event fails, and others do not | that event (`GoalQueue.restAside`) | `Backoff.seconds` |
///
/// Each delay is shortened before a deadline (`Backoff.wait`).
extension DeliveryScheduler {
    /// Processes the outcomes of a request under way, event by event.
    ///
    /// - Parameters:
    ///   - left: seconds until the goal derails; nil when unknown.
    /// - Returns: the settled events: they have left the queue or, if they were refused, will leave
    ///   it with `release`. None for events that are not under way.
    func finish(
        _ goal: GoalSlug, _ outcomes: [(number: SequenceNumber, outcome: Outcome)],
        at now: Monotonic, left: Int64? = nil, _ randomness: inout some RandomNumberGenerator
    ) -> [(number: SequenceNumber, outcome: Outcome)] {
        guard let first = outcomes.first, isInFlight(first.number, for: goal),
            let queue = queues[goal]
        else { return [] }
        queues[goal] = nil  // Until the end `queues` are the others.
        requestEnded(goal)
        let settled = outcomes.filter(\.outcome.isFinal)
        let isSearch = queue.suspect != nil
        let isOfFirst = queue.tried == nil && !isSearch
        sort(outcomes, settled, queue, at: now, left, &randomness)
        if !settled.isEmpty {
            queue.succeed()
            succeed(at: now)
        }
        if outcomes.contains(where: \.outcome.isUnchangeable) {
            (queue.isBusy, queue.isSilent) = (false, false)
            succeed(at: now)
        }
        let open = outcomes.first { !$0.outcome.isFinal && !$0.outcome.isUnchangeable }?.outcome
        // Two events that fail alike show that neither is the cause.
        if let open, !isOfFirst, !open.blamesOthers {
            applyFailureOfOther(open, queue, at: now, left, &randomness)
        } else if let open {
            apply(open, queue, at: now, left, &randomness)
            if isOfFirst, outcomes.count == 1 { doubtFirst(of: queue, open) }
        }
        queues[goal] = queue.isEmpty ? nil : queue
        return settled
    }

    /// The events of the request under way leave the queue, are set aside, or wait again.
    private func sort(
        _ outcomes: [(number: SequenceNumber, outcome: Outcome)],
        _ settled: [(number: SequenceNumber, outcome: Outcome)], _ queue: GoalQueue,
        at now: Monotonic, _ left: Int64?, _ randomness: inout some RandomNumberGenerator
    ) {
        let refused = settled.filter(\.outcome.isRefusal).map(\.number)
        let gone = settled.filter { !$0.outcome.isRefusal }.map(\.number)
        // An event set aside that has failed again goes back to its position.
        let isTriedAgain = queue.tried != nil
        let aside = outcomes.filter {
            $0.outcome.isUnchangeable || isTriedAgain && !$0.outcome.isFinal
        }
        let hasCause = queue.suspect != nil && !settled.isEmpty
        queue.finish(
            gone: Set(gone), refused: Set(refused), aside: Set(aside.map(\.number)))
        if hasCause || !aside.isEmpty { queue.restAside(at: now, left: left, &randomness) }
    }

    /// The first event of a queue has failed alone, perhaps because of the event itself, unless the
    /// answer names another cause.
    private func doubtFirst(of queue: GoalQueue, _ outcome: Outcome) {
        if !outcome.blamesOthers, remote == .open { queue.doubtFirst() }
        // Whether Beeminder answers others, before a person is told.
        if queue.failures == GoalQueue.reportedFailures - 1 { wantsUser = true }
    }

    /// Applies an outcome that leaves events in the queue.
    private func apply(
        _ outcome: Outcome, _ queue: GoalQueue, at now: Monotonic,
        _ left: Int64?, _ randomness: inout some RandomNumberGenerator
    ) {
        queue.failures += 1
        queue.isBusy = false
        queue.isSilent = outcome.isSilence
        switch outcome {
        case .delivered, .erased, .refused, .outdated, .unchangeable: break
        case .unclear, .unreachable, .misdirected:
            let seconds = Backoff.seconds(after: queue.failures, &randomness)
            queue.notBefore = now.adding(seconds: Backoff.wait(seconds, left: left))
            if queue.isSilent { recordTimeout() }
            if case .misdirected = outcome { queue.trouble = .barred }
            rest(at: now, left, &randomness)
        case .busy(let asked, _):
            let own = Backoff.seconds(after: queue.failures, &randomness)
            wait(asked, own: own, queue, at: now, left)
            if needsPerson { rest(at: now, left, &randomness) }
        case .noSuchGoal:
            hold(queue, .missing, at: now, left, &randomness)
            succeed(at: now)
        case .unauthorized, .forbidden:
            hold(queue, .barred, at: now, left, &randomness)
            // A fault of this goal only, or of all? Asking for the user tells.
            wantsUser = wantsUser || !needsPerson || remote == .notConnected
            restAfterProbe(at: now, left, &randomness)
        }
    }

    /// Processes the failure of an event that was set aside, or was tried instead of the first one:
    /// nothing follows from it for its goal, unless the answer names another cause than the event.
    private func applyFailureOfOther(
        _ outcome: Outcome, _ queue: GoalQueue, at now: Monotonic,
        _ left: Int64?, _ randomness: inout some RandomNumberGenerator
    ) {
        queue.isBusy = false
        queue.isSilent = outcome.isSilence
        if queue.isSilent { recordTimeout() }
        restAfterProbe(at: now, left, &randomness)
    }

    /// The next probe of an account that waits for a person is delayed, or what has failed is.
    private func restAfterProbe(
        at now: Monotonic, _ left: Int64?, _ randomness: inout some RandomNumberGenerator
    ) {
        if obstacle == .token {
            waitForPerson(at: now, left: left)
        } else {
            rest(at: now, left, &randomness)
        }
    }

    /// Beeminder requests a wait. Without a time it may be about this goal only, such as one that
    /// was fed too often, until another one is asked to wait, too.
    private func wait(
        _ asked: Double?, own: Double, _ queue: GoalQueue, at now: Monotonic, _ left: Int64?
    ) {
        queue.isBusy = true
        queue.notBefore = now.adding(seconds: Backoff.wait(own, left: left))
        guard asked != nil || queues.values.contains(where: \.isBusy) else { return }
        wait(Backoff.wait(max(asked ?? 0, own), left: left), from: now)
    }

    /// This goal's events wait for a person; they are probed from time to time.
    private func hold(
        _ queue: GoalQueue, _ trouble: GoalQueue.Trouble, at now: Monotonic, _ left: Int64?,
        _ randomness: inout some RandomNumberGenerator
    ) {
        queue.trouble = trouble
        let seconds = Backoff.held(after: queue.failures, &randomness)
        queue.notBefore = now.adding(seconds: Backoff.wait(seconds, left: left))
    }

    /// The record of a refusal is durable. The goal may have another name by now.
    func release(_ number: SequenceNumber) {
        for (goal, queue) in queues where queue.settling.contains(number) {
            queue.release(number)
            if queue.isEmpty { queues[goal] = nil }
        }
    }

    // MARK: Beeminder as a whole

    /// A request was not answered. A goal may hang for ever without affecting the others: when
    /// several requests got no answer, the user is asked for, and Beeminder is down until then.
    private func recordTimeout() {
        failures += 1
        if failures == DeliveryScheduler.breakerFailures { wantsUser = true }
    }

    private var isBroken: Bool { failures >= DeliveryScheduler.breakerFailures }

    /// After a failed probe the next one is delayed, and so is everything that has failed when the
    /// breaker opens.
    private func rest(
        at now: Monotonic, _ left: Int64?, _ randomness: inout some RandomNumberGenerator
    ) {
        let seconds = Double.random(in: Backoff.resting, using: &randomness)
        let later = now.adding(seconds: Backoff.wait(seconds, left: left))
        switch remote {
        case .open: if isBroken { remote = .waiting(.outage, until: later) }
        case .waiting(.outage, _): remote = .waiting(.outage, until: later)
        case .waiting(.limit, _), .notConnected: break
        case .waiting(let obstacle, let time):
            remote = .waiting(obstacle, until: max(time, later))
        }
    }

    /// Without an account the state stays `notConnected`, whatever happens.
    private func turn(to remote: Remote) {
        if self.remote != .notConnected { self.remote = remote }
    }

    /// Beeminder answers: requests that waited for that need not wait longer. A wait that it
    /// requested stays in force: the answer may belong to an earlier request.
    private func succeed(at now: Monotonic) {
        switch obstacle {
        case .outage, .token: retryQueues { $0.trouble != .missing }
        case .limit, nil: break
        }
        recordReachable()
        if case .waiting(.limit, let until) = remote, until > now { return }
        turn(to: .open)
    }

    func recordReachable() {
        failures = 0
        probeCount = 0
    }

    private func wait(_ seconds: Double, from now: Monotonic) {
        let clamped = min(max(seconds, Backoff.asked.lowerBound), Backoff.asked.upperBound)
        turn(to: .waiting(.limit, until: now.adding(seconds: clamped)))
    }

    /// A wait of all goals may have begun before there were events for a goal that derails soon, or
    /// with the answer about a safe one: it lasts as long as that goal allows.
    ///
    /// - Parameter left: seconds until the first goal with waiting events derails.
    func shortenWait(at now: Monotonic, left: Int64) {
        // The time may be the earliest of all times: try at once.
        guard case .waiting(let obstacle, let time) = remote, time > now else { return }
        let seconds = Double(time.milliseconds - now.milliseconds) / 1_000
        let shorter = Backoff.wait(seconds, left: left)
        guard shorter < seconds else { return }
        remote = .waiting(obstacle, until: now.adding(seconds: shorter))
    }

    private func retryQueues(_ isMeant: (GoalQueue) -> Bool) {
        for queue in queues.values where isMeant(queue) { queue.notBefore = nil }
    }

    // MARK: The user

    /// Whether to ask for the user now; true once.
    func takeWantsUser() -> Bool {
        defer { wantsUser = false }
        return wantsUser && remote != .notConnected
    }

    /// The user request was answered: the token is valid and Beeminder answers. Faults of single
    /// goals stay in force.
    func processUser(at now: Monotonic) {
        switch obstacle {
        case .outage, .token: succeed(at: now)
        case .limit, nil: recordReachable()
        }
    }

    /// Whether the token was refused for a goal, and was not confirmed since.
    var isTokenDoubted: Bool { queues.values.contains { $0.trouble == .barred } }

    /// The token was refused for the user too.
    ///
    /// - Parameter left: seconds until the first goal with waiting events derails.
    /// - Returns: the delay before the next probe, in seconds.
    @discardableResult
    func waitForPerson(at now: Monotonic, left: Int64? = nil) -> Double {
        if case .waiting(.token, let time) = remote, time > now {
            return Double(time.milliseconds - now.milliseconds) / 1_000
        }
        probeCount += 1
        let seconds = Backoff.wait(Backoff.paused(after: probeCount), left: left)
        turn(to: .waiting(.token, until: now.adding(seconds: seconds)))
        return seconds
    }
}

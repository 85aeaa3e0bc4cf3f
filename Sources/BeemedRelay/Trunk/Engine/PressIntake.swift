package import BeemedDomain
package import RelayHTTP

/// The presses of one request with many of them, in order: a device's queue, an imported file.
package protocol PressQueue: AnyObject {
    /// The request.
    var call: Call { get }

    /// The number of its presses.
    var count: Int { get }

    /// The next press; they are asked for in order.
    func next(_ index: Int, in relay: isolated Relay, at now: Moment) -> QueuedPress

    /// Takes the outcome of one press.
    func settle(_ index: Int, _ outcome: PressOutcome, in relay: isolated Relay)

    /// Nothing else will come.
    func end(_ end: PressQueueEnd, in relay: isolated Relay)
}

/// A press of many.
package enum QueuedPress {
    /// Only checked in a dry run; without a reading if no device has written the press.
    case press(Press, PressReading?, isDryRun: Bool)
    /// The press cannot be read; the id as sent by the device, if readable.
    case refused(Problem, id: EventID?)
}

/// The outcome of one press of many.
package enum PressOutcome {
    /// The press is durable.
    case accepted(Acceptance, PressReading)
    /// The press would be accepted.
    case rehearsed(RehearsedPress)
    /// The press is not accepted; the id as sent by the device, if readable.
    case refused(Problem, id: EventID?)

    init(_ reply: Reply, _ reading: PressReading) {
        switch reply {
        case .accepted(let acceptance): self = .accepted(acceptance, reading)
        case .refused(let refusal): self = .refused(refusal.problem, id: reading.id)
        case .total, .usable, .changed: preconditionFailure("a press is accepted or refused")
        }
    }
}

/// How a queue ends.
package enum PressQueueEnd {
    /// Every press has its outcome.
    case complete
    /// Its client has gone: what was accepted stays so, and the client sends all of it again.
    case deserted
    /// The relay can promise nothing more.
    case failed
}

/// A queue on its way to the core. It is processed in slices, with other requests in between, so
/// that a long one does not delay a button.
package final class PressIntake {
    let queue: any PressQueue
    /// Whether its token or sign-in was taken away meanwhile: then the rest of it is refused.
    var isRevoked = false
    fileprivate let count: Int
    /// The index of the next press.
    fileprivate var index = 0
    /// Presses without an outcome.
    fileprivate var missing: Int
    fileprivate var isOver = false
    fileprivate var rehearsal = RelayCore.Rehearsal()

    /// Presses of one slice, at most.
    fileprivate static let slice = 100
    /// Presses of one slice, at least, if that many remain: each slice costs a sync.
    fileprivate static let leastSlice = 50
    /// Time limit of one slice, in nanoseconds.
    fileprivate static let sliceNanoseconds: Int64 = 3_000_000
    /// Unsynced presses of one queue, at most: the outcomes of more at once would take as long to
    /// process as the presses themselves.
    private static let maxUnwritten = 400

    fileprivate init(_ queue: any PressQueue) {
        let count = queue.count
        (self.queue, self.count, missing) = (queue, count, count)
        queue.call.events = count
    }

    fileprivate var mayGoOn: Bool { missing - (count - index) < PressIntake.maxUnwritten }
}

/// The queues under way, in turn.
package final class PressIntakes {
    private var waiting: [PressIntake] = []
    /// Whether the next slice is scheduled.
    private var isPosted = false

    /// Passes the presses of a queue to the core, those of a first slice at once.
    package func begin(_ queue: any PressQueue, in relay: isolated Relay) {
        let intake = PressIntake(queue)
        intake.isRevoked = !relay.access.isGood(queue.call.bearer)
        if intake.count == 0 { end(intake, .complete, in: relay) }
        if !advance(intake, in: relay) { waiting.append(intake) }
    }

    var calls: some Sequence<Call> { waiting.lazy.map(\.queue.call) }

    /// Schedules the queues that can continue for the next turn of the loop, behind new requests.
    func schedule(in relay: isolated Relay) {
        guard !isPosted, waiting.contains(where: \.mayGoOn) else { return }
        isPosted = true
        relay.loop.post { relay.assumeIsolated { $0.intakes.goOn(in: $0) } }
    }

    private func goOn(in relay: isolated Relay) {
        isPosted = false
        guard let index = waiting.firstIndex(where: \.mayGoOn) else { return }
        let intake = waiting.remove(at: index)
        if !relay.isAwaited(intake.queue.call.id) {
            end(intake, .deserted, in: relay)
        } else if !advance(intake, in: relay) {
            waiting.append(intake)
        }
        relay.finishTurn()
    }

    /// Takes no more of the queues whose token or sign-in was taken away.
    func revoke(where isRevoked: (Device) -> Bool) {
        for intake in waiting where isRevoked(intake.queue.call.bearer) { intake.isRevoked = true }
    }

    func endAll(_ reason: PressQueueEnd, in relay: isolated Relay) {
        for intake in waiting { end(intake, reason, in: relay) }
        waiting = []
    }

    /// Ends a queue, once.
    func end(_ intake: PressIntake, _ reason: PressQueueEnd, in relay: isolated Relay) {
        guard !intake.isOver else { return }
        intake.isOver = true
        intake.queue.end(reason, in: relay)
    }

    /// Processes one slice of a queue, and returns whether it was the last one.
    private func advance(_ intake: PressIntake, in relay: isolated Relay) -> Bool {
        let queue = intake.queue
        let until = Instant(nanoseconds: Instant.now.nanoseconds + PressIntake.sliceNanoseconds)
        let moment = Moment(wall: queue.call.moment.wall, monotonic: relay.clock().monotonic)
        for step in 1...PressIntake.slice where intake.index < intake.count {
            takeNext(of: intake, at: moment, in: relay)
            guard step < PressIntake.leastSlice || Instant.now < until else { break }
        }
        return intake.index == intake.count
    }

    private func takeNext(of intake: PressIntake, at now: Moment, in relay: isolated Relay) {
        let index = intake.index
        intake.index += 1
        switch intake.queue.next(index, in: relay, at: now) {
        case .refused(let problem, let id):
            settle(intake, index, .refused(problem, id: id), in: relay)
        case .press(let press, let reading, let isDryRun):
            let reading = reading ?? .none
            do throws(Problem) {
                guard !intake.isRevoked else { throw .revoked }
                guard isDryRun else {
                    let waiter = Waiter.queue(intake, index: index, reading)
                    return relay.engine.submit(press, reply: waiter, at: now)
                }
                let rehearsed = try relay.engine.core.rehearsed(
                    press, reading, at: now, &intake.rehearsal)
                settle(intake, index, .rehearsed(rehearsed), in: relay)
            } catch {
                settle(intake, index, .refused(error, id: reading.id), in: relay)
            }
        }
    }

    func settle(
        _ intake: PressIntake, _ index: Int, _ outcome: PressOutcome, in relay: isolated Relay
    ) {
        if case .refused(let problem, _) = outcome { relay.records.metrics.count(problem) }
        intake.queue.settle(index, outcome, in: relay)
        intake.missing -= 1
        if intake.missing == 0 { end(intake, .complete, in: relay) }
    }
}

extension Relay {
    /// Whether the client of a request is still there.
    package func isAwaited(_ id: ExchangeID) -> Bool {
        site?.server.assumeIsolated { $0.holds(id) } ?? false
    }
}

import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Bodies of health data under way. They are read off the loop, one at a time; their days go
/// through the core in slices, with other requests in between.
final class HealthQueue: LeafState {
    /// A body that waits or is being read.
    struct Pending {
        let call: Call
        let device: Device
        let isDryRun: Bool
    }

    /// A device, of which there may be no token any more.
    struct Sender {
        var name: String
        var generation: DeviceGeneration?
    }

    /// A body that was read, and the index of its next day.
    struct Ready {
        var batch: Int
        var reading: HealthReading
        var sender: Sender
        /// The indices of its days, those first whose value does not fall: what is sent keeps that
        /// order (`RelayCore.mustFollow`).
        var order: [Int]
        /// The place in `order` of the next one.
        var index = 0
    }

    var seen: SeenMetrics
    /// Reads bodies, one after the other.
    let work = SerialQueue()
    var reading: [ExchangeID: Pending] = [:]
    var ready: [Ready] = []
    var batches: [Int: HealthBatch] = [:]
    var lastBatch = 0
    var isPosted = false

    /// Small bodies that may wait or be read at once.
    static let maxSmall = 32
    /// The same of large ones.
    static let maxLarge = 2
    /// The size up to which a body is small, in bytes.
    static let smallBytes = 65_536
    /// Days of one slice, at most.
    static let slice = 100

    /// Make datapoints of the days.
    let rules: LiveBook<HealthRule>

    /// Bodies that wait until it is known which day it is.
    var held: HeldBodies

    init(_ rules: RuleBook, _ seen: SeenMetrics, _ held: HeldBodies) {
        self.rules = LiveBook(rules)
        (self.seen, self.held) = (seen, held)
    }

    var isBusy: Bool { !reading.isEmpty || !batches.isEmpty }

    func note(_ event: LeafEvent, in relay: isolated Relay) {
        switch event {
        case .failed: relay.abandonHealth()
        // What the disk or a limit kept from being read is tried again.
        case .effect(.presentDayKnown), .devicesChanged: relay.readHeld()
        default: break
        }
    }

    func forgetUser(in relay: isolated Relay) -> (@Sendable (RelayStore, Log) -> Void)? {
        seen = SeenMetrics()
        held.removeAll()
        let samples = relay.files.store.samples
        // In turn: bodies of the new user come behind it.
        work.add { samples.removeAll() }
        return { [work] store, log in
            work.finish()
            store.forgetSeenMetrics(log)
        }
    }
}

extension RelayStore {
    var samples: SampleStore { SampleStore(dataFolder: folder, files: files) }

    func forgetSeenMetrics(_ log: Log) { _ = save(SeenMetrics(), as: .seenMetrics, log) }
}

extension Relay {
    var health: HealthQueue { state() }

    /// Whether a body of health data may wait to be read.
    func hasPlace(forHealth call: Call) -> Bool {
        let isLarge = call.bodyBytes > HealthQueue.smallBytes
        let most = isLarge ? HealthQueue.maxLarge : HealthQueue.maxSmall
        let like = health.reading.values.lazy
            .filter { ($0.call.bodyBytes > HealthQueue.smallBytes) == isLarge }.map(\.call)
        return hasPlace(for: call, among: most, heldBy: like)
    }

    /// All names of the goals that a device may log to; nil for all goals.
    func allowedGoals(of device: Device) -> Set<String>? {
        let known = engine.core.goals
        return device.goals.map { goals in
            Set(goals.flatMap { goal in GoalSlug(goal).map(known.names) ?? [] } + goals)
        }
    }

    /// Processes a body that was read.
    func processHealth(
        _ result: Result<HealthReading, HealthReading.Failure>, of id: ExchangeID
    ) {
        guard let pending = health.reading.removeValue(forKey: id) else { return }
        let call = pending.call
        switch result {
        case .failure(.body(.tooMany)):
            answer(call, .failure(Problem(.tooLarge, HealthBody.tooLarge)))
        case .failure(.body(let fault)): answer(call, .failure(.malformed(fault.advice)))
        case .failure(.undated): hold(pending)
        case .failure(.disk): answer(call, .failure(.diskFull))
        case .failure(.unreadable(let cause)):
            log.error("stored samples cannot be read", [("cause", cause.cause)])
            answer(call, .failure(.samplesUnreadable))
        case .success(let reading):
            let sender = HealthQueue.Sender(
                name: pending.device.name, generation: pending.device.generation)
            accept(
                reading, of: sender, .request(call), at: call.moment.wall,
                isTest: pending.isDryRun || reading.body.isTest)
        }
        finishTurn()
    }

    /// Passes the days of a body to the core.
    func accept(
        _ reading: HealthReading, of sender: HealthQueue.Sender, _ origin: HealthBatch.Origin,
        at wall: UnixTime, isTest: Bool
    ) {
        if !isTest { recordSeen(reading, of: sender.name, wall) }
        for alarm in reading.alarms {
            log.error("stored samples are damaged", [("cause", alarm)])
            engine.raise(alarm)
        }
        health.lastBatch += 1
        let batch = health.lastBatch
        health.batches[batch] = HealthBatch(origin, reading, isDryRun: isTest)
        health.ready.append(
            HealthQueue.Ready(
                batch: batch, reading: reading, sender: sender, order: order(of: reading)))
        continueHealth()
    }

    private func order(of reading: HealthReading) -> [Int] {
        let isLower = reading.days.map { engine.core.isLower($0.total) }
        return isLower.indices.filter { !isLower[$0] } + isLower.indices.filter { isLower[$0] }
    }

    private func recordSeen(_ reading: HealthReading, of device: String, _ now: UnixTime) {
        health.seen.record(reading.body.unread, from: device, at: now)
        health.seen.record(reading.newest, at: now)
        if let visit = reading.body.visit { health.seen.record(visit, at: now) }
        files.saveCache { [seen = health.seen] in _ = $0.save(seen, as: .seenMetrics, $1) }
    }

    /// Passes one slice of the first body's days to the core.
    private func continueHealth() {
        guard var next = health.ready.first else { return }
        let isDryRun = health.batches[next.batch]?.isDryRun ?? false
        let end = min(next.index + HealthQueue.slice, next.reading.days.count)
        for index in next.order[next.index..<end] where next.reading.days[index].ignored == nil {
            let total = next.reading.days[index].total
            if isDryRun {
                let reply = engine.core.rehearse(total, at: clock())
                finishHealth(next.batch, index, reply)
            } else {
                engine.submit(
                    .total(total), reply: ofDay(next.batch, index), at: clock())
            }
        }
        next.index = end
        if end == next.reading.days.count {
            health.ready.removeFirst()
            submitVisits(next, isDryRun: isDryRun)
            endHealth(next.batch)
        } else {
            health.ready[0] = next
        }
        guard !health.ready.isEmpty, !health.isPosted else { return }
        health.isPosted = true
        loop.post {
            self.assumeIsolated { relay in
                relay.health.isPosted = false
                relay.continueHealth()
                relay.finishTurn()
            }
        }
    }

    private func submitVisits(_ next: HealthQueue.Ready, isDryRun: Bool) {
        guard let visit = next.reading.body.visit, let name = DeviceName(next.sender.name) else {
            return
        }
        let now = clock()
        for (rule, goal) in next.reading.visits {
            var press = Press(
                device: name, generation: next.sender.generation,
                id: EventID("\(rule)-\(visit.at)"), goal: goal,
                comment: String(visit.place.unicodeScalars.prefix(200)),
                time: .timestamp(UnixTime(visit.at)))
            press.wantsSuggestion = false
            guard isDryRun else {
                engine.submit(press, reply: ofVisit(next.batch), at: now)
                continue
            }
            health.batches[next.batch]?.skipPress()
        }
    }

    // MARK: Replies

    private func ofDay(_ batch: Int, _ index: Int) -> Waiter {
        .leaf { $0.finishHealth(batch, index, $1) }
    }

    private func ofVisit(_ batch: Int) -> Waiter { .leaf { $0.finishVisit(batch, $1) } }

    /// The core's reply to a day.
    func finishHealth(_ batch: Int, _ index: Int, _ reply: Reply) {
        health.batches[batch]?.settle(index, reply)
        endHealth(batch)
    }

    /// The core's reply to the press of a visit.
    func finishVisit(_ batch: Int, _ reply: Reply) {
        health.batches[batch]?.settle(press: reply)
        endHealth(batch)
    }

    private func endHealth(_ batch: Int) {
        let isUnderWay = health.ready.contains { $0.batch == batch }
        guard !isUnderWay, let whole = health.batches[batch], whole.isComplete else {
            return
        }
        health.batches[batch] = nil
        switch whole.origin {
        case .request(let call): answer(call, whole.result)
        case .held(let number): endHeld(number, isTaken: whole.refusal == nil)
        }
    }

    /// Answers all bodies under way.
    fileprivate func abandonHealth() {
        let read = health.batches.values.compactMap { batch in
            if case .request(let call) = batch.origin { call } else { nil }
        }
        let calls = read + health.reading.values.map(\.call)
        (health.batches, health.ready, health.reading) = ([:], [], [:])
        for call in calls { answer(call, .failure(.outcomeUnknown)) }
    }
}

extension Problem {
    fileprivate static let samplesUnreadable = Problem(
        .crowded,
        "the samples that came before cannot be read, and without them a day would become "
            + "smaller; see the relay's log, and send the same again",
        fields: [Response.Field("Retry-After", "60")])
    static let tooManyBodies = Problem(
        .crowded, "other health data is being read; send the same again in a few seconds",
        fields: [Response.Field("Retry-After", "5")])
}

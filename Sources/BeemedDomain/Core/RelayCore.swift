/// The whole relay as a value: what it knows and what it decides. `apply` is a fold, with no
/// clock, disk, network or chance inside: they come in as arguments and inputs and go out as
/// effects, so that years of trouble can be simulated from a seed.
///
/// The order that must never be broken: a record is appended, the journal's receipt comes back,
/// and only then is anybody told or anything sent.
package struct RelayCore: Sendable {
    private struct Waiting: Sendable {
        var ticket: Ticket
        /// The event.
        var number: SequenceNumber
        /// The record whose receipt it waits for.
        var until: SequenceNumber
        var isDuplicate: Bool
    }

    var ledger = Ledger()
    var delivery = Delivery()
    package private(set) var goals: GoalBook
    private var refresh = GoalRefresh()
    private var receipt: Receipt
    private var next: SequenceNumber
    /// The last record that was recovered. The receipt is below it when the disk could not be
    /// written to at the start: then those are known and not vouched for.
    private let recovered: SequenceNumber
    private var waiting = Queue<Waiting>()
    /// Records that are not puts and not durable yet, in order.
    private var unwritten = Queue<Record>()
    /// What must be recorded and could not be, for want of room.
    private(set) var deferred: [Record.Fact] = []
    /// When to look whether there is room again.
    private var roomCheckAt: Monotonic?
    /// How often there was no room. Records of an earlier epoch are not written any more.
    private(set) var epoch: UInt64 = 0
    private var randomness: Randomness
    private var alarm: Monotonic?
    private let boot: String
    let heldBytes: Int
    /// Whether the last attempt to write found no room.
    package private(set) var isDiskFull = false
    /// Whether the last attempt to deliver left its event in the queue.
    package private(set) var lastDeliveryFailed = false
    /// Grows whenever something but the time has changed.
    package private(set) var version: UInt64

    /// A relay that goes on where the journal ends.
    ///
    /// - Parameters:
    ///   - recovered: what the journal held.
    ///   - receipt: the journal's word that all of that is durable.
    ///   - boot: names this boot of the machine, for the monotonic times in records.
    ///   - seed: for the chance in waiting times and minted ids.
    ///   - heldBytes: so much of the journal may be taken by what is not delivered.
    package init(
        _ recovered: Recovered, under receipt: Receipt, goals: GoalBook = GoalBook(),
        boot: String, seed: UInt64, heldBytes: Int = RelayCore.heldBytes
    ) {
        self.receipt = receipt
        self.goals = goals
        self.boot = boot
        self.heldBytes = heldBytes
        next = recovered.next
        self.recovered = SequenceNumber(recovered.next.value - 1)
        isDiskFull = recovered.findings.obstacle != nil
        version = recovered.next.value
        randomness = Randomness(seed: seed)
        if isDiskFull { roomCheckAt = Monotonic(milliseconds: .min) }
        ledger.reserve(recovered.entries.count)
        for entry in recovered.entries {
            ledger.restore(entry)
            if entry.settlement == nil { delivery.enqueue(entry.number, for: entry.event.goal) }
        }
    }

    /// Takes one thing that happened and says what to do about it.
    package mutating func apply(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .pressed(let press, let ticket): take(press, ticket, now, &effects)
        case .committed(let receipt): commit(receipt, &effects)
        case .rejected(let epoch, let receipt):
            commit(receipt, &effects)
            withdraw(epoch, now, &effects)
        case .delivered(let consignment, let verdict):
            settle(consignment, verdict, now, &effects)
        case .erased: break
        case .fetched(let answer): learn(answer, now, &effects)
        case .connected:
            delivery.connect()
            refresh.askNow()
            version += 1
        case .disconnected:
            delivery.disconnect()
            refresh.stop()
            version += 1
        case .flushRequested: delivery.flush()
        case .woke: alarm = nil
        }
        proceed(now, &effects)
        return effects
    }

    /// What of the journal may be taken by what is not delivered, in bytes. Beyond that nothing is
    /// accepted: a start must be able to read it all.
    package static let heldBytes = 64 << 20
    /// How long until the next look whether there is room again, in seconds.
    static let roomCheckSeconds = 5.0

    // MARK: Custody

    private mutating func take(
        _ press: Press, _ ticket: Ticket, _ now: Moment, _ effects: inout [Effect]
    ) {
        if let id = press.id,
            let known = ledger[EventKey(device: press.device, id: id)]
        {
            return repeated(known, press, ticket, &effects)
        }
        if delivery.remote == .notConnected {
            return effects.append(.reply(ticket, .notConnected))
        }
        if goals.isKnown, goals[press.goal] == nil {
            refresh.doubt(at: now.monotonic)
            let suggestion = goals.suggestion(for: press.goal)
            return effects.append(.reply(ticket, .unknownGoal(press.goal, suggestion: suggestion)))
        }
        do throws(TimeFault) {
            let id = press.id ?? mintID()
            let event = try Event(press, id: id, at: now, boot: boot)
            guard ledger.heldBytes + event.lineBytes <= heldBytes else {
                return effects.append(.reply(ticket, .diskFull))
            }
            ledger.add(event, next)
            waiting.append(
                Waiting(ticket: ticket, number: next, until: next, isDuplicate: false))
            append(.put(event), &effects)
        } catch {
            effects.append(.reply(ticket, .unusableTime(error)))
        }
    }

    /// The same id once more. While the first is on its way to the disk, both wait for it.
    private mutating func repeated(
        _ known: Ledger.Entry, _ press: Press, _ ticket: Ticket, _ effects: inout [Effect]
    ) {
        guard known.event.isRepeated(by: press) else {
            return effects.append(.reply(ticket, .conflict(with: known.event)))
        }
        if known.number <= receipt.through {
            return accept(known, ticket, isDuplicate: true, &effects)
        }
        var until = known.number
        if until <= recovered {
            // What was found at the start is vouched for with the first record that can be written.
            until = next
            append(.mark, &effects)
        }
        waiting.append(
            Waiting(ticket: ticket, number: known.number, until: until, isDuplicate: true))
    }

    private mutating func mintID() -> EventID {
        EventID(
            random: randomness.next(), UInt16(truncatingIfNeeded: randomness.next()))
    }

    private mutating func append(_ fact: Record.Fact, _ effects: inout [Effect]) {
        let record = Record(next, fact)
        next = next.next
        var isUrgent = true
        switch fact {
        case .put, .mark: break
        case .done:
            // To lose a `done` costs a repeated send, which Beeminder knows by its request id.
            isUrgent = false
            unwritten.append(record)
        case .refused: unwritten.append(record)
        }
        effects.append(.append(record, epoch: epoch, isUrgent: isUrgent))
    }

    private mutating func commit(_ receipt: Receipt, _ effects: inout [Effect]) {
        // A rejection carries the receipt of what came before it, which may be known by now.
        guard receipt.through > self.receipt.through else { return }
        self.receipt = receipt
        isDiskFull = false
        // There is room: what could not be written before is written now.
        roomCheckAt = deferred.isEmpty ? nil : Monotonic(milliseconds: .min)
        version += 1
        while let record = unwritten.first, record.number <= receipt.through {
            unwritten.popFirst()
            written(record)
        }
        while let first = waiting.first, first.until <= receipt.through {
            waiting.popFirst()
            if !first.isDuplicate {
                ledger.commit(first.number)
                if let entry = ledger[first.number] {
                    delivery.enqueue(first.number, for: entry.event.goal)
                }
            }
            guard let entry = ledger[first.number] else { continue }
            accept(entry, first.ticket, isDuplicate: first.isDuplicate, &effects)
        }
    }

    /// Only when it is on the disk is a refusal acted upon.
    private mutating func written(_ record: Record) {
        guard case .refused(let of, let status, let why) = record.fact,
            let entry = ledger[of]
        else { return }
        ledger.settle(of, .refused(status: status, why: why))
        delivery.release(of, for: entry.event.goal)
    }

    private func accept(
        _ entry: Ledger.Entry, _ ticket: Ticket, isDuplicate: Bool, _ effects: inout [Effect]
    ) {
        let acceptance = Acceptance(
            entry, state: state(of: entry), isDuplicate: isDuplicate, under: receipt)
        effects.append(.reply(ticket, .accepted(acceptance)))
    }

    /// There was no room: what nobody was promised is forgotten, what has happened is kept and
    /// written later, and the numbers are used again.
    private mutating func withdraw(
        _ epoch: UInt64, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard epoch == self.epoch else { return }
        self.epoch += 1
        isDiskFull = true
        version += 1
        for request in waiting.removeAll() {
            if request.number <= receipt.through, let entry = ledger[request.number] {
                accept(entry, request.ticket, isDuplicate: request.isDuplicate, &effects)
            } else {
                if !request.isDuplicate { ledger.withdraw(request.number) }
                effects.append(.reply(request.ticket, .diskFull))
            }
        }
        deferred += unwritten.removeAll().map(\.fact)
        roomCheckAt = now.monotonic.adding(seconds: RelayCore.roomCheckSeconds)
        next = max(receipt.through, recovered).next
    }

    /// Writes what could not be written before, or if there is nothing, a mark: whether there is
    /// room again must not wait for somebody to press.
    private mutating func checkRoom(_ now: Moment, _ effects: inout [Effect]) {
        guard let time = roomCheckAt, time <= now.monotonic else { return }
        roomCheckAt = nil
        let facts = deferred
        deferred = []
        for fact in facts { append(fact, &effects) }
        if facts.isEmpty, isDiskFull { append(.mark, &effects) }
    }

    // MARK: Delivery

    private mutating func settle(
        _ consignment: Consignment, _ verdict: Verdict, _ now: Moment, _ effects: inout [Effect]
    ) {
        for shipment in consignment.shipments {
            switch verdict {
            case .whole(let outcome): settle(shipment.number, outcome, now, &effects)
            case .each(let outcomes):
                let outcome = outcomes[shipment.number] ?? .unclear("Beeminder does not name it")
                settle(shipment.number, outcome, now, &effects)
            case .singly(let why): settle(shipment.number, .unclear(why), now, &effects)
            }
        }
    }

    private mutating func settle(
        _ number: SequenceNumber, _ outcome: Outcome, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard let entry = ledger[number] else { return }
        let isSettled = delivery.finish(
            number, for: entry.event.goal, outcome, at: now.monotonic, &randomness)
        version += 1
        lastDeliveryFailed = !isSettled
        guard isSettled else { return ledger.noteFailure(number, outcome.words) }
        switch outcome {
        case .delivered(let how, let datapoint):
            ledger.settle(number, .delivered(how, datapoint: datapoint))
            append(.done(of: number, how: how, datapoint: datapoint), &effects)
        case .refused(let status, let why):
            append(.refused(of: number, status: status, why: why), &effects)
        case .erased, .unclear, .unreachable, .busy, .unauthorized, .noSuchGoal, .misdirected:
            preconditionFailure("only what is settled leaves the queue")
        }
    }

    private mutating func learn(
        _ answer: GoalAnswer, _ now: Moment, _ effects: inout [Effect]
    ) {
        switch answer {
        case .goals(let list, let user):
            refresh.succeed(at: now.monotonic)
            let before = goals
            goals.replace(list, user: user.name)
            guard goals != before else { return }
            version += 1
            effects.append(.saveGoals(goals))
        case .unauthorized:
            refresh.pause(at: now.monotonic)
            delivery.pause(at: now.monotonic)
            version += 1
        case .unclear, .unchanged, .userOnly:
            refresh.fail(at: now.monotonic, &randomness)
        }
    }

    /// Starts whatever can be started, and asks to be woken for the rest.
    private mutating func proceed(_ now: Moment, _ effects: inout [Effect]) {
        checkRoom(now, &effects)
        let book = goals
        for number in delivery.start(
            at: now.monotonic, losedate: { book[$0]?.losedate ?? .max })
        {
            guard let entry = ledger[number] else { continue }
            ledger.noteAttempt(number)
            let event = entry.event
            let shipment = Shipment(
                number, to: event.goal, requestID: event.key.requestID, value: event.value,
                comment: event.comment, at: event.at)
            effects.append(.send(Consignment(event.goal, [shipment])))
        }
        if refresh.start(at: now.monotonic) { effects.append(.fetchGoals(since: nil)) }
        let times = [delivery.nextWake(after: now.monotonic), refresh.wake, roomCheckAt]
        let soonest = times.compactMap { $0 }.min()
        if soonest != alarm {
            alarm = soonest
            effects.append(.wake(at: soonest))
        }
    }

    /// Where an event is, in the words of the API.
    func state(of entry: Ledger.Entry) -> EventState {
        switch entry.progress {
        case .uncommitted: .queued
        case .settled(.delivered): .delivered
        case .settled(.refused): .refused
        case .pending where delivery.isInFlight(entry.number, for: entry.event.goal): .sending
        case .pending: delivery.isHeld(entry.event.goal) ? .held : .queued
        }
    }
}

extension Outcome {
    /// For people: why an attempt did not settle the event.
    var words: String {
        switch self {
        case .delivered: "delivered"
        case .erased: "deleted"
        case .unclear(let why), .unreachable(let why): why
        case .busy: "Beeminder asks to wait"
        case .refused(let status, let why): "refused with \(status): \(why)"
        case .unauthorized: "Beeminder does not take the token; sign in again"
        case .noSuchGoal: "Beeminder knows no such goal"
        case .misdirected(let why): "not Beeminder: \(why)"
        }
    }
}

/// To Beeminder and back.
extension RelayCore {
    mutating func startRequests(_ now: Moment, _ effects: inout [Effect]) {
        guard isClockSound, delivery.isDue(at: now.monotonic) else { return }
        for start in nextStarts(now) { send(start, &effects) }
    }

    /// The ledger is only borrowed here: a copy that outlives this would be one of all events.
    private mutating func nextStarts(_ now: Moment) -> [Delivery.Start] {
        let (book, ledger) = (goals, ledger)
        return delivery.start(
            at: now.monotonic, losedate: { book[$0]?.losedate ?? .max },
            weigh: { ledger[$0].flatMap { $0.progress == .pending ? $0.event.lineBytes : nil } })
    }

    private mutating func send(_ start: Delivery.Start, _ effects: inout [Effect]) {
        let entries = start.numbers.compactMap { ledger[$0] }
        for entry in entries {
            ledger.noteAttempt(entry.number)
            amended.remove(entry.number)
        }
        if let entry = entries.first, entry.progress == .erasing {
            let erasure = Erasure(
                entry.number, at: start.goal, requestID: entry.event.key.requestID,
                datapoint: entry.datapoint, time: entry.searchTime)
            return effects.append(.erase(erasure))
        }
        let shipments = entries.map { entry in
            Shipment(
                entry.number, to: start.goal, requestID: entry.event.key.requestID,
                value: amount(of: entry), comment: entry.event.comment, at: entry.searchTime,
                daystamp: entry.event.daystamp)
        }
        effects.append(.send(Consignment(start.goal, shipments)))
    }

    mutating func settle(
        _ consignment: Consignment, _ verdict: Verdict, _ now: Moment, _ effects: inout [Effect]
    ) {
        let goal = consignment.goal
        let numbers = consignment.shipments.map(\.number)
        switch verdict {
        case .whole(let outcome):
            let outcomes = numbers.map { ($0, outcome) }
            finish(goal, outcomes, isWhole: true, now, &effects)
        case .each(let each):
            let unnamed = Outcome.unclear("Beeminder has not said what became of it")
            let outcomes = numbers.map { ($0, each[$0] ?? unnamed) }
            finish(goal, outcomes, isWhole: false, now, &effects)
        case .singly(let why):
            guard numbers.count > 1 else {
                let outcomes = numbers.map { ($0, Outcome.unclear(why)) }
                return finish(goal, outcomes, isWhole: true, now, &effects)
            }
            for number in numbers { ledger.noteFailure(number, why) }
            delivery.separate(goal, at: now.monotonic)
        }
        for number in numbers { reconsider(number) }
        followRenames()
    }

    mutating func settle(
        _ erasure: Erasure, _ outcome: Outcome, _ now: Moment, _ effects: inout [Effect]
    ) {
        // What cannot be deleted is tried again: there is nothing to refuse.
        var outcome = outcome
        if case .refused = outcome { outcome = .unclear(outcome.words) }
        finish(erasure.goal, [(erasure.number, outcome)], isWhole: true, now, &effects)
        if !outcome.isFinal { reconsider(erasure.number) }
        followRenames()
    }

    private mutating func finish(
        _ goal: GoalSlug, _ outcomes: [(number: SequenceNumber, outcome: Outcome)], isWhole: Bool,
        _ now: Moment, _ effects: inout [Effect]
    ) {
        guard let first = outcomes.first, delivery.isInFlight(first.number, for: goal) else {
            return
        }
        let settled = delivery.finish(
            goal, outcomes, isWhole: isWhole, at: now.monotonic, left: secondsLeft(goal, now),
            &randomness)
        if delivery.takeWantsUser() { refresh.askNow() }
        version += 1
        lastDeliveryFailed = settled.count < outcomes.count
        for (number, outcome) in outcomes where !outcome.isFinal {
            ledger.noteFailure(number, outcome.words)
            if case .noSuchGoal = outcome { refresh.doubt(at: now.monotonic) }
        }
        for (number, outcome) in settled { settle(number, outcome, &effects) }
        if !settled.isEmpty { refresh.expectChange(at: now.monotonic) }
    }

    /// Seconds until a goal derails; nil when nobody knows.
    private func secondsLeft(_ goal: GoalSlug, _ now: Moment) -> Int64? {
        guard isClockSound, let losedate = goals[goals.current(goal)]?.losedate else { return nil }
        let (seconds, isTooLarge) = losedate.subtractingReportingOverflow(now.wall.seconds)
        return isTooLarge ? nil : seconds
    }

    /// Seconds until the first goal derails for which something waits; nil when none does.
    func soonestSecondsLeft(_ now: Moment) -> Int64? {
        delivery.lanes.keys.compactMap { secondsLeft($0, now) }.filter { $0 > 0 }.min()
    }

    private mutating func settle(
        _ number: SequenceNumber, _ outcome: Outcome, _ effects: inout [Effect]
    ) {
        switch outcome {
        case .delivered(let how, let datapoint):
            ledger.anticipate(number, how, datapoint)
            append(.done(of: number, how: how, datapoint: datapoint), &effects)
        case .erased: append(.undone(of: number), &effects)
        case .refused(let status, let why):
            append(.refused(of: number, status: status, why: why), &effects)
        case .unclear, .unreachable, .busy, .unauthorized, .noSuchGoal, .misdirected:
            preconditionFailure("only what is settled leaves the queue")
        }
    }

    /// An event has come back, and meanwhile somebody may have wanted something else of it.
    private mutating func reconsider(_ number: SequenceNumber) {
        guard let entry = ledger[number] else { return }
        if entry.isOpen, !isOurs(entry.event) { return park(entry) }
        if entry.progress == .pending, ledger.wish(number)?.kind == .undo {
            _ = delivery.withdraw(number, for: lane(of: entry))
        }
        // Delivered, and taken back on the way; or lowered on the way.
        let isWanted = amended.contains(number) && entry.progress != .settled(.undone)
        if entry.hasArrived, entry.progress == .erasing || isWanted { enqueue(entry) }
    }

    /// Where an event is, in the words of the API.
    func state(of entry: Ledger.Entry) -> EventState {
        switch entry.progress {
        case .uncommitted: return .queued
        case .erasing, .settled(.undone): return .undone
        case .settled(.delivered): return entry.fate.isLeftOut ? .undone : .delivered
        case .settled(.refused): return .refused
        case .settled(.guarded): return .guarded
        case .settled(.merged): return .merged
        case .pending: break
        }
        if entry.fate.isLeftOut { return .undone }
        let lane = lane(of: entry)
        if delivery.isInFlight(entry.number, for: lane) { return .sending }
        if entry.awaitsJudgement { return .held }
        let waits = entry.awaitsTime || parked.contains(entry.number) || delivery.isHeld(lane)
        return waits ? .held : .queued
    }
}

extension Ledger.Entry {
    /// What Beeminder is told of its time, or where only its day is told, the time from which on it
    /// is looked for there: a press for tomorrow is there today.
    fileprivate var searchTime: UnixTime {
        event.daystamp == nil ? at : min(at, event.arrival.wall)
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
        case .unauthorized: "Beeminder does not take the token for this"
        case .noSuchGoal: "Beeminder knows no such goal"
        case .misdirected(let why): "not Beeminder: \(why)"
        }
    }
}

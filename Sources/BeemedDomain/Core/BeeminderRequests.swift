/// Requests to Beeminder and their answers.
struct BeeminderRequests {
    let core: RelayCore

    func start(_ now: Moment, _ effects: inout Effects) {
        defer { watchForStall(now) }
        if core.delivery.obstacle != nil, let left = soonestSecondsLeft(now) {
            core.delivery.shortenWait(at: now.monotonic, left: left)
        }
        guard core.maySend else { return }
        let starts = core.delivery.start(
            at: now.monotonic, losedate: { core.goals[$0]?.losedate ?? .max },
            weigh: { core.ledger[$0].flatMap { $0.weight(core.goals) } })
        for start in starts {
            core.status.lastMove = now.monotonic
            if let request = request(of: start) { send(start, request, now, &effects) }
        }
    }

    /// The first event's request if all may be sent now; else nil, and those that may not be sent
    /// leave their queue. The others are tried again. This is the last check before bytes leave.
    private func request(of start: DeliveryScheduler.Start) -> Reconciliation.EventRequest? {
        var first: Reconciliation.EventRequest?
        let wrong = start.numbers.filter { number in
            guard let entry = core.ledger[number] else { return true }
            if entry.event.isTotal, core.totals.mustFollow(entry) {
                core.waits[number] = .order
                return true
            }
            guard case .request(let request) = core.reconciliation.nextStep(of: entry) else {
                return true
            }
            first = first ?? request
            return request.goal != start.goal
        }
        guard !wrong.isEmpty else { return first }
        core.delivery.drop(Set(wrong), from: start.goal)
        for number in wrong where core.waits[number] != .order {
            core.schedule(number)
        }
        return nil
    }

    private func send(
        _ start: DeliveryScheduler.Start, _ request: Reconciliation.EventRequest, _ now: Moment,
        _ effects: inout Effects
    ) {
        let entries = start.numbers.compactMap { core.ledger[$0] }
        guard let first = entries.first else { return }
        if first.isBeforeGoal(core.goals) {
            // Accepted before that was known. It is not sent, as if Beeminder had refused it.
            let why = "the day is before the goal's first one, and a datapoint there can derail it"
            let end = End(first.number, .refused(status: 422, why: why))
            return complete(start.goal, [end], now, &effects)
        }
        if request.deletes {
            effects.emit(.erase(core.reconciliation.deletion(of: first, request)))
        } else {
            core.totals.delayRevisions(of: entries, start.goal, now)
            let datapoints = entries.map { core.reconciliation.outgoing($0, to: start.goal) }
            effects.emit(.send(DatapointBatch(start.goal, datapoints)))
        }
        // Last: the request says what was known before this attempt.
        for entry in entries { entry.recordAttempt(at: now.wall, isDeletion: request.deletes) }
    }

    /// The answer to a request about datapoints.
    func receive(
        _ result: BatchResult, of batch: DatapointBatch, _ now: Moment, _ effects: inout Effects
    ) {
        let numbers = batch.datapoints.map(\.number)
        if case .whole(.outdated(let datapoint)) = result {
            for number in numbers { receiveOutdated(number, datapoint, batch.goal, now, &effects) }
        } else {
            let sent = core.delivery.lastStart(for: batch.goal) ?? now.monotonic
            let ends = batch.datapoints.map { end($0, result.outcome(of: $0.number), sent) }
            complete(batch.goal, ends, now, &effects)
        }
        for number in numbers { core.schedule(number) }
        core.accountChanges.followRenames()
    }

    /// An earlier request has delivered another content than the refused one. If the event has
    /// changed after the refusal, as by an undo, the newest content is sent; that of a day's total
    /// always is. If not, only a person can help.
    private func receiveOutdated(
        _ number: SequenceNumber, _ datapoint: String?, _ goal: GoalSlug, _ now: Moment,
        _ effects: inout Effects
    ) {
        var older: SequenceNumber?
        if let entry = core.ledger[number], let refusal = entry.recorded.doubt {
            older = entry.event.isTotal ? number : entry.lastRemoval > refusal ? refusal : nil
        }
        let outcome: Outcome =
            older == nil
            ? .unchangeable("Beeminder has an earlier value, and has refused the newest one")
            : .delivered(.duplicate, datapoint: datapoint)
        complete(goal, [End(number, outcome, through: older)], now, &effects)
    }

    /// The end of a request for one of its events.
    private struct End {
        let number: SequenceNumber
        let outcome: Outcome
        /// The last record that its datapoint includes.
        let through: SequenceNumber?
        /// Whether no older request can undo the outcome; else it is sent again.
        var isSure: Bool

        init(
            _ number: SequenceNumber, _ outcome: Outcome, through: SequenceNumber? = nil,
            isSure: Bool = true
        ) {
            (self.number, self.outcome, self.through) = (number, outcome, through)
            self.isSure = isSure
        }
    }

    /// The request of a goal has ended, with what it brought to each of its events.
    private func complete(
        _ goal: GoalSlug, _ ends: [End], _ now: Moment, _ effects: inout Effects
    ) {
        guard let first = ends.first, core.delivery.isInFlight(first.number, for: goal) else {
            return
        }
        let sent = core.delivery.lastStart(for: goal) ?? now.monotonic
        var randomness = core.randomness  // Assigned whole: see `RelayCore`.
        let settled = core.delivery.finish(
            goal, ends.map { ($0.number, $0.outcome) }, at: now.monotonic,
            left: secondsLeft(goal, now), &randomness)
        core.randomness = randomness
        if core.delivery.takeWantsUser() { core.refresh.askNow() }
        core.version += 1
        core.status.lastMove = now.monotonic
        core.status.note(ends.lazy.map(\.outcome))
        for end in ends where !end.outcome.isFinal {
            if let entry = core.ledger[end.number] {
                entry.lastError = end.outcome.words
                entry.observations.restEnd = nil
            }
            if case .noSuchGoal = end.outcome { doubt(goal, now) }
        }
        for end in ends where end.outcome.isFinal && end.isSure { record(end, sent, &effects) }
        if !settled.isEmpty { core.refresh.expectChange(at: now.monotonic) }
    }

    /// Beeminder does not know a goal by its name. A list may tell why if it has had the goal; if
    /// not, others may need the question, and further presses are refused.
    private func doubt(_ goal: GoalSlug, _ now: Moment) {
        if core.questions.unlisted.contains(goal) {
            core.questions.deny(goal, at: now.monotonic)
        } else if !core.goals.isKnown || core.goals.holds(core.goals.current(goal)) {
            core.refresh.doubt(at: now.monotonic)
        }
    }

    /// Seconds until a goal derails; nil when unknown.
    func secondsLeft(_ goal: GoalSlug, _ now: Moment) -> Int64? {
        guard core.clock.isSound, let losedate = core.goals[core.goals.current(goal)]?.losedate
        else { return nil }
        return losedate - now.wall.seconds
    }

    /// Seconds until the first goal with waiting events derails; nil when there is none.
    func soonestSecondsLeft(_ now: Moment) -> Int64? {
        core.delivery.queues.keys.compactMap { secondsLeft($0, now) }.filter { $0 > 0 }.min()
    }

    private func record(_ end: End, _ sent: Monotonic, _ effects: inout Effects) {
        let number = end.number
        switch end.outcome {
        case .delivered(let said, let datapoint):
            let how = kind(of: said, for: number)
            let wasRefused = core.ledger[number]?.isRefused ?? false
            core.ledger.anticipate(number, how, datapoint, through: end.through)
            // An earlier request has brought a datapoint that was refused, with all its parts.
            if wasRefused, let entry = core.ledger[number] { core.merging.followLeader(entry) }
            core.merging.markDelivered(number)
            core.journal(
                .done(of: number, how: how, datapoint: datapoint, through: end.through), &effects)
        case .erased:
            guard let entry = core.ledger[number] else { return }
            if let fact = core.reconciliation.recordOfDeletion(entry) {
                core.journal(fact, &effects)
            }
        case .refused(let status, let why):
            let entry = core.ledger[number]
            let isInDoubt = entry.map { core.reconciliation.isInDoubt($0, asOf: sent) } ?? false
            // Of a day, Beeminder may have an earlier value in any case.
            if let entry, !isInDoubt, !entry.event.isTotal {
                (entry.mayBeThere, entry.isDoubtful) = (false, false)
            }
            core.journal(
                .refused(of: number, status: status, why: why, isInDoubt: isInDoubt), &effects)
        case .unclear, .outdated, .unchangeable, .unreachable, .busy, .unauthorized, .forbidden,
            .noSuchGoal, .misdirected:
            preconditionFailure("only what is settled leaves the queue")
        }
    }

    /// A request about a datapoint has ended.
    private func end(_ sent: OutgoingDatapoint, _ said: Outcome, _ start: Monotonic) -> End {
        let outcome = meaning(of: said, for: sent)
        var end = End(sent.number, outcome, through: sent.through)
        guard let entry = core.ledger[sent.number] else { return end }
        switch outcome {
        case .unclear, .unreachable, .busy(_, mayBeApplied: true):
            entry.isDoubtful = true
            core.recordUnanswered(sent.content, of: entry, at: entry.goal)
        case .delivered:
            end.isSure = core.confirm(sent.content, of: entry, at: entry.goal, sent: start)
            // A retry to another goal must delete it here first.
            if !end.isSure { entry.isDoubtful = true }
        case .erased, .busy, .refused, .outdated, .unchangeable, .unauthorized, .forbidden,
            .noSuchGoal, .misdirected:
            break
        }
        return end
    }

    /// The meaning of an answer for an event. A refusal of a day's earlier value does not refuse
    /// the newest one. Without a press that was undone, a merged datapoint that Beeminder has may be
    /// refused: that change is tried again.
    private func meaning(of outcome: Outcome, for sent: OutgoingDatapoint) -> Outcome {
        guard case .refused = outcome, let entry = core.ledger[sent.number] else { return outcome }
        if core.totals.hasNewerValue(entry, than: sent.through) { return .unclear(outcome.words) }
        let isOfChange = entry.hasArrived && !entry.event.isTotal
        return isOfChange ? .unchangeable(outcome.words) : outcome
    }

    // MARK: Deletions

    /// The answer to a deletion.
    func receive(
        _ outcome: Outcome, of deletion: DatapointDeletion, _ now: Moment, _ effects: inout Effects
    ) {
        guard let entry = core.ledger[deletion.number] else { return }
        let goalInRecord = deletion.goalInRecord ?? entry.goal
        let isFormer = goalInRecord != entry.goal
        var outcome = outcome.refusalOfDeletion.map(Outcome.unchangeable) ?? outcome
        let sent = core.delivery.lastStart(for: deletion.goal) ?? now.monotonic
        var isFinal = false
        switch outcome {
        // A missing goal that is not archived has no datapoints. If the list has the goal, or there
        // is no list, it may have been renamed. If it is known to be renamed, its datapoints are
        // elsewhere.
        case .noSuchGoal where core.goals.current(deletion.goal) != deletion.goal:
            outcome = .unclear("the goal has another name")
        case .noSuchGoal where isMissing(deletion.goal, withDatapointOf: deletion.number):
            outcome = .erased
            isFinal = core.confirm(nil, of: entry, at: goalInRecord, sent: sent)
        case .erased: isFinal = core.confirm(nil, of: entry, at: goalInRecord, sent: sent)
        case .archivedGoal where isFormer:
            // The new goal may derail, and nothing can be deleted: it goes on.
            outcome = .erased
            var placement = core.reconciliation.placement(of: entry, at: goalInRecord)
            placement.isOutOfReach = true
            entry.observations.placements[goalInRecord] = placement
        case .unclear, .unreachable, .busy(_, mayBeApplied: true):
            core.recordUnanswered(nil, of: entry, at: goalInRecord)
        default: break
        }
        complete(deletion.goal, [End(deletion.number, outcome, isSure: isFinal)], now, &effects)
        core.schedule(deletion.number)
        core.accountChanges.followRenames()
    }

    /// Whether a goal that Beeminder does not know has no datapoint of an event. Without a list it
    /// may have been renamed, which matters if the event had arrived there.
    private func isMissing(_ goal: GoalSlug, withDatapointOf number: SequenceNumber) -> Bool {
        if core.goals.isKnown, core.areGoalsOwn { return !core.goals.holds(goal) }
        let entry = core.ledger[number]
        return entry?.hasArrived != true && (core.account.isNameless || entry?.isDoubtful != true)
    }

    // MARK: Status

    /// How Beeminder stored an event. "Updated" at the first attempt means that the
    /// request id had another source's datapoint: to a repetition, which is equal byte for byte,
    /// Beeminder answers "Duplicate". A recovered event may have been sent before, so nothing is
    /// concluded for it.
    func kind(of how: Delivered, for number: SequenceNumber) -> Delivered {
        guard how == .updated, let entry = core.ledger[number], !entry.event.isTotal else {
            return how
        }
        if entry.recorded.arrival?.how == .overwritten { return .overwritten }
        return entry.attempts == 1 && number > core.commits.recovered ? .overwritten : how
    }

    /// Notes when there was last nothing to send, or when sending was not possible.
    func watchForStall(_ now: Moment) {
        let isSendable = core.maySend && core.delivery.hasSendable
        if core.status.lastMove == nil || !isSendable { core.status.lastMove = now.monotonic }
    }
}

extension Ledger.Entry {
    /// The time that Beeminder is told or, if only the day is told, the start of the search for it:
    /// a press for tomorrow may be listed today.
    var searchTime: UnixTime {
        event.daystamp == nil ? at : min(at, event.arrival.wall)
    }

    /// Beeminder's refusal; nil when it was not refused.
    var refusal: Outcome? {
        guard case .refused(let status, let why)? = recorded.settlement else { return nil }
        return .refused(status: status, why: why)
    }

    /// Whether this is the total of a day before its goal's first one that Beeminder cannot have.
    fileprivate func isBeforeGoal(_ goals: GoalBook) -> Bool {
        guard event.isTotal, progress == .pending, !mayBeThere, let day = event.daystamp else {
            return false
        }
        return goals.begins(goal, after: day)
    }

    /// Its bytes in a request; nil if the event must be sent alone.
    fileprivate func weight(_ goals: GoalBook) -> Int? {
        let isAmendment = mayBeThere && (isMerged || event.isTotal)
        guard progress == .pending, !isAmendment, !recorded.isLeftOut, recorded.leaving.isEmpty,
            !isBeforeGoal(goals)
        else {
            return nil
        }
        return event.lineBytes
    }
}

extension Outcome {
    /// Why Beeminder refuses a deletion, in words; nil when accepted. The deletion is repeated:
    /// there is no press to refuse, and no other press of the goal waits for it.
    fileprivate var refusalOfDeletion: String? {
        switch self {
        case .forbidden(let why): "Beeminder does not allow the deletion: \(why)"
        case .refused: words
        case .delivered, .erased, .unclear, .outdated, .unchangeable, .unreachable, .busy,
            .unauthorized, .noSuchGoal, .misdirected:
            nil
        }
    }

    /// For people: why an attempt did not settle the event.
    package var words: String {
        switch self {
        case .delivered: "delivered"
        case .erased: "deleted"
        case .unclear(let why), .unchangeable(let why), .unreachable(let why): why
        case .outdated: "Beeminder has an earlier value"
        case .busy: "Beeminder asks to wait"
        case .refused(let status, let why): "refused with \(status): \(why)"
        case .unauthorized: "Beeminder does not take the token for this"
        case .forbidden(let why): "Beeminder does not allow this: \(why)"
        case .noSuchGoal: "Beeminder knows no such goal"
        case .misdirected(let why): "not Beeminder: \(why)"
        }
    }
}

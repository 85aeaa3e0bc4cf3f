/// Puts events where their next steps are, and keeps what answers tell of their datapoints.
extension RelayCore {
    /// The rule of the next step, over all that is known now.
    var reconciliation: Reconciliation {
        Reconciliation(
            ledger: ledger, goals: goals, placements: placements, merging: merging,
            revisions: revisions, busy: delivery.busy, now: waits.now)
    }

    /// The next step for an event. Most are presses of which nothing but the record tells: for
    /// these nothing is copied.
    @inline(__always)
    func nextStep(of entry: Ledger.Entry) -> Reconciliation.NextStep {
        guard entry.isPlain, placements.isPlain(entry.number), !merging.isOpen(entry.number),
            merging[entry.number] == nil, !goals.isTaken(entry.goal)
        else { return reconciliation.nextStep(of: entry) }
        let step = Reconciliation.NextStep.request(
            Reconciliation.EventRequest(
                goal: queue(of: entry), goalInRecord: entry.goal, namedBy: entry.goalNamedBy,
                deletes: false))
        assert(step == reconciliation.nextStep(of: entry))
        return step
    }

    /// The queue of an event.
    @inline(__always)
    func queue(of entry: Ledger.Entry) -> GoalSlug {
        // Without renamed goals the book is not copied.
        goals.hasNoFormerNames
            ? entry.goal
            : goals.queue(of: entry.goal, namedBy: entry.goalNamedBy, busy: delivery.busy)
    }

    /// Puts an event where its next step is: into a goal's queue, or among those that wait. An
    /// event under way is scheduled when its request has ended.
    func schedule(_ number: SequenceNumber) {
        if let entry = ledger[number] { schedule(entry) }
    }

    func schedule(_ entry: Ledger.Entry) {
        if !delivery.isInFlight(entry.number) { put(entry.number, at: nextStep(of: entry)) }
    }

    /// Puts a durable event into its goal's queue, or wherever it must wait.
    func resume(_ entry: Ledger.Entry) {
        if merging.isToBeSent(entry) || entry.recorded.isRefusedInDoubt { schedule(entry) }
    }

    /// The same for those that were recovered: what is known is copied once for all.
    func resume(_ entries: Span<Recovered.Entry>) {
        let reconciliation = reconciliation
        for index in entries.indices {
            guard let entry = ledger[entries[index].number],
                merging.isToBeSent(entry) || entry.recorded.isRefusedInDoubt
            else { continue }
            put(entry.number, at: reconciliation.nextStep(of: entry))
        }
    }

    /// Puts an event that is not under way where that step is.
    private func put(_ number: SequenceNumber, at step: Reconciliation.NextStep) {
        switch step {
        case .rest:
            waits[number] = nil
            delivery.withdraw(number)
        case .wait(let reason):
            waits[number] = reason
            delivery.withdraw(number)
        case .request(let request):
            waits[number] = nil
            delivery.withdraw(number, besides: request.goal)
            delivery.enqueue(number, for: request.goal)
        }
    }

    /// Schedules the events whose time has come.
    func scheduleDue() {
        for number in waits.due {
            waits[number] = nil
            schedule(number)
        }
    }

    // MARK: Answers

    /// A request was not answered, or not clearly.
    func recordUnanswered(
        _ content: Placement.Content?, of entry: Ledger.Entry, at goal: GoalSlug
    ) {
        placements.cleanUp(at: waits.now)
        var placement = reconciliation.placement(of: entry, at: goal)
        placement.recordUnanswered(content, at: waits.now)
        placements[entry.number, goal] = placement
    }

    /// Beeminder has confirmed a content.
    ///
    /// - Parameter sent: when the request was sent.
    /// - Returns: whether nothing else can follow.
    func confirm(
        _ content: Placement.Content?, of entry: Ledger.Entry, at goal: GoalSlug, sent: Monotonic
    ) -> Bool {
        if content != nil, placements.isPlain(entry.number) { return true }
        // The answer may be late: what could still come when it was sent counts.
        var placement = reconciliation.placement(of: entry, at: goal, asOf: sent)
        placement.confirm(content, sent: sent)
        let isFinal = placement.isFinal(content)
        // Of most events of an earlier process nothing needs to be kept.
        if content == nil || !isFinal || placements[entry.number, goal] != nil {
            placements[entry.number, goal] = placement
        }
        return isFinal
    }

    /// Nothing of an event is at any goal any more, or nothing but at its own.
    func forgetPlacements(of entry: Ledger.Entry, _ goals: [GoalSlug]) {
        for goal in goals { placements[entry.number, goal] = nil }
    }
}

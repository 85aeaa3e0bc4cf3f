/// Puts events where their next steps are, and keeps what answers tell of their datapoints.
extension RelayCore {
    /// Puts an event where its next step is: into a goal's queue, or among those that wait. An
    /// event under way is scheduled when its request has ended.
    func schedule(_ number: SequenceNumber) {
        if let entry = ledger[number] { schedule(entry) }
    }

    func schedule(_ entry: Ledger.Entry) {
        if delivery.isInFlight(entry.number) { return }
        switch reconciliation.nextStep(of: entry) {
        case .rest: place(entry)
        case .wait(let reason): place(entry, among: reason)
        case .request(let request): place(entry, in: request.goal)
        }
    }

    /// Puts an event into a goal's queue, among those that wait, or nowhere.
    private func place(
        _ entry: Ledger.Entry, in goal: GoalSlug? = nil, among reason: WaitingEvents.Reason? = nil
    ) {
        waits[entry.number] = reason
        if let queue = entry.queue, queue != goal {
            delivery.withdraw(entry.number, from: queue)
        }
        entry.queue = goal
        if let goal { delivery.enqueue(entry.number, for: goal) }
    }

    /// Puts a durable event into its goal's queue, or wherever it must wait.
    func resume(_ entry: Ledger.Entry) {
        if entry.isToBeSent || entry.recorded.isRefusedInDoubt { schedule(entry) }
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
        var placement = reconciliation.placement(of: entry, at: goal)
        placement.recordUnanswered(content, at: waits.now)
        entry.observations.placements[goal] = placement
    }

    /// Beeminder has confirmed a content.
    ///
    /// - Parameter sent: when the request was sent.
    /// - Returns: whether nothing else can follow.
    func confirm(
        _ content: Placement.Content?, of entry: Ledger.Entry, at goal: GoalSlug, sent: Monotonic
    ) -> Bool {
        if content != nil, reconciliation.isPlain(entry) { return true }
        // The answer may be late: what could still come when it was sent counts.
        var placement = reconciliation.placement(of: entry, at: goal, asOf: sent)
        placement.confirm(content, sent: sent)
        let isFinal = placement.isFinal(content)
        // Of most events of an earlier process nothing needs to be kept.
        if content == nil || !isFinal || entry.placements[goal] != nil {
            entry.observations.placements[goal] = placement
        }
        return isFinal
    }
}

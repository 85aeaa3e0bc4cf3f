/// The next step for an event: one rule for sending, undoing, moving, revising and repeating.
/// Beeminder should have its datapoint at its goal, with the newest content, and nothing at any
/// other goal. The knowledge of each goal (`Placement`) says which request is due, and when.
extension RelayCore {
    /// A request about an event.
    struct EventRequest: Sendable, Equatable {
        /// The current name of the goal, which is also that of the queue.
        let goal: GoalSlug
        /// The goal by its name in a record, and that record.
        let goalInRecord: GoalSlug
        let namedBy: SequenceNumber
        let deletes: Bool
    }

    enum NextStep: Sendable, Equatable {
        /// Nothing.
        case rest
        case wait(WaitingEvents.Reason)
        case request(EventRequest)

        fileprivate func or(_ other: NextStep) -> NextStep {
            switch (self, other) {
            case (.wait(.time(let one)), .wait(.time(let two))): .wait(.time(min(one, two)))
            // A time comes by itself, and then the other reason is looked at again.
            case (_, .rest), (.wait, .wait): self
            case (.rest, _), (_, .request): other
            case (.request, .wait): self
            }
        }
    }

    /// Puts an event where its next step is: into a goal's queue, or among those that wait. An
    /// event under way is scheduled when its request has ended.
    func schedule(_ number: SequenceNumber) {
        if let entry = ledger[number] { schedule(entry) }
    }

    func schedule(_ entry: Ledger.Entry) {
        let number = entry.number
        if delivery.isInFlight(number) { return }
        switch nextStep(of: entry) {
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

    // MARK: The rule

    /// The next step for an event. Former goals come first: a move deletes before it sends, since
    /// one request id at two goals would be two datapoints, but does not wait until no earlier
    /// request can be applied there any more.
    func nextStep(of entry: Ledger.Entry) -> NextStep {
        // A part is sent with its leader. While a command is not durable, nothing is sent: an undo
        // says whether Beeminder may have the event, and a retry may name another goal.
        guard entry.leader == nil, entry.command == nil else { return .rest }
        let left = stepAtFormerGoals(of: entry)
        if case .request = left { return left }
        return left.or(stepAtHome(of: entry))
    }

    private func stepAtFormerGoals(of entry: Ledger.Entry) -> NextStep {
        var step = NextStep.rest
        for former in formerGoals(of: entry) {
            switch placement(of: entry, at: former.goal).step(toward: nil, at: waits.now) {
            case .rest: continue
            case .wait(let time): step = step.or(.wait(.time(time)))
            case .request:
                return .request(
                    EventRequest(
                        goal: queue(of: former.goal, namedBy: former.by), goalInRecord: former.goal,
                        namedBy: former.by, deletes: true))
            }
        }
        return step
    }

    private func stepAtHome(of entry: Ledger.Entry) -> NextStep {
        switch entry.progress {
        case .refused where entry.recorded.isRefusedInDoubt: break
        case .uncommitted, .refused, .guarded, .undone, .merged: return .rest
        case .delivered where !needsResending(entry): return .rest
        case .pending: if let reason = reasonToWait(entry) { return .wait(reason) }
        case .erasing, .delivered: break
        }
        let deletes = entry.progress == .erasing || isDeserted(entry)
        // An undone event that was refused is asked about all the same: only an answer proves that
        // nothing is there. An event that was moved before it was sent waits for its former goals.
        let onlyAnswerProves = entry.progress == .erasing && formerGoals(of: entry).isEmpty
        if deletes, !entry.mayBeThere, !onlyAnswerProves { return .rest }
        if !deletes, entry.event.isTotal,
            let end = revisions.restEnd(of: entry.number, at: waits.now)
        {
            return .wait(.time(end))
        }
        if !deletes, isNameTaken(entry) { return .wait(.goal) }
        let request = EventRequest(
            goal: queue(of: entry), goalInRecord: entry.goal, namedBy: entry.goalNamedBy,
            deletes: deletes)
        if !deletes, placements.isPlain(entry.number) { return .request(request) }
        let placement = placement(of: entry, at: entry.goal)
        // People see the refusal already. Beeminder is asked once more when no earlier request can
        // arrive any more.
        if entry.isRefused, !deletes, placement.isInDoubt(at: waits.now) {
            return .wait(.time(placement.until))
        }
        let want = deletes ? nil : content(of: entry)
        return switch placement.step(toward: want, at: waits.now) {
        case .wait(let time): .wait(.time(time))
        case .request: .request(request)
        // Beeminder has the wanted content; that it has the newest record only an answer proves.
        case .rest: deletes ? .rest : .request(request)
        }
    }

    /// Whether an event's goal is in no list, and another one has got its name.
    private func isNameTaken(_ entry: Ledger.Entry) -> Bool {
        goals.meaning(of: entry.goal, in: entry.goalNamedBy).isNameTaken
    }

    /// Why a press must not be sent yet; nil when it may be.
    private func reasonToWait(_ entry: Ledger.Entry) -> WaitingEvents.Reason? {
        if entry.awaitsTime { return .clock }
        if entry.awaitsEvaluation { return .guards }
        let isOpen = merging.isOpen(entry.number)
        return isOpen || hasUncommittedPart(entry.number) ? .window : nil
    }

    // MARK: Knowledge

    /// The goals that an event has left, and at which it may be.
    func formerGoals(of entry: Ledger.Entry) -> [RecordedState.Departure] {
        guard !entry.recorded.leaving.isEmpty else { return [] }
        let home = queue(of: entry)
        return entry.recorded.leaving.filter { queue(of: $0.goal, namedBy: $0.by) != home }
    }

    /// The wanted content of its datapoint.
    func content(of entry: Ledger.Entry) -> Placement.Content {
        Placement.Content(value: amount(of: entry), comment: comment(of: entry))
    }

    /// The possible datapoint of an event at a goal that it was sent to.
    ///
    /// - Parameter time: the time of the knowledge; nil for now.
    func placement(
        of entry: Ledger.Entry, at goal: GoalSlug, asOf time: Monotonic? = nil
    ) -> Placement {
        if let known = placements[entry.number, goal] { return known }
        let time = time ?? waits.now
        guard let end = placements.doubtEnd(of: entry.number, at: time) else { return .unknown }
        let isFixed =
            !isRevisable(entry) && entry.recorded.movedBy == nil && goal == entry.goal
        return isFixed
            ? .unknown(until: end, besides: content(of: entry)) : .unknown(until: end)
    }

    /// Whether its datapoint may get another content.
    private func isRevisable(_ entry: Ledger.Entry) -> Bool {
        entry.event.isTotal || merging[entry.number] != nil
    }

    /// Whether a request about the event at its goal could still be applied at that time.
    func isInDoubt(_ entry: Ledger.Entry, asOf time: Monotonic) -> Bool {
        placement(of: entry, at: entry.goal, asOf: time).isInDoubt(at: time)
    }

    /// A request was not answered, or not clearly.
    func recordUnanswered(
        _ content: Placement.Content?, of entry: Ledger.Entry, at goal: GoalSlug
    ) {
        placements.cleanUp(at: waits.now)
        var placement = placement(of: entry, at: goal)
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
        var placement = placement(of: entry, at: goal, asOf: sent)
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

/// Compares what Beeminder should have of each event with what is known that it has: one rule for
/// sending, undoing, moving, revising and repeating. Beeminder should have an event's datapoint at
/// its goal, with the newest content, and nothing at any other goal. The knowledge of each goal
/// (`Placement`) says which request is due, and when.
struct Reconciliation {
    /// A request about an event.
    struct EventRequest: Sendable, Equatable {
        /// The current name of the goal, which is also that of the queue.
        let goal: GoalSlug
        /// The goal by its name in a record, and that record.
        let goalInRecord: GoalSlug
        let namedBy: SequenceNumber
        let deletes: Bool
    }

    /// The step that is due for an event.
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

    let core: RelayCore
    private var now: Monotonic { core.waits.now }

    // MARK: The rule

    /// The next step for an event. Former goals come first: a move deletes before it sends, since
    /// one request id at two goals would be two datapoints, but does not wait until no earlier
    /// request can be applied there any more.
    func nextStep(of entry: Ledger.Entry) -> NextStep {
        // A part is sent with its leader. While a command is not durable, nothing is sent: an undo
        // says whether Beeminder may have the event, and a retry may name another goal.
        guard entry.leader == nil, core.commits.command(of: entry.number) == nil else {
            return .rest
        }
        let left = stepAtFormerGoals(of: entry)
        if case .request = left { return left }
        return left.or(stepAtHome(of: entry))
    }

    private func stepAtFormerGoals(of entry: Ledger.Entry) -> NextStep {
        var step = NextStep.rest
        for former in formerGoals(of: entry) {
            switch placement(of: entry, at: former.goal).step(toward: nil, at: now) {
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
        case .delivered where !entry.needsResending: return .rest
        case .pending: if let reason = reasonToWait(entry) { return .wait(reason) }
        case .erasing, .delivered: break
        }
        let deletes = entry.progress == .erasing || entry.isDeserted
        // An undone event that was refused is asked about all the same: only an answer proves that
        // nothing is there. An event that was moved before it was sent waits for its former goals.
        let onlyAnswerProves = entry.progress == .erasing && formerGoals(of: entry).isEmpty
        if deletes, !entry.mayBeThere, !onlyAnswerProves { return .rest }
        if !deletes, let end = entry.restEnd(after: now) { return .wait(.time(end)) }
        // Its goal may be in no list, and another one may have got its name.
        if !deletes, core.goals.isTaken(entry.goal),
            core.goals.meaning(of: entry.goal, in: entry.goalNamedBy).isNameTaken
        {
            return .wait(.goal)
        }
        let request = EventRequest(
            goal: queue(of: entry), goalInRecord: entry.goal, namedBy: entry.goalNamedBy,
            deletes: deletes)
        if !deletes, isPlain(entry) { return .request(request) }
        let placement = placement(of: entry, at: entry.goal)
        // People see the refusal already. Beeminder is asked once more when no earlier request can
        // arrive any more.
        if entry.isRefused, !deletes, placement.isInDoubt(at: now) {
            return .wait(.time(placement.until))
        }
        let want = deletes ? nil : content(of: entry)
        return switch placement.step(toward: want, at: now) {
        case .wait(let time): .wait(.time(time))
        case .request: .request(request)
        // Beeminder has the wanted content; that it has the newest record only an answer proves.
        case .rest: deletes ? .rest : .request(request)
        }
    }

    /// Why a press must not be sent yet; nil when it may be.
    private func reasonToWait(_ entry: Ledger.Entry) -> WaitingEvents.Reason? {
        if entry.awaitsTime { return .clock }
        if entry.awaitsEvaluation { return .guards }
        // A press that joined may not be durable yet. The newest is durable last.
        let newest = entry.parts.last.flatMap { core.ledger[$0] }
        return core.windows.isOpen(entry.number) || newest?.progress == .uncommitted ? .window : nil
    }

    // MARK: Goals

    /// The queue of an event.
    func queue(of entry: Ledger.Entry) -> GoalSlug {
        queue(of: entry.goal, namedBy: entry.goalNamedBy)
    }

    /// The queue of a goal by its name in a record.
    func queue(of goal: GoalSlug, namedBy record: SequenceNumber) -> GoalSlug {
        core.goals.queue(of: goal, namedBy: record, busy: core.delivery.busy)
    }

    /// The queue that holds an event now, as its former goal's if it is deleted there first, or will.
    func presentQueue(of entry: Ledger.Entry) -> GoalSlug { entry.queue ?? queue(of: entry) }

    // MARK: Knowledge

    /// Whether nothing but the records tells of an event.
    func isPlain(_ entry: Ledger.Entry) -> Bool {
        entry.observed == nil && entry.number > core.commits.recovered
    }

    /// The goals that an event has left, and at which it may be.
    func formerGoals(of entry: Ledger.Entry) -> [RecordedState.Departure] {
        guard !entry.recorded.leaving.isEmpty else { return [] }
        let home = queue(of: entry)
        return entry.recorded.leaving.filter { queue(of: $0.goal, namedBy: $0.by) != home }
    }

    /// The wanted content of its datapoint.
    private func content(of entry: Ledger.Entry) -> Placement.Content {
        Placement.Content(value: amount(of: entry), comment: comment(of: entry))
    }

    /// The possible datapoint of an event at a goal that it was sent to.
    ///
    /// - Parameter time: the time of the knowledge; nil for now.
    func placement(
        of entry: Ledger.Entry, at goal: GoalSlug, asOf time: Monotonic? = nil
    ) -> Placement {
        if let known = entry.placements[goal] { return known }
        // That holds for settled events, too: in a cluster the last leader may have settled one
        // while a request about it by an earlier leader was still on its way.
        let end = core.began.adding(seconds: Placement.watchSeconds)
        guard entry.number <= core.commits.recovered, time ?? now < end else { return .unknown }
        let isFixed =
            !isRevisable(entry) && entry.recorded.movedBy == nil && goal == entry.goal
        return isFixed
            ? .unknown(until: end, besides: content(of: entry)) : .unknown(until: end)
    }

    /// Whether its datapoint may get another content.
    private func isRevisable(_ entry: Ledger.Entry) -> Bool {
        entry.event.isTotal || entry.isMerged
    }

    /// Whether a request about the event at its goal could still be applied at that time.
    func isInDoubt(_ entry: Ledger.Entry, asOf time: Monotonic) -> Bool {
        placement(of: entry, at: entry.goal, asOf: time).isInDoubt(at: time)
    }

    // MARK: Datapoint contents

    /// The durable presses of a leader's datapoint, in order. When it is sent, these are all.
    func members(of leader: Ledger.Entry) -> [Ledger.Entry] {
        let parts = leader.parts.compactMap { core.ledger[$0] }
            .filter { $0.progress != .uncommitted }
        return (leader.recorded.isLeftOut ? [] : [leader]) + parts
    }

    /// The value of a datapoint: the sum of its own press and its parts.
    func amount(of leader: Ledger.Entry) -> Double {
        guard !leader.parts.isEmpty || leader.recorded.isLeftOut else {
            return leader.value
        }
        var sum = CompensatedSum()
        for member in members(of: leader) { sum.add(member.event.value) }
        return sum.value
    }

    /// The comment of a datapoint: those of its presses, each once, in order. Comments that do not
    /// fit are omitted.
    func comment(of leader: Ledger.Entry) -> String {
        guard !leader.parts.isEmpty else { return leader.event.comment }
        var seen: Set<String> = [""]
        var comment = ""
        for member in members(of: leader) where seen.insert(member.event.comment).inserted {
            let longer = comment.isEmpty ? "" : comment + "; "
            let bytes = longer.utf8.count + member.event.comment.utf8.count
            guard bytes <= Press.commentBytes else { break }
            comment = longer + member.event.comment
        }
        return comment
    }

    /// The datapoint of an event as it is sent now. Of a single press it never changes.
    func outgoing(_ entry: Ledger.Entry, to goal: GoalSlug) -> OutgoingDatapoint {
        OutgoingDatapoint(
            number: entry.number, goal: goal, requestID: entry.event.requestID,
            value: amount(of: entry), comment: comment(of: entry), at: entry.searchTime,
            daystamp: entry.event.daystamp,
            through: isRevisable(entry) ? max(core.commits.receipt.through, entry.number) : nil,
            greatest: greatest(of: entry, since: core.commits.recovered),
            hasArrived: entry.hasArrived, mayBeThere: entry.mayBeThere, refusal: entry.refusal)
    }

    /// The greatest value that a datapoint of an earlier process has had, as far as this journal
    /// knows; nil when nothing follows from that.
    private func greatest(of leader: Ledger.Entry, since recovered: SequenceNumber) -> Double? {
        guard leader.number <= recovered, leader.recorded.shown <= recovered else { return nil }
        if leader.event.isTotal {
            return max(leader.event.value, leader.recorded.greatest ?? leader.event.value)
        }
        guard leader.isMerged, leader.lastRemoval == SequenceNumber(0),
            !leader.recorded.isLeftOut,
            members(of: leader).allSatisfy({ $0.event.value >= 0 })
        else { return nil }
        return amount(of: leader)
    }

    // MARK: Deletions

    /// The deletion of an event's datapoint.
    func deletion(of entry: Ledger.Entry, _ request: EventRequest) -> DatapointDeletion {
        let (id, isNameTaken) = core.goals.meaning(of: request.goalInRecord, in: request.namedBy)
        let isFormer = request.goalInRecord != entry.goal
        // If a datapoint that was deleted is back, it has another id.
        let isGone = isFormer || placement(of: entry, at: request.goalInRecord).isKnownAbsent
        return DatapointDeletion(
            number: entry.number, goal: request.goal, goalInRecord: request.goalInRecord,
            goalID: id, requestID: entry.event.requestID,
            datapoint: isGone ? nil : entry.datapoint,
            at: entry.searchTime, mayHaveArrived: isFormer || entry.mayHaveArrived,
            isNameTaken: isNameTaken)
    }

    /// Nothing is left of an event at a goal.
    ///
    /// - Returns: what is to be recorded when that is so at each goal that it must not be at; nil
    ///   when it is not.
    func recordOfDeletion(_ entry: Ledger.Entry) -> Record.Fact? {
        let isGone = formerGoals(of: entry).allSatisfy {
            placement(of: entry, at: $0.goal).isFinal(nil)
        }
        guard isGone else { return nil }
        guard entry.progress == .erasing || entry.isDeserted else {
            return .cleared(of: entry.number)
        }
        let mayBeHome = entry.mayBeThere && !placement(of: entry, at: entry.goal).isFinal(nil)
        return mayBeHome ? nil : .undone(of: entry.number)
    }

    /// Where else than at its goal an event may be, in words: at goals that it has left and that
    /// are in no list. A person must look there.
    func leftBehind(by entry: Ledger.Entry) -> String? {
        let goals = formerGoals(of: entry).filter { isLeftBehind(entry, at: $0) }
            .map { "'\(queue(of: $0.goal, namedBy: $0.by))'" }
        guard !goals.isEmpty else { return nil }
        return
            "\(goals.joined(separator: ", ")) is in no list of goals and may have it, too: it is "
            + "looked for there when the goal is restored"
    }

    private func isLeftBehind(_ entry: Ledger.Entry, at former: RecordedState.Departure) -> Bool {
        if entry.placements[former.goal]?.isOutOfReach == true { return true }
        let isNameTaken = core.goals.meaning(of: former.goal, in: former.by).isNameTaken
        return core.goals.isKnown
            && (isNameTaken || !core.goals.holds(queue(of: former.goal, namedBy: former.by)))
    }
}

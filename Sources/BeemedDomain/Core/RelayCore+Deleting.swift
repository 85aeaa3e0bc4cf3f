/// Deletions: of what was undone, and of what is moved to another goal.
extension RelayCore {
    /// The deletion of an event's datapoint.
    func deletion(of entry: Ledger.Entry, _ request: EventRequest) -> DatapointDeletion {
        let (id, isNameTaken) = goals.meaning(of: request.goalInRecord, in: request.namedBy)
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

    /// Whether a datapoint of an event is to be deleted: the event was undone, or moved.
    func isToBeErased(_ entry: Ledger.Entry) -> Bool {
        entry.progress == .erasing || !entry.recorded.leaving.isEmpty || isDeserted(entry)
    }

    /// The answer to a deletion.
    func receive(
        _ outcome: Outcome, of deletion: DatapointDeletion, _ now: Moment, _ effects: inout Effects
    ) {
        guard let entry = ledger[deletion.number] else { return }
        let goalInRecord = deletion.goalInRecord ?? entry.goal
        let isFormer = goalInRecord != entry.goal
        var outcome = outcome.refusalOfDeletion.map(Outcome.unchangeable) ?? outcome
        let sent = delivery.lastStart(for: deletion.goal) ?? now.monotonic
        var isFinal = false
        switch outcome {
        // A missing goal that is not archived has no datapoints. If the list has the goal, or there
        // is no list, it may have been renamed. If it is known to be renamed, its datapoints are
        // elsewhere.
        case .noSuchGoal where goals.current(deletion.goal) != deletion.goal:
            outcome = .unclear("the goal has another name")
        case .noSuchGoal where isMissing(deletion.goal, withDatapointOf: deletion.number):
            outcome = .erased
            isFinal = confirm(nil, of: entry, at: goalInRecord, sent: sent)
        case .erased: isFinal = confirm(nil, of: entry, at: goalInRecord, sent: sent)
        case .archivedGoal where isFormer:
            // The new goal may derail, and nothing can be deleted: it goes on.
            outcome = .erased
            leaveBehind(entry, at: goalInRecord)
        case .unclear, .unreachable, .busy(_, mayBeApplied: true):
            recordUnanswered(nil, of: entry, at: goalInRecord)
        default: break
        }
        complete(
            deletion.goal, [(deletion.number, outcome)],
            unsure: isFinal ? [] : [deletion.number], now, &effects)
        schedule(deletion.number)
        followRenames()
    }

    /// The former goal is archived, and may have the datapoint until it can be asked again.
    private func leaveBehind(_ entry: Ledger.Entry, at goalInRecord: GoalSlug) {
        var placement = placement(of: entry, at: goalInRecord)
        placement.isOutOfReach = true
        placements[entry.number, goalInRecord] = placement
    }

    /// Nothing is left of an event at a goal. When that is so at each goal that it must not be at,
    /// a record says so.
    func recordDeletion(of number: SequenceNumber, _ effects: inout Effects) {
        guard let entry = ledger[number],
            formerGoals(of: entry).allSatisfy({ placement(of: entry, at: $0.goal).isFinal(nil) })
        else { return }
        guard entry.progress == .erasing || isDeserted(entry) else {
            return journal(.cleared(of: number), &effects)
        }
        guard !entry.mayBeThere || placement(of: entry, at: entry.goal).isFinal(nil) else { return }
        journal(.undone(of: number), &effects)
    }

    /// Whether a goal that Beeminder does not know has no datapoint of an event. Without a list it
    /// may have been renamed, which matters if the event had arrived there.
    private func isMissing(_ goal: GoalSlug, withDatapointOf number: SequenceNumber) -> Bool {
        if goals.isKnown, areGoalsOwn { return !goals.holds(goal) }
        let entry = ledger[number]
        return entry?.hasArrived != true && (account.isNameless || entry?.isDoubtful != true)
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
        if placements[entry.number, former.goal]?.isOutOfReach == true { return true }
        let isNameTaken = goals.meaning(of: former.goal, in: former.by).isNameTaken
        return goals.isKnown
            && (isNameTaken || !goals.holds(queue(of: former.goal, namedBy: former.by)))
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
}

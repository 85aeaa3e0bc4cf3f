/// Deletions: of what was undone, and of what is moved to another goal.
extension RelayCore {
    /// The deletion of an event's datapoint.
    ///
    /// - Parameter goal: the goal's current name.
    func deletion(of entry: Ledger.Entry, at goal: GoalSlug) -> DatapointDeletion {
        let (id, isNameTaken) = goals.meaning(of: entry.sentTo, in: entry.goalNamedBy)
        var deletion = DatapointDeletion(
            entry.number, at: goal, goalID: id, requestID: entry.event.requestID,
            datapoint: wasDeletedOnce(entry) ? nil : entry.datapoint, time: entry.searchTime,
            mayHaveArrived: entry.mayHaveArrived, isNameTaken: isNameTaken)
        deletion.others = entry.others(in: goals)
        return deletion
    }

    /// Whether an event only leaves a goal, and is to be sent to another one.
    func isMoving(_ entry: Ledger.Entry) -> Bool {
        entry.recorded.leaving != nil && entry.progress == .pending
    }

    /// Whether the next request about an event deletes its datapoint: the event was undone, or it
    /// is to be moved and may have arrived at its former goal.
    func isToBeErased(_ entry: Ledger.Entry) -> Bool {
        entry.progress == .erasing || entry.recorded.leaving != nil || isDeserted(entry)
    }

    func settle(
        _ deletion: DatapointDeletion, _ outcome: Outcome, _ now: Moment, _ effects: inout Effects
    ) {
        let given = outcome
        var outcome = outcome
        let isMove = ledger[deletion.number].map(isMoving) == true
        var isGone = false
        if let why = outcome.refusalOfDeletion { outcome = .unchangeable(why) }
        status.record(deletionOf: deletion.number, isRefused: outcome != given)
        // A missing goal that is not archived has no datapoints. If the list has the goal, or there
        // is no list, it may have been renamed, and if it is known to have been, its datapoints are
        // elsewhere.
        if case .noSuchGoal = outcome {
            if goals.current(deletion.goal) != deletion.goal {
                outcome = .unclear("the goal has another name")
            } else if isMissing(deletion.goal, withDatapointOf: deletion.number) {
                (outcome, isGone) = (.erased, true)
            }
        }
        let isLeftBehind = outcome == .archivedGoal && isMove
        // The new goal may derail, and nothing can be deleted: it goes on.
        if isLeftBehind { outcome = .erased }
        // A second deletion would find no goal either: a move does not wait for it.
        let isLast = isMove && (isGone || isLeftBehind)
        finish(
            deletion.goal, [(deletion.number, outcome)], isWhole: true, repeatsDeletion: !isLast,
            now, &effects)
        if isLeftBehind {
            recordFailure(deletion.number, RelayCore.leftBehind(at: deletion.goal), &effects)
        }
        if !outcome.isFinal { reconsider(deletion.number) }
        followRenames()
        followTakenName(deletion.number, from: deletion.goal)
    }

    /// Whether a goal that Beeminder does not know has no datapoint of an event. Without a list it
    /// may have been renamed, which matters if the event had arrived there.
    private func isMissing(_ goal: GoalSlug, withDatapointOf number: SequenceNumber) -> Bool {
        if goals.isKnown, isBookOurs { return !goals.holds(goal) }
        let entry = ledger[number]
        return entry?.hasArrived != true && (account.isNameless || entry?.isDoubtful != true)
    }

    /// A press leaves a goal that is in no list. If that is only archived, and may have the press,
    /// its datapoint cannot be deleted: a person is told.
    func tellWhatIsLeft(by entry: Ledger.Entry) {
        guard isMoving(entry), let name = entry.recorded.leaving, goals.isKnown else { return }
        let goal = queue(of: entry)
        let isNameTaken = goals.meaning(of: name, in: entry.goalNamedBy).isNameTaken
        guard isNameTaken || !goals.holds(goal) else { return }
        _ = ledger.recordFailure(entry.number, RelayCore.leftBehind(at: goal))
    }

    private static func leftBehind(at goal: GoalSlug) -> String {
        "'\(goal)' is in no list of goals and may have it, too: look there if it is restored"
    }
}

extension Outcome {
    /// Why Beeminder refuses a deletion, in words; nil when it does not. The deletion is repeated:
    /// there is no press to refuse, and no other press of the goal waits for it.
    fileprivate var refusalOfDeletion: String? {
        switch self {
        case .forbidden(let why): "Beeminder does not allow the deletion: \(why)"
        case .refused: words
        case .delivered, .erased, .unclear, .unchangeable, .unreachable, .busy, .unauthorized,
            .noSuchGoal, .misdirected:
            nil
        }
    }
}

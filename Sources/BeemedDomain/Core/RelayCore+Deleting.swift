/// Deletions: of what was undone, and of what is moved to another goal.
extension RelayCore {
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
            var placement = reconciliation.placement(of: entry, at: goalInRecord)
            placement.isOutOfReach = true
            placements[entry.number, goalInRecord] = placement
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

    /// Whether a goal that Beeminder does not know has no datapoint of an event. Without a list it
    /// may have been renamed, which matters if the event had arrived there.
    private func isMissing(_ goal: GoalSlug, withDatapointOf number: SequenceNumber) -> Bool {
        if goals.isKnown, areGoalsOwn { return !goals.holds(goal) }
        let entry = ledger[number]
        return entry?.hasArrived != true && (account.isNameless || entry?.isDoubtful != true)
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

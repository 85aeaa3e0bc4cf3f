/// Commands of the user for accepted events: undo and retry.
struct EventCommands {
    let core: RelayCore

    // MARK: Undo

    /// Takes an event back. The reply follows when that is durable, and not when its datapoint is
    /// deleted.
    func undo(_ key: EventKey, _ replyID: ReplyID, _ effects: inout Effects) {
        guard let entry = core.ledger[key] else { return effects.refuse(replyID, .unknownEvent) }
        if let command = core.commits.command(of: entry.number),
            !command.isUndo || !entry.isTakenBack
        {
            guard command.isUndo else {
                return effects.refuse(replyID, .notPossible(core.view.state(of: entry)))
            }
            return core.commits.wait(
                replyID, for: .command, of: entry.number, until: command.record)
        }
        if entry.isTakenBack {
            return effects.reply(replyID, .changed(core.view.shown(entry)))
        }
        // No press may join a datapoint whose first press is undone.
        core.windows.close(entry.number)
        journal(undoRecord(entry), of: entry.number, replyID, &effects)
    }

    /// Journals a command; the reply follows once it is durable. Facts that found no free space are
    /// written first: a refusal recorded later would be taken for the answer to this command.
    private func journal(
        _ fact: Record.Fact, of number: SequenceNumber,
        _ replyID: ReplyID, _ effects: inout Effects
    ) {
        core.writeDeferred(&effects)
        core.commits.wait(replyID, for: .command, of: number, until: core.commits.next)
        core.journal(fact, &effects)
        // The event must not be sent while the command is not durable.
        core.schedule(number)
    }

    /// The record of an undo: it says whether Beeminder must be asked.
    private func undoRecord(_ entry: Ledger.Entry) -> Record.Fact {
        if entry.leader != nil { return .undone(of: entry.number) }
        if !entry.parts.isEmpty { return .leftOut(of: entry.number) }
        // Beeminder may have an earlier value of a refused total, or get an earlier request yet.
        let mayBeAnywhere = entry.mayBeThere || !entry.recorded.leaving.isEmpty
        let wasKept = entry.progress == .guarded || entry.progress == .merged
        return mayBeAnywhere && !wasKept ? .undo(of: entry.number) : .undone(of: entry.number)
    }

    /// An event's undo is durable.
    ///
    /// - Parameters:
    ///   - progress: how far the event had come before.
    ///   - wasLeftOut: whether it was removed from the datapoint that it leads before.
    func undoDidCommit(
        _ entry: Ledger.Entry, after progress: EventProgress, wasLeftOut: Bool,
        by record: SequenceNumber, _ effects: inout Effects
    ) {
        let number = entry.number
        let hasWaited = progress == .pending || progress == .refused
        if hasWaited, entry.progress != .pending { core.discardQuota.add(entry.event) }
        if let leader = entry.leader {
            core.ledger.removePart(number, of: leader, by: record)
            return core.merging.amend(leader, &effects)
        }
        if entry.recorded.isLeftOut, !wasLeftOut {
            core.ledger.recordRemoval(number, by: record)
            core.schedule(number)
            return core.merging.amend(number, &effects)
        }
        core.schedule(entry)
        if entry.progress == .undone { entry.lastRemoval = SequenceNumber(0) }
    }

    // MARK: Retry

    /// Sends an event again that was refused or guarded, or waits, to another goal if one is named.
    /// Of a merged datapoint all parts are sent, whichever is named.
    ///
    /// - Parameter isGoalChecked: whether Beeminder has been asked about the goal.
    func retry(
        _ key: EventKey, _ goal: GoalSlug?, _ replyID: ReplyID, _ now: Moment, isGoalChecked: Bool,
        _ effects: inout Effects
    ) {
        guard let asked = core.ledger[key] else { return effects.refuse(replyID, .unknownEvent) }
        core.merging.closeWindow(of: asked)
        // Parts are sent with the leader of their datapoint.
        let entry = asked.leader.flatMap { core.ledger[$0] } ?? asked
        let queue = core.reconciliation.presentQueue(of: entry)
        let isUnderWay = core.delivery.isInFlight(entry.number)
        let isOpen = entry.progress == .pending && !isUnderWay && !entry.awaitsTime
        let isUndoneDay = entry.progress == .undone && entry.event.isTotal
        // While a refused press is looked for, the answer would be taken for that to the retry.
        let isRefused = entry.isRefused && !isUnderWay
        guard isRefused || isOpen || isUndoneDay || entry.progress == .guarded,
            core.commits.command(of: entry.number) == nil, !asked.isTakenBack || isUndoneDay
        else {
            let refused = asked.isTakenBack ? asked : entry
            return effects.refuse(replyID, .notPossible(core.view.state(of: refused)))
        }
        let isElsewhere = goal.map { isNameTaken(entry) || !isCalled($0, entry) } ?? false
        // An undone day is sent again to a goal that may have got that day from another event.
        let target = isElsewhere ? goal : isUndoneDay ? core.goals.goal(of: entry) : nil
        if let target, let refusal = refusal(of: entry, movedTo: target) {
            return effects.refuse(replyID, refusal)
        }
        // The goals that count are not those of the token.
        if core.account.isOther { return effects.refuse(replyID, .notPossible(.held)) }
        if let goal, !isGoalChecked {
            guard core.lookup.mayUse(goal, for: .retry(key), replyID, now, &effects) else { return }
        }
        if entry.progress == .pending, !isElsewhere, !entry.awaitsEvaluation {
            core.delivery.flush(queue)
            return effects.reply(replyID, .changed(core.view.shown(asked)))
        }
        let leaving = isElsewhere && entry.mayHaveArrived ? core.goals.goal(of: entry) : nil
        let fact = Record.Fact.retry(
            of: entry.number, goal: isElsewhere ? goal : nil, leaving: leaving)
        journal(fact, of: entry.number, replyID, &effects)
    }

    /// Whether the goal of that name now is another one than the event's, which is in no list.
    private func isNameTaken(_ entry: Ledger.Entry) -> Bool {
        core.goals.meaning(of: entry.goal, in: entry.goalNamedBy).isNameTaken
    }

    private func isCalled(_ goal: GoalSlug, _ entry: Ledger.Entry) -> Bool {
        core.goals.current(goal) == core.goals.goal(of: entry)
    }

    /// Why an event must not be moved to a goal: the goal has got the name of one that the event has
    /// left, or has that day of a rule already, and with it the request id.
    private func refusal(of entry: Ledger.Entry, movedTo goal: GoalSlug) -> Refusal? {
        let isNameOfFormer = entry.recorded.leaving.contains {
            $0.goal == goal && core.goals.current($0.goal, in: $0.by) != core.goals.current(goal)
        }
        let isNameOfOwn =
            isNameTaken(entry) && isCalled(goal, entry) && entry.mayHaveArrived
        if isNameOfFormer || isNameOfOwn { return .notPossible(core.view.state(of: entry)) }
        guard entry.event.isTotal else { return nil }
        let other = core.ledger.all.first { other in
            other.number != entry.number && other.progress != .undone
                && other.event.requestID == entry.event.requestID
                && core.goals.goal(of: other) == core.goals.current(goal)
        }
        return other.map { .dayTaken(goal, by: $0.event.key.id) }
    }
}

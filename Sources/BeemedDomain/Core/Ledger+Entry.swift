/// Knowledge of this process about an event that is in no record. Few events have any.
struct Observations: Sendable, Equatable {
    var listing: Listing?
    var restEnd: Monotonic?
    var placements: [GoalSlug: Placement] = [:]
}

extension Ledger.Entry {
    /// The record that names its current goal.
    var goalNamedBy: SequenceNumber { recorded.movedBy ?? number }

    /// Whether Beeminder may have its datapoint: an attempt that was answered clearly, and did not
    /// store it, does not count.
    var mayHaveArrived: Bool { hasArrived || isDoubtful }

    /// Whether the user has undone the event, also if Beeminder may still have it, or if it is only
    /// left out of a merged datapoint.
    var isTakenBack: Bool {
        progress == .erasing || progress == .undone || recorded.isLeftOut
    }

    /// Its datapoint in the last of Beeminder's lists that had it; nil if none did.
    var listing: Listing? { observed?.value.listing }

    /// When its next value may be sent; nil when it may be sent now.
    var restEnd: Monotonic? { observed?.value.restEnd }

    func restEnd(after now: Monotonic) -> Monotonic? { restEnd.flatMap { $0 > now ? $0 : nil } }

    /// Its possible datapoints at Beeminder, where the records do not tell, by the goals' names in
    /// the records: a request was not answered, or a former goal must be asked.
    var placements: [GoalSlug: Placement] { observed?.value.placements ?? [:] }

    /// Whether a former goal is archived and may have it.
    var isOutOfReach: Bool {
        observed?.value.placements.values.contains(where: \.isOutOfReach) ?? false
    }

    // MARK: Merged datapoints

    /// Whether its datapoint has, or had, other presses than its own.
    var isMerged: Bool { !parts.isEmpty || lastRemoval > SequenceNumber(0) }

    /// Whether a press left its datapoint, and Beeminder has not received it without that.
    var hasUnsentRemoval: Bool { lastRemoval > recorded.shown }

    /// Whether no press counts in its datapoint any more: then it must be deleted. Its window was
    /// closed when its leader was undone, so no press can join.
    var isDeserted: Bool { recorded.isLeftOut && parts.isEmpty }

    /// Whether its datapoint has arrived, or may have, with a press that was removed.
    var needsResending: Bool {
        progress != .undone && !isRefused && mayBeThere && hasUnsentRemoval
    }

    /// Whether it is to be sent or deleted.
    var isToBeSent: Bool { isOpen || needsResending || !recorded.leaving.isEmpty }

    // MARK: Presets

    /// Whether another press came after this one, and is of a later time.
    func isBefore(_ other: SequenceNumber, at time: UnixTime) -> Bool {
        number < other && at <= time
    }

    /// Whether the guards of its preset must be evaluated before sending.
    var awaitsEvaluation: Bool {
        progress == .pending && event.isUndecided && !recorded.isEvaluated
    }
}

extension GoalBook {
    /// The current name of an event's goal.
    @inline(__always)
    func goal(of entry: Ledger.Entry) -> GoalSlug {
        current(entry.goal, in: entry.goalNamedBy)
    }

    /// The current names of the goal that a press named and of the one to which it was moved.
    func goals(of entry: Ledger.Entry) -> [GoalSlug] {
        [current(entry.event.goal, in: entry.number), goal(of: entry)]
    }

    /// The queue of a goal by its name in a record: its current name or, while a request under an
    /// old name is under way, that.
    @inline(__always)
    func queue(
        of goal: GoalSlug, namedBy record: SequenceNumber, busy: @autoclosure () -> [GoalSlug]
    ) -> GoalSlug {
        hasNoFormerNames ? goal : renamedQueue(of: goal, namedBy: record, busy: busy())
    }

    @inline(never)
    private func renamedQueue(
        of goal: GoalSlug, namedBy record: SequenceNumber, busy: [GoalSlug]
    ) -> GoalSlug {
        let name = current(goal, in: record)
        if name == goal || holds(goal) { return name }
        return busy.contains(goal) ? goal : name
    }
}

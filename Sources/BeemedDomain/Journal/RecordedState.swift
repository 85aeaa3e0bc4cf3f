/// What has become of an event: the sum of all records about it, each of which counts once and in
/// the order of their numbers, wherever in the journal they stand.
package struct RecordedState: Sendable, Equatable {
    /// How it ended; nil while it is pending. For a part of a merged datapoint this follows from
    /// its leader, unless a record names the part itself.
    package private(set) var settlement: Settlement?
    /// A person wants it undone, and Beeminder may still have it.
    package private(set) var isUnwanted = false
    /// What few events go through.
    private var rare: RareChanges?
    /// The last record that counted.
    private(set) var last = SequenceNumber(0)
    /// The record of its delivery, the last one if there are several.
    private(set) var delivered = SequenceNumber(0)

    /// Of an event that nothing has been heard of.
    package init() {}

    /// Of an event that was accepted as that.
    init(_ part: Event.Part) {
        switch part {
        case .whole, .merged: break
        case .guarded: settlement = .guarded
        }
    }

    /// Beeminder has it; the record of that is on its way to the disk.
    mutating func anticipate(_ how: Delivered, _ datapoint: String?) {
        settlement = .delivered(how, datapoint: datapoint ?? knownDatapoint)
    }

    /// Takes a record about the event into account.
    ///
    /// - Returns: whether it counts; not when it, or a later one, has counted before.
    @discardableResult
    mutating func apply(_ fact: Record.Fact, _ number: SequenceNumber) -> Bool {
        guard number > last else { return false }
        last = number
        switch fact {
        case .refused where settlement != nil: return false
        case .refused(_, let status, let why): settlement = .refused(status: status, why: why)
        // A time is said once: it may have been sent with it.
        case .timed where at != nil: return false
        // The record of a delivery may have waited for room longer than that of its undoing.
        case .done where settlement == .undone: return false
        case .done(_, let how, let datapoint, let through):
            settlement = .delivered(how, datapoint: datapoint ?? knownDatapoint)
            delivered = number
            if let through { change { $0.shown = through } }
        case .undo: isUnwanted = true
        case .leftOut: change { $0.leftOut = number }
        case .undone:
            settlement = .undone
            isUnwanted = false
        case .retry(_, let goal, let leaving):
            settlement = nil
            change { $0.isJudged = true }
            if let goal { move(to: goal, leaving: leaving) }
        case .judged(_, let isGuarded):
            change { $0.isJudged = true }
            if isGuarded { settlement = settlement ?? .guarded }
        case .cleared: change { $0.leaving = nil }
        case .timed(_, let at): change { $0.at = at }
        case .put, .user, .mark, .tried: break
        }
        return true
    }

    private mutating func move(to goal: GoalSlug, leaving: GoalSlug?) {
        change { rare in
            rare.goal = goal
            rare.leaving = leaving ?? rare.leaving
            rare.isOnItsOwn = true
        }
    }

    private mutating func change(_ body: (inout RareChanges.Values) -> Void) {
        var values = rare?.values ?? RareChanges.Values()
        body(&values)
        rare = RareChanges(values)
    }

    // MARK: Moves and times

    /// The goal that a retry has moved it to.
    var goal: GoalSlug? { rare?.values.goal }
    /// The goal whose datapoint must be deleted before this event may be sent to its new one.
    var leaving: GoalSlug? { rare?.values.leaving }
    /// Whether a `oncePerDay` press that came before the user's days were known has been judged.
    var isJudged: Bool { rare?.values.isJudged ?? false }
    /// Its time, repaired when the relay's clock was set.
    var at: UnixTime? { rare?.values.at }

    // MARK: Merged datapoints

    /// The record by which the press was taken out of the datapoint that it leads.
    var leftOut: SequenceNumber? { rare?.values.leftOut }
    /// The datapoint that it leads goes on without its own press.
    package var isLeftOut: Bool { leftOut != nil }
    /// The last record whose effect the datapoint that it leads is known to show. Earlier versions
    /// did not write it down; then it is the record of the delivery itself.
    var shown: SequenceNumber { hasArrived ? rare?.values.shown ?? delivered : SequenceNumber(0) }
    /// A retry has moved it to another goal, so it is no part of its leader's datapoint any more.
    package var isOnItsOwn: Bool { rare?.values.isOnItsOwn ?? false }

    /// A part whose datapoint is gone is sent by itself.
    mutating func standAlone() {
        change { $0.isOnItsOwn = true }
    }

    /// A part of a merged datapoint fares as its leader does. Nothing is written down for that:
    /// the leader's own records say it.
    mutating func follow(_ settlement: Settlement?, to goal: GoalSlug?) {
        self.settlement = settlement
        if goal != self.goal { change { $0.goal = goal } }
    }

    /// Whether Beeminder has said that it has it.
    var hasArrived: Bool {
        if case .delivered? = settlement { true } else { false }
    }

    private var knownDatapoint: String? {
        guard case .delivered(_, let datapoint)? = settlement else { return nil }
        return datapoint
    }

    /// Nothing more will come of it, and nobody must look at it: it may be forgotten some day.
    package var isAtRest: Bool {
        switch settlement {
        case .delivered, .undone, .guarded, .merged: !isUnwanted
        case .refused, nil: false
        }
    }
}

/// What few events go through, kept apart so that the others do not pay for it in memory.
private final class RareChanges: Sendable, Equatable {
    struct Values: Sendable, Equatable {
        var goal: GoalSlug?
        var leaving: GoalSlug?
        var at: UnixTime?
        var leftOut: SequenceNumber?
        var shown: SequenceNumber?
        var isOnItsOwn = false
        var isJudged = false
    }

    let values: Values

    init(_ values: Values) {
        self.values = values
    }

    static func == (left: RareChanges, right: RareChanges) -> Bool { left.values == right.values }
}

/// What has become of an event: the sum of all records about it, each of which counts once and in
/// the order of their numbers, wherever in the journal they stand.
package struct Fate: Sendable, Equatable {
    /// How it ended; nil while it is pending.
    package private(set) var settlement: Settlement?
    /// A person wants it undone, and Beeminder may still have it.
    package private(set) var isUnwanted = false
    /// The datapoint that it leads goes on without its own press.
    package private(set) var isLeftOut = false
    /// Whether a `oncePerDay` press that came before the user's days were known has been judged.
    private(set) var isJudged = false
    /// What few events go through.
    private var turn: Turn?
    /// The last record that counted.
    private(set) var last = SequenceNumber(0)
    /// When it was last sent, as the journal knows it: the record of its delivery.
    private(set) var delivered = SequenceNumber(0)

    /// Of an event that nothing has been heard of.
    package init() {}

    /// Of an event that was accepted as that.
    init(_ part: Event.Part) {
        switch part {
        case .whole: break
        case .guarded: settlement = .guarded
        case .merged(let leader): settlement = .merged(into: leader)
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
        // A time is said once: it may have been sent with it.
        case .timed where at != nil: return false
        // The record of a delivery may have waited for room longer than that of its undoing.
        case .done where settlement == .undone: return false
        case .done(_, let how, let datapoint):
            settlement = .delivered(how, datapoint: datapoint ?? knownDatapoint)
            delivered = number
        case .refused(_, let status, let why): settlement = .refused(status: status, why: why)
        case .undo: isUnwanted = true
        case .leftOut: isLeftOut = true
        case .undone:
            settlement = .undone
            isUnwanted = false
        case .retry(_, let goal):
            settlement = nil
            isJudged = true
            if let goal { turn = Turn(goal: goal, at: at) }
        case .judged(_, let isGuarded):
            isJudged = true
            if isGuarded { settlement = settlement ?? .guarded }
        case .timed(_, let at): turn = Turn(goal: goal, at: at)
        case .put, .user, .mark: break
        }
        return true
    }

    /// The goal that a retry has moved it to.
    var goal: GoalSlug? { turn?.goal }
    /// Its time, repaired when the relay's clock was set.
    var at: UnixTime? { turn?.at }

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

/// What few events go through.
private final class Turn: Sendable, Equatable {
    let goal: GoalSlug?
    let at: UnixTime?

    init(goal: GoalSlug?, at: UnixTime?) {
        self.goal = goal
        self.at = at
    }

    static func == (left: Turn, right: Turn) -> Bool {
        left.goal == right.goal && left.at == right.at
    }
}

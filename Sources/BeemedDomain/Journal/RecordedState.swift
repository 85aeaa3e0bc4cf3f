/// The state of an event: the sum of all records about it. Each record counts once, in the order of
/// numbers, wherever it stands in the journal.
package struct RecordedState: Sendable, Equatable {
    /// The last outcome on record. A delivery may be of an earlier value than the newest.
    private var outcome: Settlement?
    /// The user has undone the event, and Beeminder may still have it.
    private(set) var isUnwanted = false
    private(set) var rare: Boxed<RareChanges>?
    /// The last record that counted.
    private(set) var last = SequenceNumber(0)
    /// The last record of its delivery.
    private(set) var delivered = SequenceNumber(0)

    /// The state of an event without further records, which was accepted as this part.
    @inline(__always)  // A call returns a value that is copied into the event's entry.
    init(_ part: Event.Part = .whole) {
        if case .guarded = part { outcome = .guarded }
    }

    /// The final state; nil while pending. A part of a merged datapoint has its leader's, unless a
    /// record names the part itself.
    package var settlement: Settlement? { progress == .pending ? nil : outcome }

    /// How far the event has come, once it is durable. A delivered day's total is pending again
    /// with each newer value.
    var progress: EventProgress {
        if isUnwanted { return .erasing }
        return switch outcome {
        case nil: .pending
        case .delivered?: hasUnshownRevision ? .pending : .delivered
        case .refused?: .refused
        case .undone?: .undone
        case .guarded?: .guarded
        case .merged?: .merged
        }
    }

    /// Beeminder has it; the record of that is not durable yet.
    ///
    /// - Parameter through: the datapoint includes every record up to this one; nil for a press.
    mutating func anticipate(
        _ how: Delivered, _ datapoint: String?, through: SequenceNumber? = nil
    ) {
        end(.delivered(how, datapoint: datapoint ?? self.datapoint))
        // The record of an earlier delivery may have waited for free space longer than a later one.
        if let through { change { $0.shown = max($0.shown ?? through, through) } }
    }

    /// Applies a record about the event, unless it, or a later one, was applied before.
    mutating func apply(_ fact: Record.Fact, _ number: SequenceNumber) {
        guard number > last else { return }
        last = number
        switch fact {
        case .refused where settlement != nil && !isRefusedInDoubt: break
        case .refused(_, let status, let why, let isInDoubt):
            refuse(.refused(status: status, why: why), inDoubtSince: isInDoubt ? number : nil)
        // The time is fixed once: the event may have been sent with it.
        case .timed where at != nil: break
        // The record of a delivery may have waited for free space longer than that of its undo.
        case .done where outcome == .undone: break
        case .done(_, let how, let datapoint, let through):
            anticipate(how, datapoint, through: through)
            delivered = number
        // A day that was undone stays undone.
        case .revise where outcome == .undone || isUnwanted: break
        case .revise(_, let value, let mayLower):
            revise(to: value, mayLower, by: number)
        case .undo: isUnwanted = true
        case .leftOut: change { $0.leftOut = number }
        case .undone:
            end(.undone)
            isUnwanted = false
        case .retry(_, let goal, let leaving):
            if goal == nil, hasArrived { reopen() } else { end(nil) }
            change { $0.isEvaluated = true }
            if let goal { move(to: goal, leaving: leaving, by: number) }
        case .evaluated(_, let isGuarded, let by):
            change { ($0.isEvaluated, $0.guardedBy) = (true, by) }
            if isGuarded { outcome = outcome ?? .guarded }
        case .cleared: change { $0.leaving = [] }
        case .timed(_, let at): change { $0.at = at }
        case .put, .carried, .user, .mark: break
        }
    }

    /// No earlier arrival counts any more.
    private mutating func end(_ outcome: Settlement?) {
        self.outcome = outcome
        if rare?.value.arrival != nil { change { $0.arrival = nil } }
    }

    private mutating func refuse(_ refusal: Settlement, inDoubtSince record: SequenceNumber?) {
        if let arrival { change { $0.arrival = arrival } }
        if record != rare?.value.doubt { change { $0.doubt = record } }
        outcome = refusal
    }

    private mutating func revise(to value: Double, _ mayLower: Bool, by record: SequenceNumber) {
        reopen()
        change { rare in
            (rare.value, rare.revisedBy, rare.mayLower) = (value, record, mayLower)
            rare.greatest = max(rare.greatest ?? value, value)
        }
    }

    /// A refusal no longer counts: what had arrived before does.
    private mutating func reopen() {
        guard case .refused? = outcome else { return }
        outcome = arrival.map { .delivered($0.how, datapoint: $0.datapoint) }
    }

    private mutating func move(
        to goal: GoalSlug, leaving: GoalSlug?, by record: SequenceNumber
    ) {
        change { rare in
            rare.goal = goal
            rare.movedBy = record
            rare.leaving.removeAll { $0.goal == goal }
            if let leaving { rare.leaving.append(Departure(goal: leaving, by: record)) }
        }
    }

    private mutating func change(_ body: (inout RareChanges) -> Void) {
        var changes = rare?.value ?? RareChanges()
        body(&changes)
        rare = Boxed(changes)
    }

    // MARK: Moves and times

    /// The goal to which a retry has moved it.
    var goal: GoalSlug? { rare?.value.goal }
    /// The record of that retry.
    var movedBy: SequenceNumber? { rare?.value.movedBy }
    /// The goals that the event has left, and at which it may still be.
    var leaving: [Departure] { rare?.value.leaving ?? [] }

    /// A goal that an event has left, by its name in the record of the move.
    struct Departure: Sendable, Equatable {
        var goal: GoalSlug
        var by: SequenceNumber
    }
    /// Whether the guards of its preset were evaluated, for a press that was accepted before the
    /// time or the user's days were known.
    var isEvaluated: Bool { rare?.value.isEvaluated ?? false }

    /// The guard that keeps an event from being sent; nil when none does, and where an earlier
    /// version has not recorded it.
    func guardian(of event: Event) -> PresetGuard? {
        guard outcome == .guarded else { return nil }
        return event.guardedBy ?? rare?.value.guardedBy
    }

    /// Its time, repaired when the relay's clock was set.
    var at: UnixTime? { rare?.value.at }

    // MARK: Revised values

    /// The newest value of a day's total; nil while that is the first.
    package var value: Double? { rare?.value.value }
    /// The greatest of them; nil while there is only the first one.
    var greatest: Double? { rare?.value.greatest }
    /// The record of the newest value.
    var revisedBy: SequenceNumber? { rare?.value.revisedBy }
    /// Whether the newest value may be less than what Beeminder has.
    var mayLower: Bool { hasUnshownRevision && rare?.value.mayLower ?? false }
    /// Whether Beeminder has not confirmed the newest value.
    var hasUnshownRevision: Bool { revisedBy.map { $0 > shown } ?? false }

    // MARK: Merged datapoints

    /// The record that removed the press from the datapoint that it leads.
    var leftOut: SequenceNumber? { rare?.value.leftOut }
    /// Whether the datapoint that it leads continues without its own press.
    package var isLeftOut: Bool { leftOut != nil }
    /// The last record whose effect the datapoint that this event leads is known to include.
    /// A press alone has no record of that; then that of the delivery itself.
    var shown: SequenceNumber { hasArrived ? rare?.value.shown ?? delivered : SequenceNumber(0) }
    /// Whether a retry has moved the event, so that it is not part of its leader's datapoint.
    var isOnItsOwn: Bool { movedBy != nil }

    /// Gives a part of a merged datapoint the outcome of its leader. No record is written: the
    /// leader's own records determine it.
    mutating func follow(_ settlement: Settlement?, to goal: GoalSlug?) {
        outcome = settlement
        if goal != self.goal { change { $0.goal = goal } }
    }

    /// The state without the consequences of its leader's state: the leader's own records determine
    /// those, and may change them.
    func withoutLeader(of event: Event) -> RecordedState {
        guard case .merged = event.part, !isOnItsOwn else { return self }
        var own = self
        switch outcome {
        case .merged, .refused: own.outcome = nil
        case .delivered, .undone, .guarded, nil: break
        }
        if goal != nil { own.change { $0.goal = nil } }
        return own
    }

    // MARK: Arrival

    /// A datapoint that Beeminder has confirmed.
    package struct Arrival: Sendable, Equatable {
        package let how: Delivered
        /// Its id at Beeminder, if known.
        package let datapoint: String?
    }

    /// The datapoint that Beeminder has of the event, also of an earlier value than one that it
    /// refused; nil when no answer has said that there is one.
    package var arrival: Arrival? {
        if case .delivered(let how, let datapoint)? = outcome {
            return Arrival(how: how, datapoint: datapoint)
        }
        return rare?.value.arrival
    }

    /// The record of its refusal, if an earlier request could still be applied then, and it was not
    /// looked for since.
    var doubt: SequenceNumber? {
        if case .refused? = outcome { rare?.value.doubt } else { nil }
    }
    var isRefusedInDoubt: Bool { doubt != nil }

    /// Whether Beeminder has confirmed that it has the datapoint.
    var hasArrived: Bool { arrivedAs != nil }

    /// How it has arrived; nil when it has not.
    var arrivedAs: Delivered? {
        if case .delivered(let how, _)? = outcome { how } else { rare?.value.arrival?.how }
    }

    /// The datapoint's id at Beeminder, if known.
    var datapoint: String? { arrival?.datapoint }

    /// Whether no change is expected and no person must act: it may be forgotten.
    var isAtRest: Bool { progress.isAtRest && leaving.isEmpty }
}

/// Changes that few events have.
struct RareChanges: Sendable, Equatable {
    var goal: GoalSlug?
    var movedBy: SequenceNumber?
    var leaving: [RecordedState.Departure] = []
    var at: UnixTime?
    var value: Double?
    var greatest: Double?
    var revisedBy: SequenceNumber?
    var mayLower = false
    var leftOut: SequenceNumber?
    var shown: SequenceNumber?
    var isEvaluated = false
    var guardedBy: PresetGuard?
    /// The datapoint that Beeminder has of an earlier value than the refused one.
    var arrival: RecordedState.Arrival?
    /// The record of a refusal in doubt.
    var doubt: SequenceNumber?
}

/// The state of an event as a member of its carried line.
extension RecordedState {
    /// Adds the members; those that are absent have their first value.
    func write(to json: inout JSONWriter) {
        if let outcome { write(outcome, to: &json) }
        if isUnwanted { json.add("unwanted", true) }
        if last.value > 0 { json.add("last", last) }
        if delivered.value > 0 { json.add("delivered", delivered) }
        if let rare = rare?.value { rare.write(to: &json) }
    }

    private func write(_ settlement: Settlement, to json: inout JSONWriter) {
        switch settlement {
        case .delivered: json.add("is", literal: "delivered")
        case .refused(let status, let why):
            json.add("is", literal: "refused")
            json.add("status", Int64(status))
            json.add("why", why)
        case .undone: json.add("is", literal: "undone")
        case .guarded: json.add("is", literal: "guarded")
        case .merged(let leader):
            json.add("is", literal: "merged")
            json.add("into", leader)
        }
        if let arrival {
            json.add("how", plain: arrival.how.rawValue)
            if let datapoint = arrival.datapoint { json.add("datapoint", datapoint) }
        }
    }

    /// Reads the members.
    init(_ state: Members) throws(JSONReader.Fault) {
        self.init()
        outcome = try state.settlement()
        isUnwanted = try state.flag("unwanted")
        last = try state.number("last") ?? last
        delivered = try state.number("delivered") ?? delivered
        var rare = try RareChanges(state)
        if !hasArrived, let how = try state.how() {
            rare.arrival = Arrival(how: how, datapoint: try state.text("datapoint"))
        }
        if rare != RareChanges() { self.rare = Boxed(rare) }
    }
}

extension RareChanges {
    fileprivate func write(to json: inout JSONWriter) {
        if let goal { json.add("goal", plain: goal.description) }
        if let movedBy { json.add("moved", movedBy) }
        if !leaving.isEmpty {
            let goals = leaving.map { ($0.goal.description, $0.by.description) }
            json.add("leaving", Dictionary(goals) { $1 })
        }
        if let at { json.add("at", at.seconds) }
        if let value { json.add("value", value) }
        if let greatest, greatest != value { json.add("greatest", greatest) }
        if let revisedBy { json.add("revised", revisedBy) }
        if mayLower { json.add("lower", true) }
        if let leftOut { json.add("left-out", leftOut) }
        if let shown { json.add("shown", shown) }
        if isEvaluated { json.add("judged", true) }
        if let guardedBy { json.add("by", guardedBy.recordedSeconds) }
        if let doubt { json.add("doubt", doubt) }
    }

    fileprivate init(_ state: Members) throws(JSONReader.Fault) {
        goal = try state.goal("goal")
        movedBy = try state.number("moved")
        for (name, record) in try state.texts("leaving") {
            guard let goal = GoalSlug(name), let by = UInt64(record), by < 1 << 53 else {
                throw JSONReader.Fault()
            }
            leaving.append(RecordedState.Departure(goal: goal, by: SequenceNumber(by)))
        }
        leaving.sort { $0.by < $1.by }
        at = try state.time("at")
        value = try state.double("value")
        greatest = try state.double("greatest") ?? value
        revisedBy = try state.number("revised")
        mayLower = try state.flag("lower")
        leftOut = try state.number("left-out")
        shown = try state.number("shown")
        isEvaluated = try state.flag("judged")
        guardedBy = try state.guardian()
        doubt = try state.number("doubt")
    }
}

extension Members {
    /// The final state of an event.
    fileprivate func settlement() throws(JSONReader.Fault) -> Settlement? {
        switch try text("is") {
        case nil: nil
        case "delivered": .delivered(try need(how()), datapoint: try text("datapoint"))
        case "refused":
            .refused(status: try need(count("status")), why: try text("why") ?? "")
        case "undone": .undone
        case "guarded": .guarded
        case "merged": .merged(into: try need(number("into")))
        default: throw JSONReader.Fault()
        }
    }
}

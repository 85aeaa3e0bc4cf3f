/// The possible datapoints of events at Beeminder, where the records do not tell: a request was not
/// answered, or a former goal must be asked.
struct Placements: Sendable {
    private struct Key: Hashable, Sendable {
        var event: SequenceNumber
        /// Under the name in the record.
        var goal: GoalSlug
    }

    /// The last record of the earlier processes.
    private let recovered: SequenceNumber
    /// When no request of an earlier process can be applied any more. They may have sent requests
    /// until this one began.
    private let end: Monotonic
    private var placements: [Key: Placement] = [:]
    /// The number of placements at which those without doubts are removed.
    private var cleanUpAt = Placements.few

    /// Placements up to which none are removed.
    private static let few = 256

    /// - Parameter began: when this process began to send.
    init(since began: Monotonic, recovered: SequenceNumber) {
        self.recovered = recovered
        end = began.adding(seconds: Placement.watchSeconds)
    }

    /// The facts about an event at a goal beyond its records; nil for none.
    subscript(_ event: SequenceNumber, _ goal: GoalSlug) -> Placement? {
        get { placements.isEmpty ? nil : placements[Key(event: event, goal: goal)] }
        set { placements[Key(event: event, goal: goal)] = newValue }
    }

    /// When no request of an earlier process about an event can be applied any more; nil when none
    /// can. That holds for settled events, too: in a cluster the last leader may have settled one
    /// while a request about it by an earlier leader was still on its way.
    func doubtEnd(of event: SequenceNumber, at now: Monotonic) -> Monotonic? {
        event <= recovered && now < end ? end : nil
    }

    /// Whether nothing but the records tells of an event at any goal.
    @inline(__always)
    func isPlain(_ event: SequenceNumber) -> Bool { placements.isEmpty && event > recovered }

    /// Removes placements that have no doubts any more and are no absence, if there are many.
    mutating func cleanUp(at now: Monotonic) {
        guard placements.count >= cleanUpAt else { return }
        placements = placements.filter {
            $0.value.isInDoubt(at: now) || $0.value.isKnownAbsent || $0.value.isOutOfReach
        }
        cleanUpAt = max(Placements.few, 2 * placements.count)
    }

    // MARK: Archived goals

    /// Events whose former goals are archived and may have them.
    var outOfReach: [(event: SequenceNumber, goal: GoalSlug)] {
        placements.filter(\.value.isOutOfReach).map { ($0.key.event, $0.key.goal) }
            .sorted { $0.event < $1.event }
    }

    /// A list has the goals again: they can be asked.
    ///
    /// - Returns: the events, in order.
    mutating func reach(_ isListed: (SequenceNumber, GoalSlug) -> Bool) -> [SequenceNumber] {
        let found = outOfReach.filter { isListed($0.event, $0.goal) }
        for absence in found { self[absence.event, absence.goal]?.isOutOfReach = false }
        return found.map(\.event)
    }
}

/// The events that are in no goal's queue because something must happen first, and the present.
struct WaitingEvents: Sendable {
    /// Why nothing is requested for an event now.
    enum Reason: Hashable, Sendable {
        /// The relay's clock was not set when the event came: its time is repaired first.
        case clock
        /// The guards of its preset cannot be evaluated yet.
        case guards
        /// More presses may join its datapoint.
        case window
        /// The value of its day falls, and those of other days of its goal rise first.
        case order
        /// An earlier request may still be applied, or the next value of a day comes too soon.
        case time(Monotonic)

        var time: Monotonic? { if case .time(let time) = self { time } else { nil } }
    }

    /// The moment of the input that is being processed.
    var now = Monotonic(milliseconds: .min)
    private var reasons: [SequenceNumber: Reason] = [:]
    /// When the first event is due that waits for a time; nil when none does.
    private(set) var nextDue: Monotonic?
    /// How many wait for each reason but a time: each turn looks for them.
    private var counts: [Reason: Int] = [:]

    /// Why an event waits; nil when it does not.
    subscript(_ event: SequenceNumber) -> Reason? {
        get { reasons.isEmpty ? nil : reasons[event] }
        set {
            guard newValue != nil || !reasons.isEmpty else { return }
            let before = reasons[event]
            reasons[event] = newValue
            if let before { count(before, -1) }
            if let newValue { count(newValue, 1) }
            if let time = before?.time, time == nextDue {
                nextDue = reasons.values.lazy.compactMap(\.time).min()
            } else {
                nextDue = Monotonic.soonest(nextDue, newValue?.time)
            }
        }
    }

    private mutating func count(_ reason: Reason, _ step: Int) {
        guard reason.time == nil else { return }
        let count = (counts[reason] ?? 0) + step
        counts[reason] = count == 0 ? nil : count
    }

    /// The events that wait for a time, in order.
    var timed: [SequenceNumber] {
        reasons.filter { $0.value.time != nil }.map(\.key).sorted()
    }

    /// The events that are due, in order.
    var due: [SequenceNumber] {
        guard let nextDue, nextDue <= now else { return [] }
        return reasons.filter { $0.value.time.map { $0 <= now } ?? false }.map(\.key).sorted()
    }

    /// The events that wait for something else than a time, in order.
    var untimed: [SequenceNumber] {
        counts.isEmpty ? [] : reasons.filter { $0.value.time == nil }.map(\.key).sorted()
    }

    /// The events that wait for this reason, in order.
    func events(for reason: Reason) -> [SequenceNumber] {
        guard !counts.isEmpty, counts[reason] != nil else { return [] }
        return reasons.filter { $0.value == reason }.map(\.key).sorted()
    }

    /// How many wait for this reason, which is no time.
    func count(for reason: Reason) -> Int { counts[reason] ?? 0 }
}

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
        guard placements.count > Placements.few else { return }
        placements = placements.filter {
            $0.value.isInDoubt(at: now) || $0.value.isKnownAbsent || $0.value.isOutOfReach
        }
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

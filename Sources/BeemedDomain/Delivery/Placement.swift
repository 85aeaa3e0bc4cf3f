/// The possible content of a datapoint at a goal.
///
/// A request may be applied when nobody waits for its answer any more: a proxy that answers 504
/// does not stop the server behind it. So a confirmed content is final only when no request with
/// other content can follow; otherwise the goal is asked again when none can come any more.
struct Placement: Sendable, Equatable {
    /// The content that requests set. Nil stands for no datapoint, which a deletion brings.
    struct Content: Sendable, Hashable {
        var value: Double
        var comment: String
    }

    /// The step that is due for a datapoint at a goal.
    enum Step: Sendable, Equatable {
        case rest
        /// The datapoint is to be sent or deleted.
        case request
        /// The content is as wanted, and an earlier request may still be applied until then.
        case wait(until: Monotonic)
    }

    /// Beeminder's last statement.
    private enum Known: Sendable, Equatable {
        case unknown
        case confirmed(Content?)
    }

    private var known: Known
    /// The contents that requests without an answer may still bring; nil for any content: an earlier
    /// process has sent them.
    private var doubts: Set<Content?>? = []
    /// When none of them can be applied any more.
    private(set) var until = Monotonic(milliseconds: .min)
    /// Whether the goal is archived: it can be asked again when a list has it.
    var isOutOfReach = false

    /// How long a request may be applied after it was given up, in seconds.
    static let watchSeconds = 120.0

    /// A datapoint that was sent, with an answer to each request.
    static let unknown = Placement(known: .unknown)

    /// A datapoint about which an earlier process may have sent anything.
    static func unknown(until end: Monotonic) -> Placement {
        Placement(known: .unknown, doubts: nil, until: end)
    }

    /// A datapoint about which an earlier process may have sent nothing but this content.
    static func unknown(until end: Monotonic, besides content: Content) -> Placement {
        Placement(known: .unknown, doubts: [content], until: end)
    }

    /// The rule.
    func step(toward want: Content?, at now: Monotonic) -> Step {
        if isOutOfReach { return .rest }
        guard known == .confirmed(want) else { return .request }
        if isFinal(want) { return .rest }
        return until <= now ? .request : .wait(until: until)
    }

    /// Whether Beeminder has this, and nothing else can come.
    func isFinal(_ want: Content?) -> Bool {
        known == .confirmed(want) && doubts?.isSubset(of: [want]) == true
    }

    /// Whether Beeminder has told that there is no datapoint.
    var isKnownAbsent: Bool { known == .confirmed(nil) }

    /// Whether a request may still be applied.
    func isInDoubt(at now: Monotonic) -> Bool { now < until && doubts != [] }

    /// A request was not answered, or not clearly.
    mutating func recordUnanswered(_ content: Content?, at now: Monotonic) {
        known = .unknown
        doubts?.insert(content)
        until = max(until, now.adding(seconds: Placement.watchSeconds))
    }

    /// Beeminder has confirmed a content.
    ///
    /// - Parameter sent: when the request was sent. If nothing older could come behind it then, its
    ///   answer ends all doubts.
    mutating func confirm(_ content: Content?, sent: Monotonic) {
        (known, isOutOfReach) = (.confirmed(content), false)
        if until <= sent { doubts = [] }
    }
}

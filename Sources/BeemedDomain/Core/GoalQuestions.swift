/// Requests that wait for Beeminder's answer whether a goal exists, and the answers of late.
struct GoalQuestions: Sendable {
    /// A request that waits.
    struct Question: Sendable {
        enum Subject: Sendable {
            /// A press, and when it arrived.
            case press(Press, Moment)
            /// A retry of an event to that goal.
            case retry(EventKey)
            /// Only the question itself.
            case goal
        }

        var subject: Subject
        var goal: GoalSlug
        var replyID: ReplyID
        /// The fetch that answers it, as counted by `GoalRefresh`: an earlier one may have missed
        /// the goal.
        var fetch: Int
        var until: Monotonic
    }

    /// The open questions, sorted by the end of their wait.
    private var open: [Question] = []
    /// Names that Beeminder has just rejected, each with the end of the period of local refusal.
    private var missing: [GoalSlug: Monotonic] = [:]
    /// Names outside of the list to which presses were accepted.
    private(set) var unlisted: Set<GoalSlug> = []
    /// When the list unexpectedly became empty.
    private var emptySince: Monotonic?

    /// How long a name that Beeminder does not know is refused without asking again, in seconds.
    private static let missingSeconds = 15.0
    /// The maximum number of accepted goals that are in no list. Users do not create so many goals
    /// during an outage, and a device that invents names must not fill the journal.
    static let mostUnlisted = 64
    /// The maximum number of names remembered as unknown.
    private static let mostMissing = 1_000
    /// The seconds for which an unexpectedly empty list must stay empty before it is trusted.
    static let emptySeconds = 60.0

    /// The end of the first question's wait.
    var nextEnd: Monotonic? { open.first?.until }

    mutating func add(_ question: Question) { open.append(question) }

    mutating func takeAll() -> [Question] {
        defer { open = [] }
        return open
    }

    /// The questions that have waited too long.
    mutating func takeLate(at now: Monotonic) -> [Question] {
        guard let first = open.first, first.until <= now else { return [] }
        let late = open.prefix { $0.until <= now }
        open.removeFirst(late.count)
        return Array(late)
    }

    /// Whether Beeminder has just denied that a goal exists.
    func isMissing(_ goal: GoalSlug, at now: Monotonic) -> Bool {
        missing[goal].map { now < $0 } ?? false
    }

    /// Beeminder denies that a goal exists.
    mutating func deny(_ goal: GoalSlug, at now: Monotonic) {
        missing[goal] = now.adding(seconds: GoalQuestions.missingSeconds)
    }

    /// A new list has arrived.
    ///
    /// - Parameter isKept: whether presses for an unlisted goal still wait.
    mutating func processList(keeping isKept: (GoalSlug) -> Bool) {
        unlisted = unlisted.filter(isKept)
        if missing.count > GoalQuestions.mostMissing { missing.removeAll() }
    }

    /// Whether presses to one more goal outside of the list can be accepted.
    var hasRoomForUnlisted: Bool { unlisted.count < GoalQuestions.mostUnlisted }

    /// Accepts presses to a goal outside of the list from now on.
    ///
    /// - Returns: false when too many such goals wait.
    mutating func accept(_ goal: GoalSlug) -> Bool {
        guard unlisted.contains(goal) || hasRoomForUnlisted else { return false }
        unlisted.insert(goal)
        return true
    }

    /// Whether a list may be an error of Beeminder: there were goals a moment ago.
    ///
    /// - Parameter isUnexpected: whether it is empty, and the last list of this user was not.
    mutating func isDoubtful(isUnexpected: Bool, at now: Monotonic) -> Bool {
        guard isUnexpected else {
            emptySince = nil
            return false
        }
        let since = emptySince ?? now
        emptySince = since
        return now < since.adding(seconds: GoalQuestions.emptySeconds)
    }
}

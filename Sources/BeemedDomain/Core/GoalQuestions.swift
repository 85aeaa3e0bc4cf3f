/// Requests that wait for Beeminder's answer whether a goal exists, and the answers of late.
final class GoalQuestions {
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
        var until: Monotonic
    }

    /// The open questions, sorted by the end of their wait.
    private var open: [Question] = []
    /// Names that Beeminder has denied, each with when it is asked about them again.
    private var missing: [GoalSlug: Monotonic] = [:]
    /// Names outside of the list to which presses were accepted.
    private(set) var unlisted: Set<GoalSlug> = []
    /// The names that the request under way, or the last one, asks for besides the list.
    private var asked: [GoalSlug] = []

    /// How long a name that Beeminder does not know is refused without asking again, in seconds.
    private static let missingSeconds = 15.0
    /// The maximum number of accepted goals that are in no list. Users do not create so many goals
    /// during an outage, and a device that invents names must not fill the journal.
    static let maxUnlisted = 64
    /// The maximum number of names that one request asks for: each is a call of its own, and a
    /// device waits for all of them.
    static let maxNames = 8
    /// The maximum number of names remembered as unknown.
    private static let maxMissing = 1_000

    /// The end of the first question's wait.
    var nextEnd: Monotonic? { open.first?.until }

    func add(_ question: Question) { open.append(question) }

    /// The names that a request asks for if the list leaves them out: of those who wait for it
    /// first, then of presses that were accepted.
    func takeNames() -> [GoalSlug] {
        var seen: Set<GoalSlug> = []
        let others = unlisted.sortedByName
        let all = open.map(\.goal) + others
        asked = Array(all.filter { seen.insert($0).inserted }.prefix(GoalQuestions.maxNames))
        return asked
    }

    /// Whether the last answer tells of a goal, if the list leaves it out.
    func wasAsked(for goal: GoalSlug) -> Bool { asked.contains(goal) }

    /// Whether questions are left that the last answer could not have answered, for their number.
    var hasMoreNames: Bool { !open.isEmpty && asked.count == GoalQuestions.maxNames }

    /// The questions whose wait ends until then.
    func take(until time: Monotonic = Monotonic(milliseconds: .max)) -> [Question] {
        let late = open.prefix { $0.until <= time }
        open.removeFirst(late.count)
        return Array(late)
    }

    /// Whether Beeminder has just denied that a goal exists.
    func isMissing(_ goal: GoalSlug, at now: Monotonic) -> Bool {
        missing[goal].map { now < $0 } ?? false
    }

    /// A person asks for the goals anew: what was denied may be asked about at once.
    func askAnew() { missing = [:] }

    /// Beeminder denies that a goal exists.
    func deny(_ goal: GoalSlug, at now: Monotonic) {
        missing[goal] = now.adding(seconds: GoalQuestions.missingSeconds)
        unlisted.remove(goal)
    }

    /// A new list has arrived.
    func processList(keeping isKept: (GoalSlug) -> Bool) {
        unlisted = unlisted.filter(isKept)
        if missing.count > GoalQuestions.maxMissing { missing.removeAll() }
    }

    /// Whether presses to a goal outside of the list can wait.
    func hasRoom(for goal: GoalSlug) -> Bool {
        unlisted.count < GoalQuestions.maxUnlisted || unlisted.contains(goal)
    }

    /// Allows presses to a goal outside of the list from now on, if there is room.
    func allow(_ goal: GoalSlug) {
        if hasRoom(for: goal) { unlisted.insert(goal) }
    }
}

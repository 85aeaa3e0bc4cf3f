/// A goal that is not in the list may be newer than the list, so Beeminder is asked before a press
/// is refused. A device waits only seconds for an answer: if Beeminder does not answer in time, the
/// press is accepted and queued, since a refused press may be lost.
extension RelayCore {
    /// The state of knowledge about a goal's existence.
    enum Existence {
        /// The goal is in the list, or there is no list yet, or the goal was accepted without one.
        case known
        /// Beeminder has just denied the goal.
        case denied
        /// The goal is not in the list, and Beeminder can be asked.
        case unlisted
        /// The goal is not in the list, and Beeminder cannot be asked now. A press is accepted, and
        /// the goal recorded as one without a list.
        case unanswered
    }

    /// The longest wait of a device, in seconds: many give up after three.
    static let askSeconds = 2.5

    @inline(__always)
    func existence(of goal: GoalSlug, _ now: Moment) -> Existence {
        guard goals.isKnown, !goals.holds(goals.current(goal)), !questions.unlisted.contains(goal)
        else { return .known }
        if questions.isMissing(goal, at: now.monotonic) { return .denied }
        return refresh.isFailing || delivery.remote != .open ? .unanswered : .unlisted
    }

    /// Whether a request about a goal may go on now. Otherwise it is refused, or waits for
    /// Beeminder's answer.
    func mayUse(
        _ goal: GoalSlug, for subject: GoalQuestions.Question.Subject, _ replyID: ReplyID,
        _ now: Moment, _ effects: inout Effects
    ) -> Bool {
        switch existence(of: goal, now) {
        case .known: return true
        case .unanswered:
            allow(goal, for: subject)
            return true
        case .unlisted: ask(subject, goal, replyID, now, &effects)
        case .denied: effects.refuse(replyID, unknownGoal(goal, for: subject))
        }
        return false
    }

    /// Presses to a goal outside of the list are accepted from now on, if one is.
    private func allow(_ goal: GoalSlug, for subject: GoalQuestions.Question.Subject) {
        if case .goal = subject { return }
        if goals.isKnown { questions.allow(goal) }
    }

    /// The refusal, with the goal of a similar name unless a press wants none.
    func unknownGoal(
        _ goal: GoalSlug, for subject: GoalQuestions.Question.Subject
    ) -> Refusal {
        var wantsSuggestion = true
        if case .press(let press, _) = subject { wantsSuggestion = press.wantsSuggestion }
        return .unknownGoal(goal, suggestion: wantsSuggestion ? goals.suggestion(for: goal) : nil)
    }

    /// Delays the reply until Beeminder has answered. A fetch answers all questions asked before it
    /// begins. If so many were asked recently that the next fetch is too late, no reply waits for
    /// that: otherwise thousands of mistyped names in one request would wait one after the other.
    private func ask(
        _ subject: GoalQuestions.Question.Subject, _ goal: GoalSlug, _ replyID: ReplyID,
        _ now: Moment, _ effects: inout Effects
    ) {
        refresh.doubt(at: now.monotonic)
        let question = GoalQuestions.Question(
            subject: subject, goal: goal, replyID: replyID,
            until: now.monotonic.adding(seconds: RelayCore.askSeconds))
        if let next = refresh.wake, next > question.until {
            return proceed(with: question, now, &effects)
        }
        questions.add(question)
    }

    /// Whether a press to this goal would be refused or would wait for Beeminder: for requests that
    /// do not wait, such as dry runs and totals of days.
    package func isUnknown(_ goal: GoalSlug, at now: Moment) -> Bool {
        [.denied, .unlisted].contains(existence(of: goal, now))
    }

    // MARK: Answers

    /// A list has arrived: continues the requests for goals in it, and refuses those whose names
    /// were asked for and denied. The others wait for the next one.
    ///
    /// - Parameter unclear: goals that were asked for by name, without a clear answer.
    func answerQuestions(
        _ unclear: Set<GoalSlug>, _ now: Moment, _ effects: inout Effects
    ) {
        settleUnlisted(besides: unclear, now)
        for question in questions.takeAll() {
            let goal = question.goal
            if goals.holds(goals.current(goal)) {
                resume(question, now, &effects)
            } else if unclear.contains(goal) {
                proceed(with: question, now, &effects)
            } else if questions.wasAsked(for: goal) {
                questions.deny(goal, at: now.monotonic)
                refuse(question, &effects)
            } else {
                questions.add(question)
            }
        }
        if questions.hasMoreNames { refresh.doubt(at: now.monotonic) }
    }

    /// Presses may have been accepted to goals that neither the list nor their names have. They are
    /// held until a person acts or the goal exists; further ones are refused like any other.
    private func settleUnlisted(besides unclear: Set<GoalSlug>, _ now: Moment) {
        let denied = questions.unlisted.filter { goal in
            questions.wasAsked(for: goal) && !goals.holds(goal) && !unclear.contains(goal)
        }
        for goal in denied { questions.deny(goal, at: now.monotonic) }
        questions.processList { delivery.queues[$0] != nil && !goals.holds($0) }
    }

    /// Beeminder does not answer: the requests are accepted.
    func proceedWithoutAnswer(_ now: Moment, _ effects: inout Effects) {
        for question in questions.takeAll() { proceed(with: question, now, &effects) }
    }

    /// The same for requests that have waited too long.
    func acceptLateQuestions(_ now: Moment, _ effects: inout Effects) {
        for question in questions.takeLate(at: now.monotonic) {
            proceed(with: question, now, &effects)
        }
    }

    private func refuse(_ question: GoalQuestions.Question, _ effects: inout Effects) {
        effects.refuse(question.replyID, unknownGoal(question.goal, for: question.subject))
    }

    private func proceed(
        with question: GoalQuestions.Question, _ now: Moment, _ effects: inout Effects
    ) {
        allow(question.goal, for: question.subject)
        resume(question, now, &effects)
    }

    /// The press is accepted with the time of its arrival.
    private func resume(
        _ question: GoalQuestions.Question, _ now: Moment, _ effects: inout Effects
    ) {
        switch question.subject {
        case .press(let press, let arrival):
            accept(press, question.replyID, arrival, isGoalChecked: true, &effects)
        case .retry(let key):
            retry(key, question.goal, question.replyID, now, isGoalChecked: true, &effects)
        case .goal: effects.reply(question.replyID, .usable(question.goal))
        }
    }
}

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

    mutating func add(_ question: Question) { open.append(question) }

    /// The names that a request asks for if the list leaves them out: of those who wait for it
    /// first, then of presses that were accepted.
    mutating func takeNames() -> [GoalSlug] {
        var seen: Set<GoalSlug> = []
        let others = unlisted.sorted { $0.description < $1.description }
        let all = open.map(\.goal) + others
        asked = Array(all.filter { seen.insert($0).inserted }.prefix(GoalQuestions.maxNames))
        return asked
    }

    /// Whether the last answer tells of a goal, if the list leaves it out.
    func wasAsked(for goal: GoalSlug) -> Bool { asked.contains(goal) }

    /// Whether questions are left that the last answer could not have answered, for their number.
    var hasMoreNames: Bool { !open.isEmpty && asked.count == GoalQuestions.maxNames }

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

    /// A person asks for the goals anew: what was denied may be asked about at once.
    mutating func askAnew() { missing = [:] }

    /// Beeminder denies that a goal exists.
    mutating func deny(_ goal: GoalSlug, at now: Monotonic) {
        missing[goal] = now.adding(seconds: GoalQuestions.missingSeconds)
        unlisted.remove(goal)
    }

    /// A new list has arrived.
    ///
    /// - Parameter isKept: whether presses for an unlisted goal still wait.
    mutating func processList(keeping isKept: (GoalSlug) -> Bool) {
        unlisted = unlisted.filter(isKept)
        if missing.count > GoalQuestions.maxMissing { missing.removeAll() }
    }

    /// Whether presses to a goal outside of the list can wait.
    func hasRoom(for goal: GoalSlug) -> Bool {
        unlisted.count < GoalQuestions.maxUnlisted || unlisted.contains(goal)
    }

    /// Allows presses to a goal outside of the list from now on, if there is room.
    mutating func allow(_ goal: GoalSlug) {
        if hasRoom(for: goal) { unlisted.insert(goal) }
    }
}

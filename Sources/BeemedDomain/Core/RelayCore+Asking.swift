/// A goal that is not in the list may be newer than the list, so Beeminder is asked before anybody
/// is refused. A device waits only seconds for an answer: when Beeminder does not say in time, the
/// press is accepted and waits, since a press that was refused may be lost.
extension RelayCore {
    /// Whether something can be logged to a goal.
    enum Standing {
        /// It is in the list, or nobody can say that it is not a goal.
        case usable
        /// It is not in the list: Beeminder is to be asked.
        case open
        /// Beeminder has just said that there is no such goal, or too many such goals wait.
        case unknown
    }

    /// What waits for Beeminder to say whether there is such a goal.
    struct Question: Sendable {
        enum Subject: Sendable {
            /// A press, and when it came.
            case press(Press, Moment)
            /// Somebody wants an event at that goal.
            case retry(EventKey)
            /// Somebody wants to know, and nothing else.
            case goal
        }

        var subject: Subject
        var goal: GoalSlug
        var replyID: ReplyID
        /// The fetch that answers it, as `GoalRefresh` counts them: one that was under way before
        /// may have missed the goal.
        var fetch: Int
        var until: Monotonic
    }

    /// How long a device is kept waiting, in seconds: many give up after three.
    static let askSeconds = 2.5
    /// How long a name that Beeminder does not know is refused without asking again, in seconds.
    static let missingSeconds = 15.0
    /// Names of goals that are in no list and are accepted all the same, at most. Nobody makes so
    /// many goals during an outage; a device that makes up names must not fill the journal.
    static let mostUnlisted = 64
    /// Names that are remembered as unknown, at most.
    static let mostMissing = 1_000
    /// A list that is suddenly empty is believed when it is still so after so many seconds.
    static let emptySeconds = 60.0

    mutating func standing(of goal: GoalSlug, _ now: Moment) -> Standing {
        guard goals.isKnown, !goals.holds(goals.current(goal)) else { return .usable }
        if unlisted.contains(goal) { return .usable }
        if let until = missing[goal], now.monotonic < until { return .unknown }
        return isSilent ? acceptUnlisted(goal) : .open
    }

    /// Whether it is known that Beeminder cannot be asked now.
    private var isSilent: Bool { refresh.isFailing || delivery.remote != .open }

    private mutating func acceptUnlisted(_ goal: GoalSlug) -> Standing {
        guard unlisted.contains(goal) || unlisted.count < RelayCore.mostUnlisted else {
            return .unknown
        }
        unlisted.insert(goal)
        return .usable
    }

    /// - Parameter suggests: whether to look for a goal with a similar name.
    func unknownGoal(_ goal: GoalSlug, suggests: Bool = true) -> Reply {
        .unknownGoal(goal, suggestion: suggests ? goals.suggestion(for: goal) : nil)
    }

    private func refusal(of question: Question) -> Reply {
        guard case .press(let press, _) = question.subject else {
            return unknownGoal(question.goal)
        }
        return unknownGoal(question.goal, suggests: press.wantsSuggestion)
    }

    /// Keeps the asker waiting until Beeminder has said. One fetch answers all who ask before it
    /// begins. When so many were asked for of late that the next fetch comes too late, nobody
    /// waits for it: thousands of mistyped names in one request would wait one after the other.
    mutating func ask(
        _ subject: Question.Subject, _ goal: GoalSlug, _ replyID: ReplyID, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        refresh.doubt(at: now.monotonic)
        let question = Question(
            subject: subject, goal: goal, replyID: replyID, fetch: refresh.fetches + 1,
            until: now.monotonic.adding(seconds: RelayCore.askSeconds))
        if let next = refresh.wake, next > question.until {
            return accept(question, now, &effects)
        }
        questions.append(question)
    }

    /// Whether a press to this goal would be refused: what a dry run says, which waits for nobody.
    package func isUnknown(_ goal: GoalSlug) -> Bool {
        guard goals.isKnown, !goals.holds(goals.current(goal)), !unlisted.contains(goal) else {
            return false
        }
        return !isSilent || unlisted.count >= RelayCore.mostUnlisted
    }

    /// Says whether there is such a goal; asks Beeminder before it says no.
    mutating func lookFor(
        _ goal: GoalSlug, _ replyID: ReplyID, _ now: Moment, _ effects: inout [Effect]
    ) {
        let isUsable =
            !goals.isKnown || goals.holds(goals.current(goal)) || unlisted.contains(goal)
        if !isUsable, let until = missing[goal], now.monotonic < until {
            effects.append(.reply(replyID, unknownGoal(goal)))
        } else if isUsable || isSilent {
            effects.append(.reply(replyID, .usable(goal)))
        } else {
            ask(.goal, goal, replyID, now, &effects)
        }
    }

    // MARK: What came of it

    /// A list has come: who asked for a goal in it goes on, and who asked before it was fetched for
    /// one that is not in it is refused.
    mutating func answerQuestions(_ now: Moment, _ effects: inout [Effect]) {
        unlisted = unlisted.filter { delivery.queues[$0] != nil && !goals.holds($0) }
        let all = questions
        questions = []
        if missing.count > RelayCore.mostMissing { missing.removeAll() }
        for question in all {
            if goals.holds(goals.current(question.goal)) {
                goOn(question, now, &effects)
            } else if question.fetch <= refresh.fetches {
                let until = now.monotonic.adding(seconds: RelayCore.missingSeconds)
                missing[question.goal] = until
                effects.append(.reply(question.replyID, refusal(of: question)))
            } else {
                questions.append(question)
            }
        }
    }

    /// Beeminder does not say: what was asked for is accepted.
    mutating func acceptQuestions(_ now: Moment, _ effects: inout [Effect]) {
        let all = questions
        questions = []
        for question in all { accept(question, now, &effects) }
    }

    /// The same for those whose time is over.
    mutating func acceptLateQuestions(_ now: Moment, _ effects: inout [Effect]) {
        // They are in the order in which their time ends.
        guard let first = questions.first, first.until <= now.monotonic else { return }
        let late = questions.filter { $0.until <= now.monotonic }
        questions.removeAll { $0.until <= now.monotonic }
        for question in late { accept(question, now, &effects) }
    }

    private mutating func accept(
        _ question: Question, _ now: Moment, _ effects: inout [Effect]
    ) {
        switch question.subject {
        case .press, .retry:
            if goals.isKnown, case .unknown = acceptUnlisted(question.goal) {
                return effects.append(.reply(question.replyID, refusal(of: question)))
            }
        case .goal: break
        }
        goOn(question, now, &effects)
    }

    /// The press is taken as of when it came.
    private mutating func goOn(
        _ question: Question, _ now: Moment, _ effects: inout [Effect]
    ) {
        switch question.subject {
        case .press(let press, let arrival):
            take(press, question.replyID, arrival, isAsked: true, &effects)
        case .retry(let key):
            retry(key, question.goal, question.replyID, now, isAsked: true, &effects)
        case .goal: effects.append(.reply(question.replyID, .usable(question.goal)))
        }
    }

    // MARK: Lists that are suddenly empty

    /// Whether a list may be a mistake of Beeminder's: there were goals a moment ago.
    mutating func isDoubtful(_ list: [Goal], of user: UpstreamUser, _ now: Moment) -> Bool {
        guard list.isEmpty, !goals.goals.isEmpty, user.name == goals.user else {
            emptySince = nil
            return false
        }
        let since = emptySince ?? now.monotonic
        emptySince = since
        return now.monotonic < since.adding(seconds: RelayCore.emptySeconds)
    }
}

/// A goal that is not in the list may be newer than the list, so Beeminder is asked before a press
/// is refused. A device waits only seconds for an answer: if Beeminder does not answer in time, the
/// press is accepted and queued, since a refused press may be lost.
extension RelayCore {
    /// Whether a press to a goal can be accepted.
    enum Standing {
        /// It is in the list, or its existence cannot be excluded.
        case usable
        /// It is not in the list: Beeminder must be asked.
        case open
        /// Beeminder has just denied that it exists, or too many such goals wait.
        case unknown
    }

    /// A request that waits for Beeminder's answer whether a goal exists.
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

    /// The longest wait of a device, in seconds: many give up after three.
    static let askSeconds = 2.5
    /// How long a name that Beeminder does not know is refused without asking again, in seconds.
    static let missingSeconds = 15.0
    /// The maximum number of accepted goals that are in no list. Users do not create so many goals
    /// during an outage, and a device that invents names must not fill the journal.
    static let mostUnlisted = 64
    /// The maximum number of names remembered as unknown.
    static let mostMissing = 1_000
    /// The seconds for which an unexpectedly empty list must stay empty before it is trusted.
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

    /// - Parameter suggests: whether to search for a goal with a similar name.
    func unknownGoal(_ goal: GoalSlug, suggests: Bool = true) -> Reply {
        .unknownGoal(goal, suggestion: suggests ? goals.suggestion(for: goal) : nil)
    }

    private func refusal(of question: Question) -> Reply {
        guard case .press(let press, _) = question.subject else {
            return unknownGoal(question.goal)
        }
        return unknownGoal(question.goal, suggests: press.wantsSuggestion)
    }

    /// Delays the reply until Beeminder has answered. One fetch answers all questions asked before
    /// it begins. If so many were asked recently that the next fetch is too late, no reply waits
    /// for it: otherwise thousands of mistyped names in one request would wait one after the other.
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

    /// Whether a press to this goal would be refused: for a dry run, which does not wait.
    package func isUnknown(_ goal: GoalSlug) -> Bool {
        guard goals.isKnown, !goals.holds(goals.current(goal)), !unlisted.contains(goal) else {
            return false
        }
        return !isSilent || unlisted.count >= RelayCore.mostUnlisted
    }

    /// Replies whether a goal exists; asks Beeminder before it denies it.
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

    // MARK: Answers

    /// A list has arrived: continues the requests for goals in it, and refuses those for other
    /// goals that were made before the fetch began.
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

    /// Beeminder does not answer: the requests are accepted.
    mutating func acceptQuestions(_ now: Moment, _ effects: inout [Effect]) {
        let all = questions
        questions = []
        for question in all { accept(question, now, &effects) }
    }

    /// The same for requests that have waited too long.
    mutating func acceptLateQuestions(_ now: Moment, _ effects: inout [Effect]) {
        // They are sorted by the end of their wait.
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

    /// The press is accepted with the time of its arrival.
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

    // MARK: Unexpectedly empty lists

    /// Whether a list may be an error of Beeminder: there were goals a moment ago.
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

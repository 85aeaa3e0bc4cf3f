/// A goal that is not in the list may be newer than the list, so Beeminder is asked before a press
/// is refused. A device waits only seconds for an answer: if Beeminder does not answer in time, the
/// press is accepted and queued, since a refused press may be lost.
extension RelayCore {
    /// Whether a press to a goal can be accepted.
    enum Standing {
        /// The goal is in the list, or its existence cannot be excluded.
        case usable
        /// The goal is not in the list: Beeminder must be asked.
        case open
        /// Beeminder has just denied that the goal exists.
        case unknown
    }

    /// The state of knowledge about a goal's existence.
    private enum Existence {
        /// The goal is in the list, or there is no list yet, or the goal was accepted without one.
        case known
        /// Beeminder has just denied the goal.
        case denied
        /// The goal is not in the list, and Beeminder can be asked.
        case unlisted
        /// The goal is not in the list, and Beeminder cannot be asked now.
        case silent
    }

    /// The longest wait of a device, in seconds: many give up after three.
    static let askSeconds = 2.5

    @inline(__always)
    private func existence(of goal: GoalSlug, _ now: Moment) -> Existence {
        guard goals.isKnown, !goals.holds(goals.current(goal)), !questions.unlisted.contains(goal)
        else { return .known }
        if questions.isMissing(goal, at: now.monotonic) { return .denied }
        return refresh.isFailing || delivery.remote != .open ? .silent : .unlisted
    }

    /// Whether a press can be accepted now. A goal that Beeminder cannot be asked about is recorded
    /// as accepted without a list.
    func standing(of goal: GoalSlug, _ now: Moment) -> Standing {
        switch existence(of: goal, now) {
        case .known: return .usable
        case .denied: return .unknown
        case .unlisted: return .open
        case .silent:
            questions.allow(goal)
            return .usable
        }
    }

    /// - Parameter suggests: whether to search for a goal with a similar name.
    func unknownGoal(_ goal: GoalSlug, suggests: Bool = true) -> Refusal {
        .unknownGoal(goal, suggestion: suggests ? goals.suggestion(for: goal) : nil)
    }

    private func refusal(of question: GoalQuestions.Question) -> Refusal {
        guard case .press(let press, _) = question.subject else {
            return unknownGoal(question.goal)
        }
        return unknownGoal(question.goal, suggests: press.wantsSuggestion)
    }

    /// Delays the reply until Beeminder has answered. A fetch answers all questions asked before it
    /// begins. If so many were asked recently that the next fetch is too late, no reply waits for
    /// that: otherwise thousands of mistyped names in one request would wait one after the other.
    func ask(
        _ subject: GoalQuestions.Question.Subject, _ goal: GoalSlug, _ replyID: ReplyID,
        _ now: Moment,
        _ effects: inout Effects
    ) {
        refresh.doubt(at: now.monotonic)
        let question = GoalQuestions.Question(
            subject: subject, goal: goal, replyID: replyID, fetch: refresh.fetches + 1,
            until: now.monotonic.adding(seconds: RelayCore.askSeconds))
        if let next = refresh.wake, next > question.until {
            return goOnUnanswered(question, now, &effects)
        }
        questions.add(question)
    }

    /// Whether a press to this goal would be refused or would wait for Beeminder: for requests that
    /// do not wait, such as dry runs and totals of days.
    package func isUnknown(_ goal: GoalSlug, at now: Moment) -> Bool {
        switch existence(of: goal, now) {
        case .known, .silent: false
        case .denied, .unlisted: true
        }
    }

    /// Replies whether a goal exists; asks Beeminder before denying that.
    func checkExistence(
        of goal: GoalSlug, _ replyID: ReplyID, _ now: Moment, _ effects: inout Effects
    ) {
        switch existence(of: goal, now) {
        case .known, .silent: effects.reply(replyID, .usable(goal))
        case .denied: effects.refuse(replyID, unknownGoal(goal))
        case .unlisted: ask(.goal, goal, replyID, now, &effects)
        }
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
        var hasMoreNames = false
        for question in questions.takeAll() {
            let goal = question.goal
            if goals.holds(goals.current(goal)) {
                resume(question, now, &effects)
            } else if unclear.contains(goal) {
                proceed(with: question, now, &effects)
            } else if questions.isMissing(goal, at: now.monotonic) {
                effects.refuse(question.replyID, refusal(of: question))
            } else if question.fetch <= refresh.fetches, questions.wasAsked(for: goal) {
                questions.deny(goal, at: now.monotonic)
                effects.refuse(question.replyID, refusal(of: question))
            } else {
                hasMoreNames = hasMoreNames || question.fetch <= refresh.fetches
                questions.add(question)
            }
        }
        if hasMoreNames { refresh.doubt(at: now.monotonic) }
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
    func acceptQuestions(_ now: Moment, _ effects: inout Effects) {
        for question in questions.takeAll() { proceed(with: question, now, &effects) }
    }

    /// The same for requests that have waited too long.
    func acceptLateQuestions(_ now: Moment, _ effects: inout Effects) {
        for question in questions.takeLate(at: now.monotonic) {
            goOnUnanswered(question, now, &effects)
        }
    }

    /// Accepts a request that cannot wait any longer. If the goal is not asked about because others
    /// were, and not because Beeminder is silent, Beeminder's last answer on the name counts.
    private func goOnUnanswered(
        _ question: GoalQuestions.Question, _ now: Moment, _ effects: inout Effects
    ) {
        guard !refresh.isAsking, questions.wasMissing(question.goal, at: now.monotonic) else {
            return proceed(with: question, now, &effects)
        }
        effects.refuse(question.replyID, refusal(of: question))
    }

    private func proceed(
        with question: GoalQuestions.Question, _ now: Moment, _ effects: inout Effects
    ) {
        switch question.subject {
        case .press, .retry: if goals.isKnown { questions.allow(question.goal) }
        case .goal: break
        }
        resume(question, now, &effects)
    }

    /// The press is accepted with the time of its arrival.
    private func resume(
        _ question: GoalQuestions.Question, _ now: Moment, _ effects: inout Effects
    ) {
        switch question.subject {
        case .press(let press, let arrival):
            accept(press, question.replyID, arrival, isAsked: true, &effects)
        case .retry(let key):
            retry(key, question.goal, question.replyID, now, isAsked: true, &effects)
        case .goal: effects.reply(question.replyID, .usable(question.goal))
        }
    }

    // MARK: Unexpectedly empty lists

    /// Whether a list may be an error of Beeminder: there were goals a moment ago.
    func isDoubtful(_ list: [Goal], _ now: Moment) -> Bool {
        let isUnexpected = list.isEmpty && !goals.goals.isEmpty
        return questions.isDoubtful(isUnexpected: isUnexpected, at: now.monotonic)
    }
}

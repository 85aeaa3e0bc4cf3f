/// A goal that is not in the list may be newer than the list, so Beeminder is asked before a press
/// is refused. A device waits only seconds for an answer: if Beeminder does not answer in time, the
/// press is accepted and queued, since a refused press may be lost.
package struct GoalLookup {
    let core: RelayCore

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
        guard core.goals.isKnown, !core.goals.holds(core.goals.current(goal)),
            !core.questions.unlisted.contains(goal)
        else { return .known }
        if core.questions.isMissing(goal, at: now.monotonic) { return .denied }
        return core.refresh.isFailing || core.delivery.remote != .open ? .unanswered : .unlisted
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
        if core.goals.isKnown { core.questions.allow(goal) }
    }

    /// The refusal, with the goal of a similar name unless a press wants none.
    func unknownGoal(
        _ goal: GoalSlug, for subject: GoalQuestions.Question.Subject
    ) -> Refusal {
        var wantsSuggestion = true
        if case .press(let press, _) = subject { wantsSuggestion = press.wantsSuggestion }
        return .unknownGoal(
            goal, suggestion: wantsSuggestion ? core.goals.suggestion(for: goal) : nil)
    }

    /// Delays the reply until Beeminder has answered. A fetch answers all questions asked before it
    /// begins. If so many were asked recently that the next fetch is too late, no reply waits for
    /// that: otherwise thousands of mistyped names in one request would wait one after the other.
    private func ask(
        _ subject: GoalQuestions.Question.Subject, _ goal: GoalSlug, _ replyID: ReplyID,
        _ now: Moment, _ effects: inout Effects
    ) {
        core.refresh.doubt(at: now.monotonic)
        let question = GoalQuestions.Question(
            subject: subject, goal: goal, replyID: replyID,
            until: now.monotonic.adding(seconds: GoalLookup.askSeconds))
        if let next = core.refresh.wake, next > question.until {
            return proceed(with: question, now, &effects)
        }
        core.questions.add(question)
    }

    /// Whether a press to this goal would be refused or would wait for Beeminder: for requests that
    /// do not wait, such as dry runs and totals of days.
    package func isUnknown(_ goal: GoalSlug, at now: Moment) -> Bool {
        [.denied, .unlisted].contains(existence(of: goal, now))
    }

    // MARK: Answers

    /// A list has arrived: continues the requests for goals in it, and refuses those whose names
    /// were asked for and denied. The others wait for the next one.
    func answerQuestions(
        _ unclear: Set<GoalSlug>, _ now: Moment, _ effects: inout Effects
    ) {
        settleUnlisted(besides: unclear, now)
        for question in core.questions.take() {
            let goal = question.goal
            if core.goals.holds(core.goals.current(goal)) {
                resume(question, now, &effects)
            } else if unclear.contains(goal) {
                proceed(with: question, now, &effects)
            } else if core.questions.wasAsked(for: goal) {
                core.questions.deny(goal, at: now.monotonic)
                effects.refuse(question.replyID, unknownGoal(goal, for: question.subject))
            } else {
                core.questions.add(question)
            }
        }
        if core.questions.hasMoreNames { core.refresh.doubt(at: now.monotonic) }
    }

    /// Presses may have been accepted to goals that neither the list nor their names have. They are
    /// held until a person acts or the goal exists; further ones are refused like any other.
    private func settleUnlisted(besides unclear: Set<GoalSlug>, _ now: Moment) {
        let denied = core.questions.unlisted.filter { goal in
            core.questions.wasAsked(for: goal) && !core.goals.holds(goal) && !unclear.contains(goal)
        }
        for goal in denied { core.questions.deny(goal, at: now.monotonic) }
        core.questions.processList { core.delivery.queues[$0] != nil && !core.goals.holds($0) }
    }

    /// Beeminder does not answer the requests that wait until then: they are accepted.
    func proceedWithoutAnswer(
        _ now: Moment, until time: Monotonic = Monotonic(milliseconds: .max),
        _ effects: inout Effects
    ) {
        for question in core.questions.take(until: time) { proceed(with: question, now, &effects) }
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
            core.accept(press, question.replyID, arrival, isGoalChecked: true, &effects)
        case .retry(let key):
            core.commands.retry(
                key, question.goal, question.replyID, now, isGoalChecked: true, &effects)
        case .goal: effects.reply(question.replyID, .usable(question.goal))
        }
    }
}

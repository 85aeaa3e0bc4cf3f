/// The account: whose folder it is, and under which goal names events are sent.
extension RelayCore {
    // MARK: The token

    /// Whether the goals in the book belong to the token's user. Others are not shown.
    var areGoalsOwn: Bool { account.isVerified && account.name == goals.user }

    /// Whether the user's time zone and the goals' deadlines are known. A test server that names no
    /// user uses UTC.
    var areDaysKnown: Bool { account.isNameless || (goals.isKnown && areGoalsOwn) }

    func connect(_ token: TokenUser, _ now: Moment, _ effects: inout Effects) {
        proceedWithoutAnswer(now, &effects)
        account.useAnother(isFetching: refresh.isAsking)
        let named: UpstreamUser? = if case .named(let user) = token { user } else { nil }
        var book = goals
        if named == nil || named?.name != goals.user { book.doubt() }
        if let named, claim(named, &effects) { book.learn(named) }
        goals = book
        delivery.connect()
        refresh.askNow()
        version += 1
    }

    /// Beeminder has named the user of the token.
    ///
    /// - Returns: whether this is the folder's user, who is recorded.
    private func claim(_ said: UpstreamUser, _ effects: inout Effects) -> Bool {
        let before = account.user
        let isOwn = account.claim(said)
        if let user = account.user, user != before { journal(.user(user), &effects) }
        return isOwn
    }

    /// The token's user takes over the folder, of whose user nothing waits. Settled events are
    /// forgotten; exports still have them.
    func takeOver(_ effects: inout Effects) {
        guard let user = account.other, canTakeOver, view.unsettledEvents == 0 else { return }
        journal(.user(account.takeOver(user, by: commits.next)), &effects)
        ledger.forgetAll()
        (merging, discardQuota, status, pins) = (Merging(), DeviceQuota(), DeliveryStatus(), [])
        goals = GoalBook(of: user)
        refresh.askNow()
        version += 1
    }

    /// Whether a new user can be written now: two users must never be on their way to the disk.
    private var canTakeOver: Bool { account.isRecorded && commits.deferred.isEmpty }

    /// Offers the folder to the token's user where nothing waits. Most relays have one user.
    @inline(__always)
    func offerFolder(_ effects: inout Effects) {
        guard account.isOther, canTakeOver, ledger.pendingCount == 0, ledger.refusedCount == 0
        else { return }
        effects.emit(.offerFolder)
    }

    // MARK: Goals

    func learn(
        _ answer: GoalAnswer, _ now: Moment, _ effects: inout Effects
    ) {
        if account.isFetchStale {
            // The fetch belongs to the token before.
            account.isFetchStale = false
            refresh.succeed(at: now.monotonic, isBusy: false)
            return refresh.askNow()
        }
        if let user = answer.user, !claim(user, &effects) {
            // Its goals are none of the folder's.
            refresh.succeed(at: now.monotonic, isBusy: false)
            version += 1
            return proceedWithoutAnswer(now, &effects)
        }
        var book = goals
        book.note(missedDeadlines: view.missedDeadlines(at: now))
        let (before, remote) = (book, delivery.remote)
        if let user = answer.user { book.learn(user) }
        goals = book
        apply(answer, besides: before, now, &effects)
        if delivery.remote != remote { version += 1 }
        guard !goals.says(theSameAs: before) else { return }
        version += 1
        effects.emit(.saveGoals(goals))
    }

    private func apply(
        _ answer: GoalAnswer, besides before: GoalBook, _ now: Moment, _ effects: inout Effects
    ) {
        switch answer {
        case .goals(let list, let user, let named):
            replaceGoals(list + named.found, of: user, besides: before, now)
            return answerQuestions(named.unclear, now, &effects)
        case .unchanged:
            refresh.succeed(at: now.monotonic, isBusy: false)
            delivery.processUser(at: now.monotonic)
        case .userOnly:
            refresh.fail(at: now.monotonic, &randomness)
            delivery.processUser(at: now.monotonic)
        case .noUser:
            refresh.fail(at: now.monotonic, &randomness)
            account.processNoUser()
            // Only a request for the goals themselves can show whether the token is valid.
            if delivery.isTokenDoubted { delivery.waitForPerson(at: now.monotonic) }
        case .unauthorized:
            let left = soonestSecondsLeft(now)
            let seconds = delivery.waitForPerson(at: now.monotonic, left: left)
            refresh.pause(at: now.monotonic, for: seconds)
        case .unclear, .unreachable:
            refresh.fail(at: now.monotonic, &randomness)
        }
        proceedWithoutAnswer(now, &effects)
    }

    private func replaceGoals(
        _ list: [Goal], of user: UpstreamUser, besides before: GoalBook, _ now: Moment
    ) {
        var book = goals
        book.replace(days.sortingOut(list), user: user, at: now.wall, before: commits.next)
        goals = book
        // A datapoint delivered meanwhile may be missing in the list; another list follows soon.
        if !refresh.isOvertaken {
            for (number, listing) in days.listed(list, at: now.wall) {
                ledger[number]?.observations.listing = listing
            }
        }
        refresh.succeed(at: now.monotonic, isBusy: goals.isUpstreamBusy)
        delivery.processUser(at: now.monotonic)
        tryAgain(newIn: before)
        tryFormerGoals()
    }

    /// Ends the delays of goals that exist again or have another name.
    private func tryAgain(newIn before: GoalBook) {
        followRenames()
        followTakenNames()
        for goal in delivery.queues.keys where goals[goal] != nil && before[goal] == nil {
            delivery.flush(goal)
        }
    }

    /// Looks for what was moved away from goals that were archived, and are in the list again.
    private func tryFormerGoals() {
        for entry in ledger.all where entry.isOutOfReach {
            for former in entry.recorded.leaving
            where goals.holds(goals.current(former.goal, in: former.by)) {
                entry.observations.placements[former.goal]?.isOutOfReach = false
            }
            schedule(entry)
        }
    }

    /// Moves the events of renamed goals, unless a request is under way there.
    func followRenames() {
        scheduleAll { goals.current($0) != $0 }
    }

    /// Looks again at the events in the queues of these goals.
    private func scheduleAll(where isMeant: (GoalSlug) -> Bool) {
        for (goal, queue) in delivery.queues where isMeant(goal) {
            for number in queue.waiting.prefix(queue.count) { schedule(number) }
        }
    }

    /// Moves events out of queues whose names belong to other goals now. No press to the new goal
    /// may join a datapoint of the former one.
    private func followTakenNames() {
        for entry in merging.open.compactMap({ ledger[$0] })
        where goals.goal(of: entry) != goals.current(entry.goal) { closeWindow(of: entry) }
        scheduleAll { goals.isTaken($0) }
        for number in waits.events(for: .goal) { schedule(number) }
    }
}

/// The account: whose folder it is, and under which goal names events are sent.
struct AccountChanges {
    let core: RelayCore

    // MARK: The token

    func connect(_ token: TokenUser, _ now: Moment, _ effects: inout Effects) {
        core.lookup.proceedWithoutAnswer(now, &effects)
        core.account.useAnother(isFetching: core.refresh.isAsking)
        let named: UpstreamUser? = if case .named(let user) = token { user } else { nil }
        var book = core.goals
        if named == nil || named?.name != core.goals.user { book.doubt() }
        if let named, claim(named, &effects) { book.learn(named) }
        core.goals = book
        core.delivery.connect()
        core.refresh.askNow()
        core.version += 1
    }

    /// Beeminder has named the user of the token.
    ///
    /// - Returns: whether this is the folder's user, who is recorded.
    private func claim(_ said: UpstreamUser, _ effects: inout Effects) -> Bool {
        let before = core.account.user
        let isOwn = core.account.claim(said)
        if let user = core.account.user, user != before { core.journal(.user(user), &effects) }
        return isOwn
    }

    /// The token's user takes over the folder, of whose user nothing waits. Settled events are
    /// forgotten; exports still have them.
    func takeOver(_ effects: inout Effects) {
        guard let user = core.account.other, canTakeOver, core.view.unsettledEvents == 0 else {
            return
        }
        core.journal(.user(core.account.takeOver(user, by: core.commits.next)), &effects)
        core.ledger.forgetAll()
        (core.windows, core.discardQuota) = (MergeWindows(), DeviceQuota())
        (core.status, core.pins) = (DeliveryStatus(), [])
        core.goals = GoalBook(of: user)
        core.refresh.askNow()
        core.version += 1
    }

    /// Whether a new user can be written now: two users must never be on their way to the disk.
    private var canTakeOver: Bool { core.account.isRecorded && core.commits.deferred.isEmpty }

    /// Offers the folder to the token's user where nothing waits. Most relays have one user.
    @inline(__always)
    func offerFolder(_ effects: inout Effects) {
        guard core.account.isOther, canTakeOver, core.ledger.pendingCount == 0,
            core.ledger.refusedCount == 0
        else { return }
        effects.emit(.offerFolder)
    }

    // MARK: Goals

    func learn(
        _ answer: GoalAnswer, _ now: Moment, _ effects: inout Effects
    ) {
        if core.account.isFetchStale {
            // The fetch belongs to the token before.
            core.account.isFetchStale = false
            core.refresh.succeed(at: now.monotonic, isBusy: false)
            return core.refresh.askNow()
        }
        if let user = answer.user, !claim(user, &effects) {
            // Its goals are none of the folder's.
            core.refresh.succeed(at: now.monotonic, isBusy: false)
            core.version += 1
            return core.lookup.proceedWithoutAnswer(now, &effects)
        }
        var book = core.goals
        book.note(missedDeadlines: core.view.missedDeadlines(at: now))
        let (before, remote) = (book, core.delivery.remote)
        if let user = answer.user { book.learn(user) }
        core.goals = book
        apply(answer, besides: before, now, &effects)
        if core.delivery.remote != remote { core.version += 1 }
        guard !core.goals.says(theSameAs: before) else { return }
        core.version += 1
        effects.emit(.saveGoals(core.goals))
    }

    private func apply(
        _ answer: GoalAnswer, besides before: GoalBook, _ now: Moment, _ effects: inout Effects
    ) {
        switch answer {
        case .goals(let list, let user, let named):
            replaceGoals(list + named.found, of: user, besides: before, now)
            return core.lookup.answerQuestions(named.unclear, now, &effects)
        case .unchanged:
            core.refresh.succeed(at: now.monotonic, isBusy: false)
            core.delivery.processUser(at: now.monotonic)
        case .userOnly:
            core.refresh.fail(at: now.monotonic, &core.randomness)
            core.delivery.processUser(at: now.monotonic)
        case .noUser:
            core.refresh.fail(at: now.monotonic, &core.randomness)
            core.account.processNoUser()
            // Only a request for the goals themselves can show whether the token is valid.
            if core.delivery.isTokenDoubted { core.delivery.waitForPerson(at: now.monotonic) }
        case .unauthorized:
            let left = core.requests.soonestSecondsLeft(now)
            let seconds = core.delivery.waitForPerson(at: now.monotonic, left: left)
            core.refresh.pause(at: now.monotonic, for: seconds)
        case .unclear, .unreachable:
            core.refresh.fail(at: now.monotonic, &core.randomness)
        }
        core.lookup.proceedWithoutAnswer(now, &effects)
    }

    private func replaceGoals(
        _ list: [Goal], of user: UpstreamUser, besides before: GoalBook, _ now: Moment
    ) {
        var book = core.goals
        book.replace(
            core.days.sortingOut(list), user: user, at: now.wall, before: core.commits.next)
        core.goals = book
        // A datapoint delivered meanwhile may be missing in the list; another list follows soon.
        if !core.refresh.isOvertaken {
            for (number, listing) in core.days.listed(list, at: now.wall) {
                core.ledger[number]?.observations.listing = listing
            }
        }
        core.refresh.succeed(at: now.monotonic, isBusy: core.goals.isUpstreamBusy)
        core.delivery.processUser(at: now.monotonic)
        tryAgain(newIn: before)
        tryFormerGoals()
    }

    /// Ends the delays of goals that exist again or have another name.
    private func tryAgain(newIn before: GoalBook) {
        followRenames()
        followTakenNames()
        for goal in core.delivery.queues.keys where core.goals[goal] != nil && before[goal] == nil {
            core.delivery.flush(goal)
        }
    }

    /// Looks for what was moved away from goals that were archived, and are in the list again.
    private func tryFormerGoals() {
        for entry in core.ledger.all where entry.isOutOfReach {
            for former in entry.recorded.leaving
            where core.goals.holds(core.goals.current(former.goal, in: former.by)) {
                entry.observations.placements[former.goal]?.isOutOfReach = false
            }
            core.schedule(entry)
        }
    }

    /// Moves the events of renamed goals, unless a request is under way there.
    func followRenames() {
        scheduleAll { core.goals.current($0) != $0 }
    }

    /// Looks again at the events in the queues of these goals.
    private func scheduleAll(where isMeant: (GoalSlug) -> Bool) {
        for (goal, queue) in core.delivery.queues where isMeant(goal) {
            for number in queue.waiting.prefix(queue.count) { core.schedule(number) }
        }
    }

    /// Moves events out of queues whose names belong to other goals now. No press to the new goal
    /// may join a datapoint of the former one.
    private func followTakenNames() {
        for entry in core.windows.open.compactMap({ core.ledger[$0] })
        where core.goals.goal(of: entry) != core.goals.current(entry.goal) {
            core.merging.closeWindow(of: entry)
        }
        scheduleAll { core.goals.isTaken($0) }
        for number in core.waits.events(for: .goal) { core.schedule(number) }
    }
}

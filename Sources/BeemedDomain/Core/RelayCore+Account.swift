/// Whose events are sent to whom, and under which names.
extension RelayCore {
    // MARK: Queues

    /// Puts an event that is to be sent or deleted where it belongs now.
    mutating func enqueue(_ entry: Ledger.Entry) {
        if entry.leader != nil { return }  // It goes with its leader.
        guard isOurs(entry.event) else {
            parked.insert(entry.number)
            return
        }
        if entry.progress == .pending, entry.awaitsTime || entry.awaitsJudgement { return }
        if windows.isOpen(entry.number), !entry.mayBeThere { return }
        delivery.enqueue(entry.number, for: queue(of: entry))
    }

    /// The queue of an event: its goal's, by the goal's present name. As long as something is under
    /// way under an old name, that queue is still there.
    func queue(of entry: Ledger.Entry) -> GoalSlug {
        let goal = entry.recorded.leaving ?? entry.goal
        guard goals.hasFormerNames, delivery.queues[goal] == nil else { return goal }
        return goals.current(goal)
    }

    /// Whether an event may be sent to the account that is connected: it was accepted under the
    /// same connection, or under one of the same user. What an unnamed connection has left belongs
    /// to the next user that Beeminder names, once the journal says so.
    func isOurs(_ event: Event) -> Bool { isOurs(event.connection) }

    /// The same for what was accepted under this connection; nil before connections had names.
    func isOurs(_ other: ConnectionName?) -> Bool {
        guard let connection, let other else { return true }
        // What it has left may have gone to another user since: it must be named itself first.
        if other == connection, !users.isInherited(connection) { return true }
        guard let user = users.verified(connection), let owner = users[other]
        else { return isUserUnknowable }
        return user == owner
    }

    /// Whether anything may be sent: Beeminder has named the user, and that is on the disk. What
    /// has gone to one user must not belong to another one later, who is the first that is named.
    var isUserSettled: Bool {
        guard let connection else { return true }
        return isUserUnknowable || users.verified(connection) != nil
    }

    // MARK: The connection

    /// Whether Beeminder has named the user of the connection. A stand-in that names nobody has
    /// one user only.
    package var isVerified: Bool {
        guard let connection else { return true }
        return isUserUnknowable || users.named(connection) != nil
    }

    /// Whether Beeminder is being asked whose the connection is, and has not failed to say.
    package var isVerifying: Bool { !isVerified && refresh.isAsking && !refresh.isFailing }

    /// The user of the connection, as Beeminder has named it; nil until it has.
    package var user: String? {
        guard let connection else { return goals.user }
        return users.named(connection) ?? (isUserUnknowable ? goals.user : nil)
    }

    /// Whether the goals in the book are those of the connected user. Another user's are not shown.
    var isBookOurs: Bool { isVerified && user == goals.user }

    /// - Parameter user: whose the connection is, if Beeminder has named it just now.
    mutating func connect(
        _ name: ConnectionName?, _ user: String?, _ now: Moment, _ effects: inout [Effect]
    ) {
        if name != connection {
            acceptQuestions(now, &effects)
            isFetchStale = refresh.isAsking
            isUserUnknowable = false
            connection = name
            if let name { users.use(name) }
            sortOut()
        }
        if let user { bind(user, &effects) }
        let known = user ?? name.flatMap { users.named($0) }
        if known == nil || known != goals.user { goals.doubt() }
        if let known { goals.learn(UpstreamUser(name: known), of: name) }
        delivery.connect()
        refresh.askNow()
        version += 1
    }

    /// Beeminder has named the user of the connection: what follows from that is written.
    private mutating func bind(_ user: String, _ effects: inout [Effect]) {
        guard let connection else { return }
        for binding in users.name(connection, user) {
            append(.user(connection: binding.connection, binding.binding), &effects)
        }
    }

    /// Parks what is not ours and takes up what is, now that it may have changed.
    mutating func sortOut() {
        let ours = parked.filter { ledger[$0].map { isOurs($0.event) } ?? true }.sorted()
        parked.subtract(ours)
        for number in ours {
            if let entry = ledger[number], entry.isOpen { enqueue(entry) }
        }
        let foreign = ledger.all.filter { $0.isOpen && $0.leader == nil && !isOurs($0.event) }
        for entry in foreign { park(entry) }
    }

    /// Keeps an event for the user whose it is.
    mutating func park(_ entry: Ledger.Entry) {
        let queue = queue(of: entry)
        guard !delivery.isInFlight(entry.number, for: queue) else { return }
        _ = delivery.withdraw(entry.number, for: queue)
        parked.insert(entry.number)
    }

    // MARK: Goals

    mutating func learn(
        _ answer: GoalAnswer, _ now: Moment, _ effects: inout [Effect]
    ) {
        if isFetchStale {
            // It speaks of the account that was connected before.
            isFetchStale = false
            refresh.succeed(at: now.monotonic, isBusy: false)
            return refresh.askNow()
        }
        noteMissedDeadlines(now)
        let before = goals
        var isToldGoals = false
        if let user = answer.user { bind(user.name, &effects) }
        let remote = delivery.remote
        defer { if delivery.remote != remote { version += 1 } }
        switch answer {
        case .goals(let list, let user) where isDoubtful(list, of: user, now):
            goals.learn(user, of: connection)
            refresh.askAgain(at: now.monotonic, after: RelayCore.emptySeconds)
        case .goals(let list, let user):
            goals.learn(user, of: connection)
            goals.replace(sortingOut(list), user: user, at: now.wall)
            forgetFormerDeadlines()
            totals.rename { goals.current($0) }
            refresh.succeed(at: now.monotonic, isBusy: goals.isUpstreamBusy)
            delivery.hearUser(at: now.monotonic)
            tryAgain(newIn: before)
            answerQuestions(now, &effects)
            isToldGoals = true
        case .unchanged(let user):
            goals.learn(user, of: connection)
            refresh.succeed(at: now.monotonic, isBusy: false)
            delivery.hearUser(at: now.monotonic)
        case .userOnly(let user, _):
            goals.learn(user, of: connection)
            refresh.fail(at: now.monotonic, &randomness)
            delivery.hearUser(at: now.monotonic)
        case .noUser:
            isUserUnknowable = true
            refresh.fail(at: now.monotonic, &randomness)
            // Nobody can say whether the token is taken but the goals themselves.
            if delivery.isTokenDoubted { delivery.pause(at: now.monotonic, left: nil) }
        case .unauthorized:
            let left = soonestSecondsLeft(now)
            refresh.pause(at: now.monotonic, for: delivery.pause(at: now.monotonic, left: left))
        case .misdirected:
            refresh.fail(at: now.monotonic, &randomness)
            delivery.misdirectUser(at: now.monotonic, left: soonestSecondsLeft(now))
        case .unclear, .unreachable:
            refresh.fail(at: now.monotonic, &randomness)
            delivery.missUser(at: now.monotonic, left: soonestSecondsLeft(now), &randomness)
        }
        if !isToldGoals { acceptQuestions(now, &effects) }
        if !parked.isEmpty || goals.user != before.user { sortOut() }
        guard !goals.says(theSameAs: before) else { return }
        version += 1
        effects.append(.saveGoals(goals))
    }

    /// What waits for a goal that is there again, or goes by another name, need not wait longer.
    private mutating func tryAgain(newIn before: GoalBook) {
        followRenames()
        for goal in delivery.queues.keys where goals[goal] != nil && before[goal] == nil {
            delivery.flush(goal)
        }
    }

    /// Moves queues whose goal goes by another name, unless something is under way there.
    mutating func followRenames() {
        for goal in delivery.queues.keys {
            let name = goals.current(goal)
            if name != goal { _ = delivery.rename(goal, to: name) }
        }
    }
}

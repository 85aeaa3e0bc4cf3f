/// Whose events are sent to whom, and under which names.
extension RelayCore {
    // MARK: Queues

    /// Puts an event that is to be sent or deleted where it belongs now.
    mutating func enqueue(_ entry: Ledger.Entry) {
        guard isOurs(entry.event) else {
            parked.insert(entry.number)
            return
        }
        if entry.progress == .pending, entry.awaitsTime { return }
        if merging.isOpen(entry.number), !entry.mayBeThere { return }
        delivery.enqueue(entry.number, for: lane(of: entry))
    }

    /// The queue of an event: its goal's, by the goal's present name. As long as something is under
    /// way under an old name, that queue is still there.
    func lane(of entry: Ledger.Entry) -> GoalSlug {
        guard goals.hasFormerNames, delivery.lanes[entry.goal] == nil else { return entry.goal }
        return goals.current(entry.goal)
    }

    /// Whether an event may be sent to the account that is connected.
    func isOurs(_ event: Event) -> Bool {
        guard let connection, let other = event.connection, other != connection else { return true }
        guard let user = goals.users[connection.description],
            let owner = goals.users[other.description]
        else { return isUserUnknowable }
        return user == owner
    }

    // MARK: The connection

    mutating func connect(
        _ name: ConnectionName?, _ user: String?, _ effects: inout [Effect]
    ) {
        if name != connection {
            isFetchStale = refresh.isAsking
            isUserUnknowable = false
            connection = name
            let known = user ?? name.flatMap { goals.users[$0.description] }
            if known == nil || known != goals.user { goals.doubt() }
            if let known { goals.learn(UpstreamUser(name: known), of: name) }
            sortOut()
        }
        delivery.connect()
        refresh.askNow()
        version += 1
    }

    /// Parks what is not ours and takes up what is, now that it may have changed.
    mutating func sortOut() {
        let ours = parked.filter { ledger[$0].map { isOurs($0.event) } ?? true }.sorted()
        parked.subtract(ours)
        for number in ours {
            if let entry = ledger[number], entry.isOpen { enqueue(entry) }
        }
        let foreign = ledger.all.filter { $0.isOpen && !isOurs($0.event) }
        for entry in foreign { park(entry) }
    }

    /// Keeps an event for the user whose it is.
    mutating func park(_ entry: Ledger.Entry) {
        let lane = lane(of: entry)
        guard !delivery.isInFlight(entry.number, for: lane) else { return }
        _ = delivery.withdraw(entry.number, for: lane)
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
        let before = goals
        switch answer {
        case .goals(let list, let user):
            goals.learn(user, of: connection)
            goals.replace(list, user: user)
            refresh.succeed(at: now.monotonic, isBusy: goals.isUpstreamBusy)
            tryAgain(newIn: before)
        case .unchanged(let user):
            goals.learn(user, of: connection)
            refresh.succeed(at: now.monotonic, isBusy: false)
        case .userOnly(let user, _):
            goals.learn(user, of: connection)
            refresh.fail(at: now.monotonic, &randomness)
        case .noUser:
            isUserUnknowable = true
            refresh.fail(at: now.monotonic, &randomness)
        case .unauthorized:
            refresh.pause(at: now.monotonic)
            delivery.pause(at: now.monotonic)
            version += 1
        case .unclear: refresh.fail(at: now.monotonic, &randomness)
        }
        if !parked.isEmpty || goals.user != before.user { sortOut() }
        guard goals != before else { return }
        version += 1
        effects.append(.saveGoals(goals))
    }

    /// What waits for a goal that is there again, or goes by another name, need not wait longer.
    private mutating func tryAgain(newIn before: GoalBook) {
        followRenames()
        for goal in delivery.lanes.keys where goals[goal] != nil && before[goal] == nil {
            delivery.flush(goal)
        }
    }

    /// Moves queues whose goal goes by another name, unless something is under way there.
    mutating func followRenames() {
        for goal in delivery.lanes.keys {
            let name = goals.current(goal)
            if name != goal { _ = delivery.rename(goal, to: name) }
        }
    }
}

/// Commands of the user.
extension DeliveryScheduler {
    /// An account was connected: everything is tried now.
    mutating func connect() {
        connection += 1
        remote = .open
        recordReachable()
        for goal in queues.keys {
            queues[goal]?.failures = 0
            queues[goal]?.isSilent = false
        }
        flush()
    }

    mutating func disconnect() {
        remote = .notConnected
        hasChanged = true
    }

    /// Tries everything now, also the probes. Queues that wait for a person stay marked until an
    /// answer shows otherwise, and a wait that Beeminder requested is not shortened.
    mutating func flush() {
        hasChanged = true
        for goal in queues.keys { queues[goal]?.hasten() }
        let now = Monotonic(milliseconds: .min)
        switch remote {
        case .resting: remote = .resting(until: now)
        case .signInAgain: remote = .signInAgain(probe: now)
        case .misdirected: remote = .misdirected(probe: now)
        case .open, .waiting, .notConnected: break
        }
    }

    /// Tries one goal now: it exists again, or the user requests it.
    mutating func flush(_ goal: GoalSlug) {
        queues[goal]?.hasten()
        hasChanged = true
    }

    /// A goal has another name: its waiting events move to that name.
    ///
    /// - Returns: false when a request is under way under the old name; try again later.
    mutating func rename(_ old: GoalSlug, to new: GoalSlug) -> Bool {
        guard let queue = queues[old], old != new else { return true }
        guard queue.underWay == 0 else { return false }
        queues[old] = nil
        queues[new, default: GoalQueue()].merge(queue)
        hasChanged = true
        return true
    }
}

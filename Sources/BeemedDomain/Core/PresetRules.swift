/// Preset rules: guards against one press too many, and presses that become one datapoint, each with
/// its own records.
struct PresetRules {
    let core: RelayCore

    /// Decides how a new event is accepted: whether a guard keeps it, and whether it is added to a
    /// datapoint, or opens a window for later presses.
    ///
    /// - Parameter rehearsed: the earlier presses of a dry run.
    /// - Returns: the event as accepted, and the leader of the window that its own one replaces.
    func evaluate(
        _ event: Event, _ number: SequenceNumber, _ options: PresetOptions, _ now: Moment,
        besides rehearsed: [Event] = []
    ) -> (event: Event, replaced: SequenceNumber?) {
        if options.oncePerDay || options.minimumInterval != nil {
            var days = core.days
            days.rehearsed = rehearsed
            if let guarded = days.guarded(event, options) { return (guarded, nil) }
        }
        guard let seconds = options.mergeSeconds,
            let closes = windowEnd(for: event.goal, seconds, now)
        else { return (event, nil) }
        if let leader = core.merging.join(event, seconds: seconds, at: now.monotonic) {
            return (event.accepted(as: .merged(into: leader)), nil)
        }
        let day = core.days.day(of: event.goal, around: event.at)
        return (event, core.merging.open(number, event, day: day, until: closes))
    }

    /// When a window opened now closes; nil when the goal derails too soon for one, or does not add
    /// up its datapoints: the user may have changed it since the preset was made. Nil also before
    /// the clock was compared with Beeminder's: the presses may turn out to be of two days.
    private func windowEnd(for goal: GoalSlug, _ seconds: Int64, _ now: Moment) -> Monotonic? {
        guard core.isTimeSure else { return nil }
        if core.areGoalsOwn, core.goals[core.goals.current(goal)]?.addsUp == false { return nil }
        let planned = now.monotonic.adding(seconds: Double(seconds))
        guard let latest = core.goals.latestClose(for: goal, now) else { return planned }
        return latest <= now.monotonic ? nil : min(latest, planned)
    }

    /// Decides the undecided presses in order, once the time and the days are known. The decision
    /// is recorded before anything is sent. A later one that was retried has overtaken the earlier
    /// ones, and guards none of them.
    func evaluateProvisional(_ effects: inout Effects) {
        guard !core.mustNotSend else { return }
        for number in core.waits.events(for: .guards) {
            guard let entry = core.ledger[number], let preset = entry.event.preset,
                core.areDaysSure || !entry.event.isProvisional
            else { continue }
            core.waits[number] = nil
            let by = core.days.guardian(of: entry, preset)
            if by == nil { entry.isAdmitted = true }
            core.journal(.evaluated(of: number, isGuarded: by != nil, by: by), &effects)
        }
    }

    // MARK: Windows

    /// Goals may derail earlier than when windows were opened, or have other days.
    func hastenWindows(_ now: Moment) {
        let closed = core.merging.hasten(
            { core.goals.latestClose(for: $0, now) }, day: core.days.day)
        for leader in closed { scheduleLeader(leader) }
    }

    /// Closes the window of an event's datapoint.
    func closeWindow(of entry: Ledger.Entry) {
        let leader = entry.leader ?? entry.number
        if core.merging.close(leader) { scheduleLeader(leader) }
    }

    func scheduleLeader(_ leader: SequenceNumber) {
        if let entry = core.ledger[leader], entry.isOpen { core.schedule(entry) }
    }

    /// A press was removed from a datapoint. A datapoint that Beeminder may have is sent again: the
    /// same request id replaces the value (Beeminder API reference, "requestid").
    func amend(_ number: SequenceNumber, _ effects: inout Effects) {
        guard let leader = core.ledger[number] else { return }
        let isDeserted = leader.isDeserted
        if isDeserted, leader.recorded.leaving.isEmpty,
            leader.isRefused || leader.isOpen, !leader.mayBeThere
        {
            return core.journal(.undone(of: number), &effects)
        }
        if isDeserted || leader.needsResending { core.schedule(leader) }
    }

    // MARK: Outcomes

    /// Beeminder has a datapoint: its parts are delivered with it.
    func markDelivered(_ number: SequenceNumber) {
        for part in core.ledger[number]?.parts ?? [] {
            guard let entry = core.ledger[part], entry.progress == .pending else { continue }
            core.ledger.follow(part, .merged(into: number), to: entry.recorded.goal)
        }
    }

    /// The parts of a datapoint get the outcome of their leader: they are refused visibly and sent
    /// again with it.
    func followLeader(_ leader: Ledger.Entry) {
        guard !leader.parts.isEmpty else { return }
        let settlement = leader.isRefused ? leader.recorded.settlement : nil
        for part in leader.parts {
            guard let entry = core.ledger[part] else { continue }
            guard entry.isRefused || entry.progress == .pending else { continue }
            entry.observations.listing = nil
            core.ledger.follow(part, settlement, to: leader.recorded.goal)
        }
    }
}

extension GoalBook {
    /// A window closes this many seconds before its goal derails, to leave time for several
    /// attempts.
    private static let mergeMarginSeconds: Int64 = 900

    /// When windows of this goal must be closed; nil when its deadline is unknown, or has passed
    /// and the next one is not known yet.
    fileprivate func latestClose(for goal: GoalSlug, _ now: Moment) -> Monotonic? {
        guard let losedate = self[current(goal)]?.losedate, losedate > now.wall.seconds else {
            return nil
        }
        let seconds = losedate - now.wall.seconds - GoalBook.mergeMarginSeconds
        return now.monotonic.adding(seconds: Double(seconds))
    }
}

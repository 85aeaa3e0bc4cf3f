/// Merges many presses into one datapoint. The first press of a window leads the datapoint; the
/// others are its parts, each with its own records.
extension RelayCore {
    // MARK: Joining

    /// Adds a new press to a datapoint, or opens a window for later presses.
    ///
    /// - Returns: the event as accepted, and the leader of the window that its own one replaces.
    func merge(
        _ event: Event, _ number: SequenceNumber, _ options: PresetOptions, _ now: Moment
    ) -> (event: Event, replaced: SequenceNumber?) {
        guard let seconds = options.mergeSeconds,
            let closes = windowEnd(for: event.goal, seconds, now)
        else { return (event, nil) }
        if let leader = merging.join(event, number, seconds: seconds, at: now.monotonic) {
            return (event.accepted(as: .merged(into: leader)), nil)
        }
        let day = day(of: event.goal, around: event.at)
        return (event, merging.open(number, event, day: day, until: closes))
    }

    /// When a window opened now closes; nil when the goal derails too soon for one, or does not add
    /// up its datapoints: the user may have changed it since the preset was made. Nil also before
    /// the clock was compared with Beeminder's: the presses may turn out to be of two days.
    private func windowEnd(for goal: GoalSlug, _ seconds: Int64, _ now: Moment) -> Monotonic? {
        guard isTimeSure else { return nil }
        if areGoalsOwn, goals[goals.current(goal)]?.addsUp == false { return nil }
        let planned = now.monotonic.adding(seconds: Double(seconds))
        guard let latest = goals.latestClose(for: goal, now) else { return planned }
        return latest <= now.monotonic ? nil : min(latest, planned)
    }

    /// A press that was to join or lead a datapoint did not become durable.
    func withdrawFromGroup(_ entry: Ledger.Entry) {
        merging.withdraw(entry)
        // The datapoint may have waited for this press alone.
        if let leader = entry.leader { schedule(leader) }
    }

    /// A press that was added to a datapoint is durable: the datapoint may have waited for it.
    func partBecameDurable(_ part: Ledger.Entry) {
        guard let leader = part.leader else { return }
        discardQuota.add(merged: part.event)
        schedule(leader)
    }

    // MARK: Windows

    /// The day of a goal around a moment.
    private func day(of goal: GoalSlug, around time: UnixTime) -> Range<UnixTime> {
        (areGoalsOwn ? goals : GoalBook()).days(of: goal).bounds(around: time)
    }

    /// Sends the datapoints whose windows are over at that time.
    func closeWindows(at time: Monotonic) {
        for leader in merging.close(at: time) { scheduleLeader(leader) }
    }

    /// Goals may derail earlier than when windows were opened, or have other days.
    func hastenWindows(_ now: Moment) {
        let closed = merging.hasten({ goals.latestClose(for: $0, now) }, day: day)
        for leader in closed { scheduleLeader(leader) }
    }

    /// Closes the window of an event's datapoint.
    func closeWindow(of entry: Ledger.Entry) {
        let leader = entry.leader ?? entry.number
        if merging.close(leader) { scheduleLeader(leader) }
    }

    func scheduleLeader(_ leader: SequenceNumber) {
        if let entry = ledger[leader], entry.isOpen { schedule(entry) }
    }

    /// A press was removed from a datapoint. A datapoint that Beeminder may have is sent again: the
    /// same request id replaces the value (Beeminder API reference, "requestid").
    func amend(_ number: SequenceNumber, _ effects: inout Effects) {
        guard let leader = ledger[number] else { return }
        let isDeserted = merging.isDeserted(leader)
        if isDeserted, leader.recorded.leaving.isEmpty,
            leader.isRefused || leader.isOpen, !leader.mayBeThere
        {
            return journal(.undone(of: number), &effects)
        }
        if isDeserted || merging.needsResending(leader) { schedule(leader) }
    }

    // MARK: Outcomes

    /// Beeminder has a datapoint: its parts are delivered with it.
    func markDelivered(_ number: SequenceNumber) {
        guard let group = merging[number] else { return }
        for part in group.parts {
            guard let entry = ledger[part], entry.progress == .pending else { continue }
            ledger.follow(part, .merged(into: number), to: entry.recorded.goal)
        }
    }

    /// The parts of a datapoint get the outcome of their leader: they are refused visibly and sent
    /// again with it.
    func followLeader(_ leader: Ledger.Entry) {
        guard merging.hasParts(leader.number) else { return }
        let settlement = leader.isRefused ? leader.recorded.settlement : nil
        for part in merging.parts(of: leader.number) {
            guard let entry = ledger[part], entry.isRefused || entry.progress == .pending else {
                continue
            }
            listings.forget(part)
            ledger.follow(part, settlement, to: leader.recorded.goal)
        }
    }

    /// That record removed a press from its datapoint.
    func leaveDatapoint(
        _ part: Ledger.Entry, of leader: SequenceNumber, by record: SequenceNumber,
        _ effects: inout Effects
    ) {
        merging.undo(part.number, leader, by: record)
        amend(leader, &effects)
    }

    // MARK: Forgetting and restoring

    /// Forgets settled events beyond the limits, always whole datapoints.
    func forgetSurplus() {
        while ledger.hasSurplus,
            let number = ledger.forgetOne(unless: hasChanges)
        {
            forgetRest(of: number)
        }
    }

    /// Whether a datapoint has changes that are not sent, or a new value that is not durable.
    func hasChanges(_ entry: Ledger.Entry) -> Bool {
        merging.hasUnsentRemoval(entry) || revisions.requested(of: entry.number) != nil
    }

    /// Forgets what belongs to an event that is forgotten.
    func forgetRest(of number: SequenceNumber) {
        revisions.forget(number)
        listings.forget(number)
        for part in merging.remove(number) {
            ledger.forget(part)
            listings.forget(part)
        }
    }

    /// Restores merged datapoints from the journal.
    func restoreGroup(_ entry: Recovered.Entry) {
        guard let part = ledger[entry.number], let leader = part.leader, let lead = ledger[leader]
        else { return }
        merging.restore(part, of: lead)
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

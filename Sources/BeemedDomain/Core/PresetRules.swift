/// The rules of presets: guards against one press too many, and which presses are merged.
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
        if let leader = core.windows.join(event, seconds: seconds, at: now.monotonic) {
            return (event.accepted(as: .merged(into: leader)), nil)
        }
        let day = core.days.day(of: event.goal, around: event.at)
        return (event, core.windows.open(number, event, day: day, until: closes))
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
}

/// Preset rules: guards against one press too many, and presses that become one datapoint.
extension RelayCore {
    /// What was logged on which day.
    ///
    /// - Parameter rehearsed: the earlier presses of a dry run.
    func days(besides rehearsed: [Event] = []) -> Days {
        Days(
            ledger: ledger, merging: merging, listings: listings,
            recovered: commits.recovered, goals: goals, areGoalsOwn: areGoalsOwn,
            isTimeSure: isTimeSure, areDaysSure: areDaysSure, rehearsed: rehearsed)
    }

    /// Decides how a new event is accepted.
    ///
    /// - Returns: the event as accepted, and the leader of the window that its own one replaces.
    func evaluate(
        _ event: Event, _ number: SequenceNumber, _ options: PresetOptions, _ now: Moment,
        besides rehearsed: [Event] = []
    ) -> (event: Event, replaced: SequenceNumber?) {
        if options.oncePerDay || options.minimumInterval != nil,
            let guarded = days(besides: rehearsed).guarded(event, options)
        {
            return (guarded, nil)
        }
        return merge(event, number, options, now)
    }

    /// Decides the undecided presses in order, once the time and the days are known. The decision
    /// is recorded before anything is sent. A later one that was retried has overtaken the earlier
    /// ones, and guards none of them.
    func evaluateProvisional(_ effects: inout Effects) {
        guard !mustNotSend else { return }
        for number in waits.events(for: .guards) {
            guard let entry = ledger[number], let preset = entry.event.preset,
                areDaysSure || !entry.event.isProvisional
            else { continue }
            waits[number] = nil
            let by = days().guardian(of: entry, preset)
            if by == nil { ledger.admit(number) }
            journal(.evaluated(of: number, isGuarded: by != nil, by: by), &effects)
        }
    }

    /// The decision about the guards of a press is durable.
    func guardsDecided(for entry: Ledger.Entry) {
        if entry.progress == .pending { resume(entry.number) }
        if entry.progress == .guarded { discardQuota.add(entry.event) }
    }
}

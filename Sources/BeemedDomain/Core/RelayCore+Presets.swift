/// Preset rules: guards against one press too many, and presses that become one datapoint.
extension RelayCore {
    /// Decides how a new event is accepted.
    func evaluate(_ event: inout Event, _ options: PresetOptions, _ now: Moment) {
        if let guarded = guarded(event, options) {
            event = guarded
            if guarded.isUndecided {
                counting.uses.add(
                    commits.next, of: options.preset, at: event.at, isProvisional: true)
            }
            return
        }
        counting.uses.add(commits.next, of: options.preset, at: event.at)
        guard let seconds = options.mergeSeconds else { return }
        merge(&event, seconds: seconds, day(of: event.goal, around: event.at), now)
    }

    /// Removes an event from these counts: it did not become durable, or was undone.
    func forget(_ event: Event, _ number: SequenceNumber) {
        if let preset = event.preset { counting.uses.remove(number, of: preset) }
        withdrawFromGroup(event, number)
    }

    /// Notes the use of a preset by an event from the journal, or with another time.
    func restoreUse(_ entry: Ledger.Entry) {
        guard let preset = entry.event.preset else { return }
        if !entry.recorded.isLeftOut {
            let isProvisional = entry.awaitsEvaluation
            counting.uses.add(entry.number, of: preset, at: entry.at, isProvisional: isProvisional)
        }
    }
}

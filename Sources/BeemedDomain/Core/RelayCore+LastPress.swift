/// Finds the last press, for devices that can undo but cannot name an event.
extension RelayCore {
    /// How long after its receipt a press can be undone without its id, in seconds.
    static let undoSeconds: Int64 = 600
    /// The maximum number of events searched.
    private static let maxLooks = 20_000

    /// The last press of a device to a goal, or of a preset, that was received within `undoSeconds`
    /// and is not undone yet. A guarded or refused one counts: it was pressed.
    ///
    /// While an undo is not durable its press is still the last one, so that the same command twice
    /// at once undoes one press.
    ///
    /// - Parameter preset: only presses that used it; nil for all to the goal.
    package func lastPress(
        of device: DeviceIdentity, to goal: GoalSlug, preset: PresetName?, at now: Moment
    ) -> EventKey? {
        let goal = goals.current(goal)
        for entry in ledger.newestFirst().prefix(RelayCore.maxLooks) {
            guard isRecent(entry.event, now) else { return nil }
            let isMeant =
                entry.event.key.identity == device
                && (preset.map { entry.event.preset == $0 } ?? (self.goal(of: entry) == goal))
            if isMeant, !entry.isTakenBack { return entry.event.key }
        }
        return nil
    }

    /// Uses the monotonic clock if there was no reboot since.
    private func isRecent(_ event: Event, _ now: Moment) -> Bool {
        let arrival = event.arrival
        guard arrival.boot == clock.boot else {
            return now.wall.seconds - arrival.wall.seconds <= RelayCore.undoSeconds
        }
        let passed = now.monotonic.milliseconds - arrival.monotonic.milliseconds
        return passed <= RelayCore.undoSeconds * 1_000
    }
}

/// Ids that a device uses for several goals: each goal has its own press of that id, as at
/// Beeminder, whose request ids count within a goal.
extension RelayCore {
    /// The meaning of the id in a press.
    enum FoundID {
        /// This id of this device is in use for the press's goal.
        case known(Ledger.Entry)
        /// The press is a new one, and this is its id.
        case new(EventID)
    }

    /// Finds the event that a press's id names. A device's ids count within the goals that it
    /// names: an event that a person has moved to this press's goal is another press, but for an
    /// import, which names the goal where the event is.
    func find(_ id: EventID, of press: Press) -> FoundID {
        let plain = ledger[press.key(id)]
        if let plain, isOf(press, plain) { return .known(plain) }
        if let entry = sharing(id, of: press.identity, press.goal) { return .known(entry) }
        return .new(plain == nil ? id : id.within(press.goal))
    }

    /// The event whose id has this goal behind it, under any name of the goal.
    private func sharing(
        _ id: EventID, of device: DeviceIdentity, _ goal: GoalSlug
    ) -> Ledger.Entry? {
        for name in [goal] + goals.names(of: goal).compactMap(GoalSlug.init) {
            guard let entry = ledger[EventKey(device, id.within(name))] else { continue }
            if isTo(goal, entry) { return entry }
        }
        return nil
    }

    private func isOf(_ press: Press, _ entry: Ledger.Entry) -> Bool {
        if case .recorded = press.time { return isTo(press.goal, entry) }
        return press.goal == entry.event.goal
            || goals.current(entry.event.goal, in: entry.number) == goals.current(press.goal)
    }

    /// Whether an event was sent to that goal, or is now.
    private func isTo(_ goal: GoalSlug, _ entry: Ledger.Entry) -> Bool {
        goal == entry.event.goal || goals.goals(of: entry).contains(goals.current(goal))
    }

    /// The event of a device's id at a goal; nil if there is none.
    package func event(
        _ id: EventID, of device: DeviceIdentity, at goal: GoalSlug
    ) -> EventView? {
        let plain = ledger[EventKey(device, id)].flatMap { isTo(goal, $0) ? $0 : nil }
        guard let entry = plain ?? sharing(id, of: device, goal), entry.progress != .uncommitted
        else { return nil }
        return view.shown(entry)
    }
}

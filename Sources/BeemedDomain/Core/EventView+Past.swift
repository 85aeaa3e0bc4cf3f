extension EventView {
    /// An event of the history, for display.
    package init(past entry: Recovered.Entry) {
        let recorded = entry.recorded
        let state: EventState =
            switch recorded.settlement {
            case .delivered: recorded.isLeftOut ? .undone : .delivered
            case .refused: .refused
            case .undone: .undone
            case .guarded: .guarded
            case .merged: .merged
            case nil: .queued
            }
        self.init(
            number: entry.number, event: entry.event,
            value: recorded.value ?? entry.event.value, goal: recorded.goal ?? entry.event.goal,
            at: recorded.at ?? entry.event.at, state: state, attempts: entry.tried?.count ?? 0,
            lastAttempt: nil,
            lastError: entry.tried?.why, nextAttempt: nil, settlement: recorded.settlement,
            guardedBy: recorded.guardian(of: entry.event), isBeingErased: false, merges: [],
            mergedInto: nil)
    }
}

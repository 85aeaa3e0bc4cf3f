/// The state of a press, as the API names it.
package enum EventState: String, Sendable, CaseIterable {
    /// The event waits to be sent.
    case queued
    /// The event was sent and is not answered yet.
    case sending
    /// Beeminder has the event.
    case delivered
    /// The event waits for a person: goal gone, another account, or the clock not set.
    case held
    /// Beeminder refused the event.
    case refused
    /// The user has undone the event.
    case undone
    /// Its preset's guard rejected the event as one press too many; it is not a datapoint.
    case guarded
    /// The event is part of another event's datapoint.
    case merged

    /// Whether the event is, or will be, a datapoint or a part of one.
    package var countsAsDatapoint: Bool {
        switch self {
        case .queued, .sending, .delivered, .held, .merged: true
        case .refused, .undone, .guarded: false
        }
    }
}

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

/// The state of a press, as the API names it.
package enum EventState: String, Sendable, CaseIterable {
    /// It waits to be sent.
    case queued
    /// It was sent and is not answered yet.
    case sending
    /// Beeminder has it.
    case delivered
    /// It waits for a person: its goal is gone, the account is another, or the clock is not set.
    case held
    /// Beeminder refused it.
    case refused
    /// The user has undone it.
    case undone
    /// Its preset's guard rejected the event as one press too many; it is not a datapoint.
    case guarded
    /// It is part of another event's datapoint.
    case merged

    /// Whether it is, or will be, a datapoint or a part of one.
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

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

/// An event for display.
package struct EventView: Sendable {
    package let number: SequenceNumber
    package let event: Event
    let recorded: RecordedState
    /// Its goal, by current name; a retry may have moved it.
    package let goal: GoalSlug
    package let state: EventState
    package let attempts: Int
    /// When the event was last sent to Beeminder; nil when not since the start of the relay.
    package let lastAttempt: UnixTime?
    /// Why the event waits or was refused, in words; nil when nothing is known.
    package let lastError: String?
    /// When the event is tried next; nil when that depends on a person, or nothing is to be sent.
    package let nextAttempt: Monotonic?
    /// Whether the user has undone the event while Beeminder may still have it.
    package let isBeingErased: Bool
    /// Whether the event may be at a goal that it has left and that is in no list.
    package let isLeftBehind: Bool
    /// The other events of its datapoint.
    package let merges: [EventKey]
    /// The event of whose datapoint it is a part.
    package let mergedInto: EventKey?

    /// Its value: the newest of a revised event.
    package var value: Double { recorded.value ?? event.value }
    /// When the event happened, as sent to Beeminder.
    package var at: UnixTime { recorded.at ?? event.at }
    /// Its final state, if it has one.
    package var settlement: Settlement? { recorded.settlement }
    /// The datapoint that Beeminder has of it, if one is known.
    package var arrival: RecordedState.Arrival? { recorded.arrival }
    /// The guard of its preset that keeps the event from being sent, if one does and is known.
    package var guardedBy: PresetGuard? { recorded.guardian(of: event) }
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
            number: entry.number, event: entry.event, recorded: recorded,
            goal: recorded.goal ?? entry.event.goal, state: state,
            attempts: 0, lastAttempt: nil, lastError: nil, nextAttempt: nil, isBeingErased: false,
            isLeftBehind: false, merges: [], mergedInto: nil)
    }
}

/// Selects the events of a list.
package struct EventFilter: Sendable {
    package var states: Set<EventState>?
    package var goal: GoalSlug?
    package var device: DeviceName?
    /// Only events of this device, not of others that had its name.
    package var identity: DeviceIdentity?
    /// Only events that happened then or later.
    package var since: UnixTime?
    /// Only events that happened then or earlier.
    package var until: UnixTime?
    /// Only events with this text in them.
    package var text: SoughtText?

    /// Selects all events.
    package init() {}

    /// Whether it takes an event that `CoreView.listed` has found.
    func matches(_ view: EventView) -> Bool {
        if let device, view.event.key.device != device { return false }
        if let since, view.at < since { return false }
        if let until, view.at > until { return false }
        return text?.isIn(view) ?? true
    }
}

/// A text that is looked for in events: in the comment, the goal and the request id, whatever
/// the case of its letters.
package struct SoughtText: Sendable {
    private let bytes: [UInt8]

    /// The longest text, in Unicode's characters, as the contract counts them: the search takes
    /// as many steps for each byte of a comment.
    package static let maxCharacters = 64
    /// Bytes that are compared in the time of one step of a list, about.
    private static let bytesOfStep = 256

    /// Nil for a text that is empty or too long.
    package init?(_ text: String) {
        guard (1...SoughtText.maxCharacters).contains(text.unicodeScalars.count) else {
            return nil
        }
        bytes = Array(text.lowercased().utf8)
    }

    /// Whether an event has it.
    func isIn(_ view: EventView) -> Bool {
        let event = view.event
        return [
            event.comment, view.goal.description, event.goal.description, event.key.requestID,
        ].contains { $0.lowercased().utf8.firstRange(of: bytes) != nil }
    }

    /// How many more steps of a list the search in an event takes.
    func steps(for view: EventView) -> Int {
        view.event.comment.utf8.count * bytes.count / SoughtText.bytesOfStep
    }
}

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

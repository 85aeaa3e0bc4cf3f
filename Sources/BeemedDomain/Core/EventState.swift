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
    /// Its preset's guard rejected it as one press too many; it is not a datapoint.
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

/// Where a press is, in the words of the API.
package enum EventState: String, Sendable, CaseIterable {
    /// It waits for its turn.
    case queued
    /// It is on its way and unanswered.
    case sending
    /// Beeminder has it.
    case delivered
    /// It waits for a person: its goal is gone, the account is another one, or the clock is unset.
    case held
    /// Beeminder will not have it.
    case refused
    /// A person has taken it back.
    case undone
    /// Its preset's guard took it for one too many; it is no datapoint.
    case guarded
    /// It is a part of another event's datapoint.
    case merged
}

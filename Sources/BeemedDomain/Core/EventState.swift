/// Where a press is, in the words of the API.
package enum EventState: String, Sendable {
    /// It waits for its turn.
    case queued
    /// It is on its way and unanswered.
    case sending
    /// Beeminder has it.
    case delivered
    /// Its goal or the account waits for a person.
    case held
    /// Beeminder will not have it.
    case refused
}

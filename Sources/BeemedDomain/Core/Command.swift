/// What a request asks of the relay. Each has one reply, which is given when everything that it
/// says is durable.
package enum Command: Sendable {
    /// Accept the total of a day, or revise the known one.
    case total(DayTotal)
    /// Undo an event.
    case undo(EventKey)
    /// Send an event again, to another goal if one is named.
    case retry(EventKey, goal: GoalSlug?)
    /// Tell whether a goal exists; it may be newer than the list.
    case find(GoalSlug)
}

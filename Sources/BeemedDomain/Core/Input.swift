/// Identifies a request that waits for a reply. The domain only passes it back.
package struct ReplyID: Hashable, Sendable {
    package let value: UInt64

    /// Creates an id from a number of the caller's choice.
    package init(_ value: UInt64) {
        self.value = value
    }
}

/// The inputs of the relay besides a press (`RelayCore.accept`) and a receipt (`RelayCore.commit`),
/// which come most often. With `Effect` it lists everything that the domain reacts to and does.
package enum Input: Sendable {
    /// A request asks for something else, and waits for the reply.
    case command(Command, ReplyID)
    /// The journal had no free space for records, except for those that the receipt covers.
    case rejected(Receipt)
    /// A request for datapoints was answered or has failed.
    case delivered(DatapointBatch, BatchResult)
    /// A deletion of a datapoint was answered or has failed.
    case erased(DatapointDeletion, Outcome)
    /// A request for the goals was answered or has failed.
    case fetched(GoalAnswer)
    /// An answer of Beeminder has given the time.
    case receivedTime(UpstreamTime)
    /// An account was connected.
    case connected(TokenUser)
    /// The token's user takes over the folder, if nothing of its former user waits.
    case takenOver
    /// The account was disconnected.
    case disconnected
    /// The user requests to try everything now.
    case flushRequested
    /// The program is about to end: events that wait for others to merge with are sent now.
    case stopping
    /// The network is available again.
    case reachable
    /// A client requests the goals.
    case goalsRequested
    /// The pinned goals, in order.
    case pinned([GoalSlug])
    /// The time requested by `Effect.wake` has come; that request is over.
    case woke
}

/// A request to the relay. Each has one reply, given when everything that the reply says is
/// durable.
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

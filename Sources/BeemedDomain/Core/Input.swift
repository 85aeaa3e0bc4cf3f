/// Names a request that waits for a reply. The domain gives it back and knows no more of it.
package struct ReplyID: Hashable, Sendable {
    package let value: UInt64

    /// A number that means something to the caller.
    package init(_ value: UInt64) {
        self.value = value
    }
}

/// Everything that can happen to the relay. With `Effect` it is the table of contents of the
/// domain: what is not here does not happen.
package enum Input: Sendable {
    /// A device asks to log something.
    case pressed(Press, ReplyID)
    /// The journal has made records durable.
    case committed(Receipt)
    /// The journal had no room for what was appended in that epoch, beyond what the receipt covers.
    case rejected(epoch: UInt64, Receipt)
    /// Beeminder, or the way there, has answered a datapoint.
    case delivered(DatapointBatch, BatchResult)
    /// What came of deleting a datapoint.
    case erased(DatapointDeletion, Outcome)
    /// The goals were asked for, and this is what came.
    case fetched(GoalAnswer)
    /// An answer of Beeminder's has told the time.
    case heardTime(UpstreamTime)
    /// Somebody takes an event back.
    case undone(EventKey, ReplyID)
    /// Somebody wants an event sent again, to another goal if one is named.
    case retried(EventKey, goal: GoalSlug?, ReplyID)
    /// There is an account to deliver to. The connection has a name from when its token was set;
    /// nil when it has none. Whose it is may be known already.
    case connected(as: ConnectionName?, user: String?)
    /// There is none any more.
    case disconnected
    /// Somebody asks to try everything now.
    case flushRequested
    /// The program is about to end: what waits for other presses to join is sent now.
    case stopping
    /// Somebody asks whether there is such a goal, which may be newer than the list.
    case goalDoubted(GoalSlug, ReplyID)
    /// The network has come back.
    case reachable
    /// Somebody asks for the goals.
    case goalsRequested
    /// The pinned goals, in order.
    case pinned([GoalSlug])
    /// The time that `Effect.wake` asked for has come.
    case woke
}

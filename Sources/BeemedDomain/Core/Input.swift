/// Names a request that waits for a reply. The domain gives it back and knows no more of it.
package struct Ticket: Hashable, Sendable {
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
    case pressed(Press, Ticket)
    /// The journal has made records durable.
    case committed(Receipt)
    /// The journal had no room for what was appended in that epoch, beyond what the receipt covers.
    case rejected(epoch: UInt64, Receipt)
    /// Beeminder, or the way there, has answered a shipment.
    case delivered(SequenceNumber, Outcome)
    /// The goals were asked for, and this is what came.
    case fetched(GoalAnswer)
    /// There is an account to deliver to.
    case connected
    /// There is none any more.
    case disconnected
    /// Somebody asks to try everything now.
    case flushRequested
    /// The time that `Effect.wake` asked for has come.
    case woke
}

/// What came of asking Beeminder for the goals.
package enum GoalAnswer: Sendable {
    case goals([Goal], user: String)
    case unauthorized
    case unclear(String)
}

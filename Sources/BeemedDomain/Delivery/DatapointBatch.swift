/// One event on its way: all that Beeminder is told. The same in every attempt.
package struct OutgoingDatapoint: Sendable, Equatable {
    package let number: SequenceNumber
    /// The goal's name as it is now.
    package let goal: GoalSlug
    package let requestID: String
    package let value: Double
    package let comment: String
    package let at: UnixTime
    /// The day that is told in place of the time, where the device named one: whatever the user's
    /// time zone and the goal's deadline are, it is the day that was meant.
    package let daystamp: Daystamp?

    /// For a merged datapoint: it shows the effect of every record up to this one.
    let through: SequenceNumber?
    /// For a merged datapoint that an earlier process may have sent, with presses that can only
    /// have raised it: when Beeminder's is greater, this journal is an older copy, and the
    /// datapoint stays as it is.
    package let mustNotLower: Bool

    init(
        _ number: SequenceNumber, to goal: GoalSlug, requestID: String, value: Double,
        comment: String, at: UnixTime, daystamp: Daystamp? = nil,
        through: SequenceNumber? = nil, mustNotLower: Bool = false
    ) {
        self.number = number
        self.goal = goal
        self.requestID = requestID
        self.value = value
        self.comment = comment
        self.at = at
        self.daystamp = daystamp
        self.through = through
        self.mustNotLower = mustNotLower
    }
}

/// Datapoints to one goal that travel in one request, in the order they were accepted.
package struct DatapointBatch: Sendable, Equatable {
    /// The goal's name as it is now.
    package let goal: GoalSlug
    /// At least one, at most `DatapointBatch.most`.
    package let datapoints: [OutgoingDatapoint]

    /// Datapoints in one request at most. Beeminder documents no bound; it caps the datapoints of a
    /// goal's day at about 300.
    package static let most = 200
    /// From so many waiting events of one goal on they travel together.
    package static let from = 21

    init(_ goal: GoalSlug, _ datapoints: [OutgoingDatapoint]) {
        precondition((1...DatapointBatch.most).contains(datapoints.count))
        self.goal = goal
        self.datapoints = datapoints
    }

    /// How far the merged datapoints among them reach, by number.
    var reach: [SequenceNumber: SequenceNumber] {
        var reach: [SequenceNumber: SequenceNumber] = [:]
        for outgoing in datapoints { reach[outgoing.number] = outgoing.through }
        return reach
    }
}

/// A datapoint that a person wants to be gone.
package struct DatapointDeletion: Sendable, Equatable {
    package let number: SequenceNumber
    /// The goal's name as it is now.
    package let goal: GoalSlug
    package let requestID: String
    /// Beeminder's name for it; nil when that was never heard. Then it is looked for by the request
    /// id, and when it is not there it is gone.
    package let datapoint: String?
    /// The event's time, near which it is to be looked for.
    package let at: UnixTime

    init(
        _ number: SequenceNumber, at goal: GoalSlug, requestID: String, datapoint: String?,
        time: UnixTime
    ) {
        self.number = number
        self.goal = goal
        self.requestID = requestID
        self.datapoint = datapoint
        at = time
    }
}

/// What came of sending a batch.
package enum BatchResult: Sendable, Equatable {
    /// The same for all of it.
    case whole(Outcome)
    /// One by one. Of those that are not named nothing is known: they stay where they are.
    case each([SequenceNumber: Outcome])
    /// They are not taken together, for this reason: they must travel one by one.
    case singly(String)
}

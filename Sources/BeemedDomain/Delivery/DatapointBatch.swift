/// An event to be sent: all that Beeminder is told. The same in every attempt.
package struct OutgoingDatapoint: Sendable, Equatable {
    package let number: SequenceNumber
    /// The goal's current name.
    package let goal: GoalSlug
    package let requestID: String
    package let value: Double
    package let comment: String
    package let at: UnixTime
    /// The day to send instead of the time, if the device named one: it is the intended day,
    /// whatever the user's time zone and the goal's deadline are.
    package internal(set) var daystamp: Daystamp?

    /// For a merged datapoint: it includes the effect of every record up to this one.
    var through: SequenceNumber?
    /// The greatest value that the datapoint has had, if an earlier process may have sent it: if
    /// Beeminder's is greater, this journal is an older copy, and the datapoint is not changed.
    package internal(set) var greatest: Double?
    /// Whether Beeminder has confirmed an earlier value: then a refusal is one of the change.
    var hasArrived = false
    /// Whether an earlier request may have arrived: then a refusal may be about the repetition
    /// only, and says nothing of the datapoint.
    package internal(set) var mayBeThere = false
    /// Beeminder's refusal, which only a person can retry: the datapoint is not sent, and only
    /// looked for, since an earlier request may have brought it.
    package internal(set) var refusal: Outcome?

    /// The content that the request sets.
    var content: Placement.Content { Placement.Content(value: value, comment: comment) }
}

/// Datapoints to one goal in one request, in the order of acceptance.
package struct DatapointBatch: Sendable, Equatable {
    /// The goal's current name.
    package let goal: GoalSlug
    /// At least one, at most `DatapointBatch.maxCount`.
    package let datapoints: [OutgoingDatapoint]

    /// The maximum number of datapoints in one request. Beeminder documents no limit; it caps the
    /// datapoints of a goal's day at about 300.
    static let maxCount = 200
    /// The number of waiting events of one goal from which they are sent in a batch.
    package static let threshold = 21

    init(_ goal: GoalSlug, _ datapoints: [OutgoingDatapoint]) {
        precondition((1...DatapointBatch.maxCount).contains(datapoints.count))
        self.goal = goal
        self.datapoints = datapoints
    }
}

/// A datapoint to be deleted at the user's request.
package struct DatapointDeletion: Sendable, Equatable {
    package let number: SequenceNumber
    /// The goal's current name.
    package let goal: GoalSlug
    /// The goal by its name in the records.
    var goalInRecord: GoalSlug?
    /// Beeminder's id of the goal; nil when unknown.
    package internal(set) var goalID: String?
    package let requestID: String
    /// The datapoint's id at Beeminder; nil when unknown. Then it is searched for by the request
    /// id, and counts as deleted if not found.
    package internal(set) var datapoint: String?
    /// The event's time, near which to search.
    package let at: UnixTime
    /// Whether Beeminder has the datapoint, or may have it, also at an archived goal. Anything else
    /// must not wait until an archived goal is restored.
    package internal(set) var mayHaveArrived = false
    /// Whether its goal, which has `goalID`, is in no list, and `goal` is another one of that name.
    package internal(set) var isNameTaken = false
}

/// The result of sending a batch.
package enum BatchResult: Sendable, Equatable {
    /// The same outcome for the whole batch.
    case whole(Outcome)
    /// An outcome for each event. Events not named have an unknown outcome and stay queued.
    case each([SequenceNumber: Outcome])

    /// The outcome of one of its events.
    package func outcome(of number: SequenceNumber) -> Outcome {
        switch self {
        case .whole(let outcome): outcome
        case .each(let outcomes):
            outcomes[number] ?? .unclear("Beeminder has not said what became of it")
        }
    }
}

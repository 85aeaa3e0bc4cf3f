/// The effects that the core requests after one or several inputs.
///
/// Every press has a record and a reply, so these have lists of their own, which are passed on as
/// they are.
package struct Effects: Sendable {
    /// The records to write, in order and without a gap.
    private(set) package var records: [Record] = []
    /// Whether a request waits for one of them.
    private(set) package var isUrgent = false
    /// The replies to requests, in order.
    private(set) package var replies: [(replyID: ReplyID, reply: Reply)] = []
    /// Everything else, in order.
    private(set) package var others: [Effect] = []

    /// No effects.
    package init() {}

    /// Writes this record.
    mutating func write(_ record: consuming Record, isUrgent: Bool) {
        self.isUrgent = self.isUrgent || isUrgent
        records.append(record)
    }

    /// Answers the request with this reply id.
    mutating func reply(_ replyID: ReplyID, _ reply: Reply) {
        replies.append((replyID, reply))
    }

    /// Refuses the request with this reply id.
    mutating func refuse(_ replyID: ReplyID, _ refusal: Refusal) {
        replies.append((replyID, .refused(refusal)))
    }

    mutating func emit(_ effect: Effect) { others.append(effect) }

    /// Forgets the records, when they were passed on or will never be written.
    package mutating func dropRecords() {
        isUrgent = false
        records.removeAll(keepingCapacity: records.capacity <= Effects.usual)
    }

    /// Returns the replies, and forgets them.
    package mutating func takeReplies() -> [(replyID: ReplyID, reply: Reply)] {
        defer { replies.removeAll(keepingCapacity: replies.capacity <= Effects.usual) }
        return replies
    }

    /// Returns the other effects, and forgets them.
    package mutating func takeOthers() -> [Effect] {
        defer { others = [] }
        return others
    }

    /// The capacity, in elements, that an empty list keeps at most.
    private static let usual = 4_096
}

/// An effect that is neither a record nor a reply.
package enum Effect: Sendable {
    /// Send this batch to Beeminder and report with `Input.delivered`.
    case send(DatapointBatch)
    /// Delete this datapoint at Beeminder and report with `Input.erased`.
    case erase(DatapointDeletion)
    /// The user's present day is known from now on: bodies that waited for it may be read.
    case presentDayKnown
    /// Request the goals from Beeminder and report with `Input.fetched`; if the user's `updated_at`
    /// is still `since`, the goals themselves are not needed. Goals of `names` that the list leaves
    /// out are requested by name.
    case fetchGoals(since: Int64?, names: [GoalSlug])
    /// Save this list for the next start.
    indirect case saveGoals(GoalBook)
    /// The token's user may have the folder: apply `Input.takenOver`, unless something else is
    /// against it.
    case offerFolder
    /// Another user has the folder, durably: forget what is a user's and not in the journal.
    case forgetFormerUser
    /// Apply `Input.woke` at that time; nil cancels an earlier request.
    case wake(at: Monotonic?)
}

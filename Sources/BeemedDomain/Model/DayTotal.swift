/// The name of a rule that turns a metric's days into datapoints of a goal.
package struct RuleName: Hashable, Sendable, CustomStringConvertible {
    /// The name itself.
    package let description: String

    /// Parses 1 to 32 letters, digits, `-` and `_`; nil for anything else. No dot and no colon,
    /// because the name begins the id of the rule's events.
    package init?(_ text: String) {
        guard NameText.isName(text, atMost: 32, besides: "-_") else { return nil }
        description = text
    }
}

/// The value of a rule's day. Unlike a press it may be sent again with another value: the newest
/// one counts.
package struct DayTotal: Sendable, Equatable {
    package var rule: RuleName
    package var goal: GoalSlug
    /// The civil day of the samples, sent to Beeminder as `daystamp`.
    package var day: Daystamp
    /// In the goal's unit; its magnitude is at most `Press.greatestValue`.
    package var value: Double
    /// The comment of the datapoint; only that of the day's first total is used.
    package var comment: String
    /// Whether a lower value than the known one is ignored.
    package var hasFloor: Bool
    /// Whether a part of the day that was counted before is unknown now: it lowers nothing, and
    /// begins nothing, since the datapoint of an event that is forgotten may be higher.
    package var isPartial = false

    /// Creates a total; the caller has checked the limits of value and comment.
    package init(
        rule: RuleName, goal: GoalSlug, day: Daystamp, value: Double, comment: String = "",
        hasFloor: Bool = false
    ) {
        precondition(value.magnitude <= Press.greatestValue)
        precondition(comment.utf8.count <= Press.commentBytes)
        self.rule = rule
        self.goal = goal
        self.day = day
        self.value = value
        self.comment = comment
        self.hasFloor = hasFloor
    }

    /// The usual key of its event: the same for every total of the rule's day, and at every relay,
    /// so that two relays with the same rule revise one datapoint.
    package var key: EventKey { key(variant: 1) }

    /// The key of the event if others have taken those before: the same day of another goal, or of
    /// another user. Beeminder is told the usual request id with all of them (`Event.requestID`).
    ///
    /// - Parameter variant: 1 for the usual key.
    func key(variant: Int) -> EventKey {
        let device = DeviceIdentity(name: DayTotal.device, generation: nil)
        guard let id = EventID("\(rule)-\(day)"), let key = EventKey(device, id).variant(variant)
        else { preconditionFailure("a rule, a day and a number are an event id") }
        return key
    }

    /// Begins the number of a variant in the id of an event. No rule has it in its name.
    fileprivate static let variantMark: Character = ":"

    /// The device of all totals. Without a generation: the request id must stay the same when the
    /// data folder is lost and the sender sends its days again.
    package static let device = DeviceName(known: "health")
}

extension EventKey {
    /// The key of that variant of a day's event, which is the first one; nil when it would be too
    /// long for an event of another kind.
    func variant(_ number: Int) -> EventKey? {
        if number == 1 { return self }
        return EventID("\(id)\(DayTotal.variantMark)\(number)").map { EventKey(identity, $0) }
    }
}

extension Event {
    /// The request id with which Beeminder knows its datapoint: for a day's total that of the rule
    /// and the day. It is unique within a goal (Beeminder API reference, "requestid").
    /// An imported one has no rule.
    package var requestID: String {
        let id = key.requestID
        let isOfDay = rule != nil || key.device == DayTotal.device && key.generation == nil
        return isOfDay ? String(id.prefix { $0 != DayTotal.variantMark }) : id
    }
}

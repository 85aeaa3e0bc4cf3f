/// When a device says that something happened.
package enum PressTime: Hashable, Sendable {
    /// It does not say: now.
    case now
    /// By its own clock.
    case timestamp(UnixTime)
    /// So many seconds ago; a device without a clock counts them.
    case age(seconds: Int64)
}

/// What a device asks to be logged, checked as far as it can be without knowing anything else.
package struct Press: Sendable {
    package var device: DeviceName
    /// The device's name for it; nil when it has none, and the relay makes one.
    package var id: EventID?
    package var goal: GoalSlug
    /// A finite number, of the goal's unit.
    package var value: Double
    package var comment: String
    package var time: PressTime
    /// What else it sent, kept and not used.
    package var metadata: [String: String]

    /// The longest comment, in bytes of UTF-8. Beeminder documents no limit; a record must fit
    /// a line of the journal.
    package static let commentBytes = 4_096
    /// All metadata of one press together, in bytes of UTF-8.
    package static let metadataBytes = 2_048

    /// A press; the caller has checked that the value is finite and the texts are not too long.
    package init(
        device: DeviceName, id: EventID?, goal: GoalSlug, value: Double = 1, comment: String = "",
        time: PressTime = .now, metadata: [String: String] = [:]
    ) {
        precondition(value.isFinite)
        precondition(comment.utf8.count <= Press.commentBytes)
        self.device = device
        self.id = id
        self.goal = goal
        self.value = value
        self.comment = comment
        self.time = time
        self.metadata = metadata
    }
}

/// Where an event's time comes from.
package enum TimeSource: String, Sendable {
    case device, age, receipt
}

/// A press that was taken into custody. Nothing in it ever changes.
package struct Event: Sendable, Equatable {
    /// When it reached the relay, on both clocks and by which boot of the machine.
    package struct Arrival: Sendable, Equatable {
        package var wall: UnixTime
        package var monotonic: Monotonic
        package var boot: String

        /// The readings at arrival.
        package init(wall: UnixTime, monotonic: Monotonic, boot: String) {
            self.wall = wall
            self.monotonic = monotonic
            self.boot = boot
        }
    }

    package let key: EventKey
    package let goal: GoalSlug
    package let value: Double
    package let comment: String
    /// When it happened. Fixed once, and the same in every attempt to deliver it: Beeminder takes
    /// another timestamp for another datapoint's.
    package let at: UnixTime
    package let timeSource: TimeSource
    package let arrival: Arrival
    package let metadata: [String: String]

    /// An event; used where records are read and where a press is accepted.
    package init(
        key: EventKey, goal: GoalSlug, value: Double, comment: String, at: UnixTime,
        timeSource: TimeSource, arrival: Arrival, metadata: [String: String] = [:]
    ) {
        self.key = key
        self.goal = goal
        self.value = value
        self.comment = comment
        self.at = at
        self.timeSource = timeSource
        self.arrival = arrival
        self.metadata = metadata
    }

    /// Is this press the same one sent again? Its time counts only when the device itself set
    /// both: an age is another one at each attempt.
    func isRepeated(by press: Press) -> Bool {
        guard press.goal == goal, press.value == value, press.comment == comment else {
            return false
        }
        if case .timestamp(let time) = press.time, timeSource == .device { return time == at }
        return true
    }
}

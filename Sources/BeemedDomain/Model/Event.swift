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
    /// Tells the device from others of that name; nil for one that was added before there were
    /// generations.
    package var generation: DeviceGeneration?
    /// The device's name for it; nil when it has none, and the relay makes one.
    package var id: EventID?
    package var goal: GoalSlug
    /// Of the goal's unit; its magnitude is at most `greatestValue`.
    package var value: Double
    package var comment: String
    package var time: PressTime
    /// The day it is for, where the device names one; Beeminder is told that in place of a time.
    package var day: PressDay?
    /// Whether a name near an unknown goal's is looked for: that costs more than the press.
    package var wantsSuggestion = true
    /// What else it sent, kept and not used.
    package var metadata: [String: String]
    /// The preset that it uses, if any.
    package var rule: PressRule?

    /// The greatest magnitude of a value: below it whole numbers are exact and sums stay finite.
    /// Beeminder documents no bound.
    package static let greatestValue = 1e15
    /// The longest comment, in bytes of UTF-8. Beeminder documents no limit; a record must fit
    /// a line of the journal.
    package static let commentBytes = 4_096
    /// All metadata of one press together, in bytes of UTF-8.
    package static let metadataBytes = 2_048

    /// A press; the caller has checked that value and texts are within their bounds.
    package init(
        device: DeviceName, generation: DeviceGeneration? = nil, id: EventID?, goal: GoalSlug,
        value: Double = 1, comment: String = "", time: PressTime = .now, day: PressDay? = nil,
        metadata: [String: String] = [:], rule: PressRule? = nil
    ) {
        precondition(value.magnitude <= Press.greatestValue)
        precondition(comment.utf8.count <= Press.commentBytes)
        self.device = device
        self.generation = generation
        self.id = id
        self.goal = goal
        self.value = value
        self.comment = comment
        self.time = time
        self.day = day
        self.metadata = metadata
        self.rule = rule
    }

    /// The device that it comes from, and no other that has or had its name.
    package var identity: DeviceIdentity { DeviceIdentity(name: device, generation: generation) }

    /// The key of the event that it is, under its own id or one that was made for it.
    package func key(_ id: EventID) -> EventKey {
        EventKey(device: device, generation: generation, id: id)
    }
}

/// Where an event's time comes from.
package enum TimeSource: String, Sendable {
    case device, age, receipt
}

/// A press that was taken into custody. Nothing in it ever changes, so it is shared and never
/// copied: from the request to the disk and back it passes through a dozen hands.
package final class Event: Sendable, Equatable {
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

    /// What it was accepted as.
    package enum Part: Sendable, Equatable {
        /// A datapoint of its own.
        case whole
        /// Nothing: its preset's guard took it for a slip of the finger, or for one too many.
        case guarded
        /// A part of that event's datapoint.
        case merged(into: SequenceNumber)
    }

    package let key: EventKey
    /// The goal as it was named; a retry may have moved the event to another one.
    package let goal: GoalSlug
    package let value: Double
    package let comment: String
    /// When it happened. Fixed once, and the same in every attempt to deliver it: Beeminder takes
    /// another timestamp for another datapoint's.
    package let at: UnixTime
    package let timeSource: TimeSource
    package let arrival: Arrival
    private let packedConnection: UInt64
    /// What few events have: hundreds of thousands may be pending, and each byte of them counts.
    private let rareFields: RareFields?
    package let metadata: [String: String]
    /// About what its lines take in the journal, in bytes: that it came, and what became of it.
    let lineBytes: Int

    /// An event; used where records are read and where a press is accepted.
    package init(
        key: EventKey, goal: GoalSlug, value: Double, comment: String, at: UnixTime,
        timeSource: TimeSource, arrival: Arrival, isTimeUnsure: Bool = false,
        isProvisional: Bool = false, connection: ConnectionName? = nil,
        preset: PresetName? = nil, part: Part = .whole, daystamp: Daystamp? = nil,
        metadata: [String: String] = [:]
    ) {
        self.key = key
        self.goal = goal
        self.value = value
        self.comment = comment
        self.at = at
        self.timeSource = timeSource
        self.arrival = arrival
        packedConnection = connection?.packed ?? 0
        rareFields =
            isTimeUnsure || isProvisional || preset != nil || part != .whole || daystamp != nil
            ? RareFields(
                isTimeUnsure: isTimeUnsure, isProvisional: isProvisional, preset: preset,
                part: part, daystamp: daystamp) : nil
        self.metadata = metadata
        let texts = metadata.reduce(comment.utf8.count) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 6
        }
        lineBytes =
            texts + key.device.description.utf8.count + key.id.description.utf8.count
            + goal.description.utf8.count + (key.generation == nil ? 330 : 345)
    }

    /// The connection under which it was accepted; nil before connections had names.
    package var connection: ConnectionName? { ConnectionName(packed: packedConnection) }
    /// The relay's own clock was not set when it came, so `at` is to be repaired before it is sent.
    package var isTimeUnsure: Bool { rareFields?.isTimeUnsure ?? false }
    /// Whether it is the first of its goal's day was not known when it came: the user's time zone
    /// was not. It is decided before it is sent.
    package var isProvisional: Bool { rareFields?.isProvisional ?? false }
    package var preset: PresetName? { rareFields?.preset }
    package var part: Part { rareFields?.part ?? .whole }
    /// The day that the device named. Beeminder is told it in place of `at`, which is then only a
    /// moment of that day as far as the relay knows the user's time zone and the goal's deadline.
    package var daystamp: Daystamp? { rareFields?.daystamp }

    /// The same event, accepted as something else.
    func accepted(as part: Part, isProvisional: Bool = false) -> Event {
        Event(
            key: key, goal: goal, value: value, comment: comment, at: at, timeSource: timeSource,
            arrival: arrival, isTimeUnsure: isTimeUnsure, isProvisional: isProvisional,
            connection: connection, preset: preset, part: part, daystamp: daystamp,
            metadata: metadata)
    }

    /// Is this press the same one sent again? Its time counts only when the device itself set
    /// both: an age is another one at each attempt, and so is a day that is counted back from
    /// today.
    func isRepeated(by press: Press) -> Bool {
        guard press.goal == goal, press.value == value, press.comment == comment,
            (press.day == nil) == (daystamp == nil)
        else { return false }
        if case .on(let day)? = press.day, day != daystamp { return false }
        if case .timestamp(let time) = press.time, timeSource == .device { return time == at }
        return true
    }

    package static func == (left: Event, right: Event) -> Bool {
        left.key == right.key && left.goal == right.goal && left.value == right.value
            && left.comment == right.comment && left.at == right.at
            && left.timeSource == right.timeSource && left.arrival == right.arrival
            && left.packedConnection == right.packedConnection
            && left.rareFields == right.rareFields && left.metadata == right.metadata
    }
}

/// What few events have.
private final class RareFields: Sendable, Equatable {
    let isTimeUnsure: Bool
    let isProvisional: Bool
    let preset: PresetName?
    let part: Event.Part
    let daystamp: Daystamp?

    init(
        isTimeUnsure: Bool, isProvisional: Bool, preset: PresetName?, part: Event.Part,
        daystamp: Daystamp?
    ) {
        self.isTimeUnsure = isTimeUnsure
        self.isProvisional = isProvisional
        self.preset = preset
        self.part = part
        self.daystamp = daystamp
    }

    static func == (left: RareFields, right: RareFields) -> Bool {
        left.isTimeUnsure == right.isTimeUnsure && left.isProvisional == right.isProvisional
            && left.preset == right.preset && left.part == right.part
            && left.daystamp == right.daystamp
    }
}

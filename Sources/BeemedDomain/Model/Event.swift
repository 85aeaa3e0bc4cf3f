/// The time that a device gives for a press.
package enum PressTime: Hashable, Sendable {
    /// None: the time of receipt.
    case now
    /// A time of the device's clock.
    case timestamp(UnixTime)
    /// An age in seconds, counted by a device without a clock.
    case age(seconds: Int64)
    /// The time in a list that a person imports: it is used at any age, and so is the day beside
    /// it. Nil when the list has only the day.
    case recorded(UnixTime?)
}

/// A request to log something, checked as far as possible without any state.
package struct Press: Sendable {
    package var device: DeviceName
    /// Distinguishes the device from others of that name; nil for a device that was added before
    /// generations existed.
    package var generation: DeviceGeneration?
    /// The id given by the device; nil when the relay must generate one.
    package var id: EventID?
    package var goal: GoalSlug
    /// In the goal's unit; its magnitude is at most `greatestValue`.
    package var value: Double
    /// Whether the value stands nowhere, and is 1 for that reason. It is refused where 1 does not
    /// mean one more.
    package var isValueImplied: Bool
    package var comment: String
    package var time: PressTime
    /// The age in seconds, if the device gives one; a timestamp beside it must agree.
    package var age: Int64?
    /// The day, if the device gives one; it is sent to Beeminder instead of a time.
    package var day: PressDay?
    /// Whether to suggest a similar goal if it is unknown: that costs more than the press.
    package var wantsSuggestion: Bool
    /// Other fields that were sent, kept but not used.
    package var metadata: [String: String]
    /// The options of the preset that it uses, if any.
    package var presetOptions: PresetOptions?

    /// The greatest magnitude of a value: below it integers are exact and sums are finite.
    /// Beeminder documents no limit.
    package static let greatestValue = 1e15
    /// The longest comment, in bytes of UTF-8. Beeminder documents no limit; a record must fit into
    /// a line of the journal.
    package static let commentBytes = 4_096
    /// The maximum size of all metadata of a press, in bytes of UTF-8.
    package static let metadataBytes = 2_048
}

extension Press {
    /// Creates a press; the caller has checked the limits of value and texts.
    package init(
        device: DeviceName, generation: DeviceGeneration? = nil, id: EventID?, goal: GoalSlug,
        value: Double = 1, isValueImplied: Bool = false, comment: String = "",
        time: PressTime = .now, age: Int64? = nil, day: PressDay? = nil,
        metadata: [String: String] = [:], presetOptions: PresetOptions? = nil
    ) {
        precondition(value.magnitude <= Press.greatestValue)
        precondition(comment.utf8.count <= Press.commentBytes)
        // The compiler's own initializer: one that sets field by field copies all of them once.
        self.init(
            device: device, generation: generation, id: id, goal: goal, value: value,
            isValueImplied: isValueImplied, comment: comment, time: time, age: age, day: day,
            wantsSuggestion: true, metadata: metadata, presetOptions: presetOptions)
    }

    /// The identity of its device.
    package var identity: DeviceIdentity { DeviceIdentity(name: device, generation: generation) }

    /// The key of its event, with its own id or a generated one.
    package func key(_ id: EventID) -> EventKey {
        EventKey(identity, id)
    }
}

/// The source of an event's time.
package enum TimeSource: String, Sendable {
    case device, age, receipt
}

/// An accepted press. Immutable, so it is shared and never copied between the request, the disk and
/// Beeminder.
package final class Event: Sendable, Equatable {
    /// When an event reached the relay, by both clocks, and during which boot of the machine.
    package struct Arrival: Sendable, Equatable {
        package var wall: UnixTime
        package var monotonic: Monotonic
        package var boot: String
        /// Whether the relay's clock was not set: the event's time is repaired before sending.
        package var isClockUnset = false
        /// Whether the relay's clock was not compared with Beeminder's. The comparison precedes any
        /// sending; if the machine stops before, the error of the clock stays unknown.
        package var isClockUncompared = false
    }

    /// How a press was accepted.
    package enum Part: Sendable, Equatable {
        /// A datapoint of its own.
        case whole
        /// No datapoint: its preset's guard rejected it as accidental or as one press too many.
        /// Earlier versions have not recorded which guard.
        case guarded(by: PresetGuard?)
        /// A part of that event's datapoint.
        case merged(into: SequenceNumber)
    }

    package let key: EventKey
    /// The goal named by the press; a retry may have moved the event to another one.
    package let goal: GoalSlug
    package let value: Double
    package let comment: String
    /// When the event happened. Fixed once, and the same in every delivery attempt: for Beeminder
    /// another timestamp means another datapoint.
    package let at: UnixTime
    package let timeSource: TimeSource
    package let arrival: Arrival
    /// Fields that few events have: many events may be pending, and every byte counts.
    private let rareFields: Boxed<RareFields>?
    package let metadata: [String: String]
    /// The approximate size in bytes of its lines in the journal: acceptance and outcome.
    let lineBytes: Int

    /// Creates an event; used for reading records and for accepting a press.
    init(
        key: EventKey, goal: GoalSlug, value: Double, comment: String, at: UnixTime,
        timeSource: TimeSource, arrival: Arrival, rare: RareFields = RareFields(),
        metadata: [String: String] = [:]
    ) {
        self.key = key
        self.goal = goal
        self.value = value
        self.comment = comment
        self.at = at
        self.timeSource = timeSource
        self.arrival = arrival
        rareFields = rare == RareFields() ? nil : Boxed(rare)
        self.metadata = metadata
        let texts = metadata.reduce(comment.utf8.count) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 6
        }
        lineBytes =
            texts + key.device.description.utf8.count + key.id.description.utf8.count
            + goal.description.utf8.count + (key.generation == nil ? 330 : 345)
            + (rare.rule == nil ? 0 : 120)
    }

    /// Whether the event has any of the fields that few events have.
    var hasRareFields: Bool { rareFields != nil }

    /// Whether the user's time zone was unknown at acceptance, and so whether the press is the
    /// first of its goal's day. That is decided before sending.
    package var isProvisional: Bool { rareFields?.value.isProvisional ?? false }
    /// Its preset's `minimumInterval` in seconds, if it was unknown at acceptance whether another
    /// press is closer, because the relay's clock was not compared with Beeminder's. That is
    /// decided before sending.
    var undecidedInterval: Int64? { rareFields?.value.undecidedInterval }
    /// Whether the guards of its preset could not be evaluated at acceptance.
    var isUndecided: Bool { isProvisional || undecidedInterval != nil }
    package var preset: PresetName? { rareFields?.value.preset }
    package var part: Part { rareFields?.value.part ?? .whole }
    /// The guard that kept the event from being sent when it was accepted, if one did.
    package var guardedBy: PresetGuard? {
        if case .guarded(let by) = part { by } else { nil }
    }
    /// The day given by the device. It is sent to Beeminder instead of `at`, which is then only a
    /// moment of that day, as far as the relay knows the user's time zone and the goal's deadline.
    package var daystamp: Daystamp? { rareFields?.value.daystamp }
    /// The rule whose day it is the total of; nil for a press. Only such an event may be revised.
    package var rule: RuleName? { rareFields?.value.rule }
    /// Whether the event is a day's total and no press.
    package var isTotal: Bool { rule != nil }

    /// The same event, accepted as another part.
    func accepted(
        as part: Part, isProvisional: Bool = false, undecidedInterval: Int64? = nil
    ) -> Event {
        var rare = rareFields?.value ?? RareFields()
        rare.part = part
        rare.isProvisional = isProvisional
        rare.undecidedInterval = undecidedInterval
        return Event(
            key: key, goal: goal, value: value, comment: comment, at: at, timeSource: timeSource,
            arrival: arrival, rare: rare, metadata: metadata)
    }

    /// Whether this press is the same one sent again. The time is compared only if the device set
    /// both times: an age differs at each attempt, and so does a day counted back from today.
    func isRepeated(by press: Press) -> Bool {
        guard press.goal == goal, press.value == value, press.comment == comment,
            isOfDay(press.day, beside: press.time)
        else { return false }
        guard timeSource == .device else { return true }
        switch press.time {
        case .timestamp(let time), .recorded(let time?): return time == at
        case .now, .age, .recorded(nil): return true
        }
    }

    private func isOfDay(_ day: PressDay?, beside time: PressTime) -> Bool {
        switch day {
        // Beside a time it was only compared with that.
        case .at(let moment):
            time == .now ? moment == at : daystamp != nil || timeSource != .receipt
        case nil: daystamp == nil
        case .on(let day): day == daystamp
        case .latest: daystamp != nil
        // The day was counted in seconds while nobody knew the day of the user.
        case .ago(let days):
            daystamp != nil
                || timeSource == .age
                    && arrival.wall.seconds - at.seconds == Int64(days) * 86_400
        }
    }

    package static func == (left: Event, right: Event) -> Bool {
        left.key == right.key && left.goal == right.goal && left.value == right.value
            && left.comment == right.comment && left.at == right.at
            && left.timeSource == right.timeSource && left.arrival == right.arrival
            && left.rareFields == right.rareFields && left.metadata == right.metadata
    }
}

/// Fields that few events have.
struct RareFields: Sendable, Equatable {
    var isProvisional = false
    /// In seconds.
    var undecidedInterval: Int64?
    var preset: PresetName?
    var part = Event.Part.whole
    var daystamp: Daystamp?
    var rule: RuleName?
}

/// A value that few of many have, stored apart from them to save memory.
final class Boxed<Value: Sendable & Equatable>: Sendable, Equatable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Boxed, right: Boxed) -> Bool { left.value == right.value }
}

/// A preset's options for the presses that use it.
package struct PresetOptions: Equatable, Sendable {
    package let preset: PresetName
    /// The minimum seconds between two presses; an earlier press counts as accidental and is
    /// guarded. Nil for no such guard.
    package let minimumInterval: Int64?
    /// Whether only the first press of the goal's day counts.
    package let oncePerDay: Bool
    /// Presses within this many seconds become one datapoint, so that a tally counter stays below
    /// Beeminder's daily cap. Nil for one datapoint per press.
    package let mergeSeconds: Int64?

    /// The longest interval and window, in seconds: presses are compared as long as they are known.
    package static let longestSeconds: Int64 = 7 * 86_400

    /// Creates the options; the caller has checked that the seconds are from 1 to `longestSeconds`.
    package init(
        preset: PresetName, minimumInterval: Int64? = nil, oncePerDay: Bool = false,
        mergeSeconds: Int64? = nil
    ) {
        self.preset = preset
        self.minimumInterval = minimumInterval
        self.oncePerDay = oncePerDay
        self.mergeSeconds = mergeSeconds
    }
}

/// The guard of a preset that kept a press from being sent.
package enum PresetGuard: Hashable, Sendable {
    /// `minimumInterval`: another press came within so many seconds.
    case minimumInterval(Int64)
    /// `oncePerDay`: the goal's day has a datapoint already.
    case oncePerDay
}

extension Press {
    /// The key of a replaced timestamp in an event's metadata. No unknown field has this name.
    fileprivate static let replacedTime = "timestamp"

    /// The event's metadata, with a replaced timestamp. The timestamp may have been right if the
    /// relay's clock turns out to be wrong.
    fileprivate func keptMetadata(_ source: TimeSource) -> [String: String] {
        guard case .timestamp(let said) = time, source == .receipt, said >= TimeRules.earliest
        else { return metadata }
        return metadata.merging([Press.replacedTime: "\(said.seconds)"]) { _, said in said }
    }

    /// Its event, accepted at that time under this id.
    func event(
        _ id: EventID, _ time: AcceptedTime, at now: Moment, boot: String, isSound: Bool = true,
        isCompared: Bool = true
    ) -> Event {
        Event(
            key: key(id), goal: goal, value: value, comment: comment, at: time.at,
            timeSource: time.source,
            arrival: Event.Arrival(
                wall: now.wall, monotonic: now.monotonic, boot: boot, isClockUnset: !isSound,
                isClockUncompared: !isCompared),
            rare: RareFields(preset: presetOptions?.preset, daystamp: time.daystamp),
            metadata: keptMetadata(time.source))
    }
}

extension Event {
    /// The device's time, if it was replaced by the time of receipt.
    var replacedTime: UnixTime? {
        guard timeSource == .receipt, !metadata.isEmpty else { return nil }
        return metadata[Press.replacedTime].flatMap { Int64($0) }.map { UnixTime($0) }
    }
}

@testable import BeemedDomain

extension Event {
    /// An event in which only what a test names matters.
    static func make(
        _ id: String = "1", device: String = "button", generation: String? = nil,
        goal: String = "pushups", value: Double = 1, comment: String = "",
        at: Int64 = 1_760_000_000, from: TimeSource = .receipt, day: Daystamp? = nil,
        rule: RuleName? = nil, metadata: [String: String] = [:]
    ) -> Event {
        Event(
            key: EventKey(
                device: .known(device), generation: generation.flatMap(DeviceGeneration.init),
                id: .known(id)), goal: .known(goal),
            value: value, comment: comment, at: UnixTime(at), timeSource: from,
            arrival: Arrival(
                wall: UnixTime(at), monotonic: Monotonic(milliseconds: 5_000), boot: "b00t"),
            rare: RareFields(daystamp: day, rule: rule), metadata: metadata)
    }
}

extension EventKey {
    init(device: DeviceName, generation: DeviceGeneration? = nil, id: EventID) {
        self.init(DeviceIdentity(name: device, generation: generation), id)
    }
}

extension Press {
    /// A press in which only what a test names matters.
    static func make(
        _ id: String? = "1", device: String = "button", goal: String = "pushups",
        value: Double = 1, comment: String = "", time: PressTime = .now, day: PressDay? = nil,
        rule: PresetOptions? = nil
    ) -> Press {
        Press(
            device: .known(device), id: id.map(EventID.known), goal: .known(goal), value: value,
            comment: comment, time: time, day: day, presetOptions: rule)
    }
}

/// Beeminder's answers to a datapoint.
extension Outcome {
    static let created = Outcome.delivered(.created, datapoint: "d1")
    static let updated = Outcome.delivered(.updated, datapoint: "d1")
    static let faulty = Outcome.refused(status: 422, why: "no")
}

extension Moment {
    /// Noon of the day on which a bench begins.
    static let noon = Moment(
        wall: UnixTime(1_760_011_200), monotonic: Monotonic(milliseconds: 0))
}

extension EventID {
    static func known(_ text: String) -> EventID {
        guard let id = EventID(text) else { preconditionFailure("no id: \(text)") }
        return id
    }
}

extension SequenceNumber: ExpressibleByIntegerLiteral {
    /// A number as it stands in a test.
    public init(integerLiteral value: UInt64) {
        self.init(value)
    }
}

extension Journal.Limits {
    /// Small enough that a few events meet every bound.
    static var small: Journal.Limits {
        var limits = Journal.Limits()
        limits.segmentBytes = 700
        limits.freeBytes = 2_000
        limits.reserveBytes = 500
        limits.batchBytes = 600
        limits.ringBytes = 0
        return limits
    }

    /// The same, with room for two or three events ahead of them.
    static var smallWithRoom: Journal.Limits {
        var limits = small
        limits.preallocatedBytes = 700
        limits.recordsBeforePreallocation = 0
        return limits
    }

    /// Without rotation and reserve.
    static var plain: Journal.Limits {
        var limits = Journal.Limits()
        limits.freeBytes = 0
        limits.reserveBytes = 0
        return limits
    }
}

extension UpstreamUser: ExpressibleByStringLiteral {
    /// A user of whom only the name matters.
    public init(stringLiteral name: String) {
        self.init(name: name)
    }
}

extension OutgoingDatapoint {
    /// An event on its way for the first time.
    init(_ number: SequenceNumber, _ event: Event) {
        self.init(
            number: number, goal: event.goal, requestID: event.key.requestID, value: event.value,
            comment: event.comment, at: event.at)
    }
}

extension Placement {
    /// A datapoint that was never sent.
    static let absent: Placement = {
        var placement = Placement.unknown
        placement.confirm(nil, sent: Monotonic(milliseconds: .min))
        return placement
    }()
}

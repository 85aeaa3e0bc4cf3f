/// The contents of a valid line of the journal.
enum Line: Sendable, Equatable {
    case open(Opening)
    case record(Record)
    /// A clean shutdown before that record.
    case close(next: SequenceNumber)
    /// A type that this version does not know, with a valid checksum.
    case unknown(number: SequenceNumber?)
    /// The first line of a segment that another version wrote: nothing may be changed.
    case otherVersion(Int)
}

extension Line {
    /// The longest line, in bytes. A longer one is damage, so the buffer is limited.
    static let longest = 65_536
    /// The TAB and eight hex digits after the JSON.
    static let checkBytes = 9
    /// The beginning of every line.
    static let start: StaticString = "{\"t\":\""

    /// Whether the JSON of a line is about its segment: its first line, or that of a clean
    /// shutdown.
    static func isOfSegment(_ json: ArraySlice<UInt8>) -> Bool {
        let type = json.dropFirst(start.utf8CodeUnitCount)
        return type.starts(with: "open\"".utf8) || type.starts(with: "close\"".utf8)
    }

    /// Parses the JSON of a line; nil when its contents are inconsistent.
    init?(json: ArraySlice<UInt8>) {
        // Another version, or a type that this one does not know, may have members of other kinds.
        do throws(JSONReader.Fault) {
            self = try Line(json) { _ in true }
        } catch {
            do throws(JSONReader.Fault) {
                self = try Line(json) { $0 == "t" || $0 == "v" || $0 == "q" }
            } catch { return nil }
        }
    }

    /// Parses the JSON of a line by the members of these names.
    private init(
        _ json: ArraySlice<UInt8>, reading isRead: (String) -> Bool
    ) throws(JSONReader.Fault) {
        var members = Members()
        var reader = JSONReader(json)
        try reader.members { (name, value) throws(JSONReader.Fault) in
            if isRead(name) { try members.read(name, &value) } else { try value.skip() }
        }
        try reader.expectEnd()
        self = try members.line()
    }
}

/// The members of a line of any type, each of them optional.
private struct Members {
    private var type: String?
    private var number: SequenceNumber?
    /// The event of a record about one.
    private var of: SequenceNumber?

    // Of `open`.
    private var version: Int?
    private var store: String?
    private var segment: Int?
    private var oldest: Int?

    // Of `put` and `carried`; some of other records, too.
    private var device: DeviceName?
    private var generation: DeviceGeneration?
    private var id: EventID?
    private var goal: GoalSlug?
    private var value: Double?
    private var comment = ""
    private var metadata: [String: String] = [:]
    private var at: UnixTime?
    private var source: TimeSource?
    private var arrival: Event.Arrival?
    private var isTimeUnsure = false
    private var isClockUncompared = false
    private var isProvisional = false
    private var interval: Int64?
    private var preset: PresetName?
    private var day: Daystamp?
    private var rule: RuleName?
    private var isGuarded: Bool?
    /// Nil in the lines of earlier versions. It is shown only, so one that cannot be is none.
    private var guardian: PresetGuard?
    private var state: RecordedState?
    private var tried: Recovered.Attempts?

    // Of `done`, `refused`, `revise`, `tried` and `retry`.
    private var end = RecordedEnd()
    private var through: SequenceNumber?
    private var leaving: GoalSlug?
    private var mayLower = false
    private var isInDoubt = false
    private var attempts: Int?

    // Of `user`.
    private var user: String?
    private var userID: String?
    private var since = SequenceNumber(0)

    /// Reads a member. Members added by a later version are skipped.
    mutating func read(_ name: String, _ json: inout JSONReader) throws(JSONReader.Fault) {
        switch name {
        case "t": type = try json.string()
        case "q": number = try json.sequenceNumber()
        case "src": device = try json.checked(DeviceName.init(rawValue:))
        case "gen": generation = try json.checked(DeviceGeneration.init(rawValue:))
        case "id": id = try json.checked(EventID.init(recorded:))
        case "goal": goal = try json.checked(GoalSlug.init)
        case "value": value = try json.double()
        case "comment": comment = try json.string()
        case "at": at = UnixTime(try json.integer())
        case "from": source = try json.checked(TimeSource.init(rawValue:))
        case "rx": arrival = try Event.Arrival(&json)
        case "of": of = try json.sequenceNumber()
        case "how", "datapoint", "status", "why", "into": try end.read(name, &json)
        case "state": state = try RecordedState(&json)
        case "meta": metadata = try json.texts()
        case "preset": preset = PresetName(try json.string())
        case "day": day = try json.checked { Daystamp($0) }
        case "rule": rule = RuleName(try json.string())
        default: try readRare(name, &json)
        }
    }

    private mutating func readRare(
        _ name: String, _ json: inout JSONReader
    ) throws(JSONReader.Fault) {
        switch name {
        case "unsure": isTimeUnsure = try json.flag()
        case "uncompared": isClockUncompared = try json.flag()
        case "provisional": isProvisional = try json.flag()
        case "interval": interval = Int64(try json.count())
        case "guarded": isGuarded = try json.flag()
        case "by": guardian = PresetGuard(recorded: try json.integer())
        case "tried": tried = try Recovered.Attempts(&json)
        case "through": through = try json.sequenceNumber()
        case "leaving": leaving = try json.checked(GoalSlug.init)
        case "lower": mayLower = try json.flag()
        case "doubt": isInDoubt = try json.flag()
        case "n": attempts = try json.count()
        case "user": user = try json.string()
        case "userid": userID = try json.string()
        case "since": since = try json.sequenceNumber()
        case "v": version = try json.count()
        case "store": store = try json.string()
        case "seg": segment = try json.count()
        case "oldest": oldest = try json.count()
        default: try json.skip()
        }
    }

    /// The line, if all members that its type requires are there.
    func line() throws(JSONReader.Fault) -> Line {
        let type = try need(type)
        if type == "open" { return try opening() }
        guard let number else { return .unknown(number: nil) }
        if type == "close" { return .close(next: number) }
        guard let fact = try fact(type, number) else { return .unknown(number: number) }
        return .record(Record(number, fact))
    }

    /// The fact of a record; nil for a type that this version does not know.
    private func fact(
        _ type: String, _ number: SequenceNumber
    ) throws(JSONReader.Fault) -> Record.Fact? {
        switch type {
        case "put": .put(try event())
        case "carried": .carried(try entry(statedAt: number))
        case "done":
            .done(
                of: try need(of), how: try need(end.how), datapoint: end.datapoint,
                through: through)
        case "refused":
            .refused(
                of: try need(of), status: try need(end.status), why: end.why, isInDoubt: isInDoubt)
        case "revise": .revise(of: try need(of), value: try need(value), mayLower: mayLower)
        case "undo": .undo(of: try need(of))
        case "undone": .undone(of: try need(of))
        case "left-out": .leftOut(of: try need(of))
        case "retry": .retry(of: try need(of), goal: goal, leaving: leaving)
        case "cleared": .cleared(of: try need(of))
        case "timed": .timed(of: try need(of), at: try time())
        case "judged":
            .evaluated(of: try need(of), isGuarded: try need(isGuarded), by: guardian)
        case "user": .user(FolderUser(name: try need(user), id: userID, since: since))
        case "tried": .tried(of: try need(of), attempts: try need(attempts), why: end.why)
        case "mark": .mark
        default: nil
        }
    }

    private func opening() throws(JSONReader.Fault) -> Line {
        let version = try need(version)
        guard version == Opening.version else { return .otherVersion(version) }
        return .open(
            Opening(
                store: try need(store), segment: try need(segment), firstNumber: try need(number),
                oldest: try need(oldest), at: try need(at)))
    }

    private func entry(
        statedAt number: SequenceNumber
    ) throws(JSONReader.Fault) -> Recovered.Entry {
        let of = try need(of)
        guard of < number else { throw JSONReader.Fault() }
        return Recovered.Entry(
            number: of, event: try event(), recorded: try need(state), tried: tried,
            statedAt: number)
    }

    private func event() throws(JSONReader.Fault) -> Event {
        Event(
            key: EventKey(device: try need(device), generation: generation, id: try need(id)),
            goal: try need(goal), value: try need(value), comment: comment, at: try time(),
            timeSource: try need(source), arrival: try need(arrival), isTimeUnsure: isTimeUnsure,
            isClockUncompared: isClockUncompared, isProvisional: isProvisional,
            undecidedInterval: interval, preset: preset,
            part: isGuarded == true
                ? .guarded(by: guardian) : end.into.map { .merged(into: $0) } ?? .whole,
            daystamp: day, rule: rule, metadata: metadata)
    }

    /// A time of which no relay's clock can have been was never written.
    private func time() throws(JSONReader.Fault) -> UnixTime {
        let time = try need(at)
        guard UnixTime.recordable.contains(time) else { throw JSONReader.Fault() }
        return time
    }

    private func need<Value>(_ value: Value?) throws(JSONReader.Fault) -> Value {
        guard let value else { throw JSONReader.Fault() }
        return value
    }
}

extension Recovered.Attempts {
    fileprivate init(_ json: inout JSONReader) throws(JSONReader.Fault) {
        (count, why) = (0, "")
        try json.members { (name, value) throws(JSONReader.Fault) in
            switch name {
            case "n": count = Int(min(max(try value.integer(), 0), 1 << 31))
            case "why": why = try value.string()
            default: try value.skip()
            }
        }
    }
}

extension Event.Arrival {
    fileprivate init(_ json: inout JSONReader) throws(JSONReader.Fault) {
        self.init(wall: UnixTime(0), monotonic: Monotonic(milliseconds: 0), boot: "")
        try json.members { (name, value) throws(JSONReader.Fault) in
            switch name {
            case "wall": wall = UnixTime(try value.integer())
            case "mono": monotonic = Monotonic(milliseconds: try value.integer())
            case "boot": boot = try value.string()
            default: try value.skip()
            }
        }
        guard UnixTime.recordable.contains(wall), Monotonic.recordable.contains(monotonic) else {
            throw JSONReader.Fault()
        }
    }
}

/// Values of the journal's lines.
extension JSONReader {
    /// The number of a record. A number that leaves too few for more records was never written.
    mutating func sequenceNumber() throws(Fault) -> SequenceNumber {
        let value = try integer()
        guard (1..<1 << 52).contains(value) else { throw Fault() }
        return SequenceNumber(UInt64(value))
    }

    mutating func count() throws(Fault) -> Int {
        let value = try integer()
        guard (0..<1 << 31).contains(value) else { throw Fault() }
        return Int(value)
    }

    /// A text that must be a name of that kind.
    mutating func checked<Name>(_ make: (String) -> Name?) throws(Fault) -> Name {
        guard let name = make(try string()) else { throw Fault() }
        return name
    }
}

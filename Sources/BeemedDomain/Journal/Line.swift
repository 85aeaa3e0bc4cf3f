/// The contents of a valid line of the journal.
enum Line: Sendable, Equatable {
    case open(Opening)
    case record(Record)
    /// A clean shutdown before that record.
    case close(next: SequenceNumber)
    /// A type that this version does not know, with a valid checksum.
    case unknown(number: SequenceNumber?)
}

/// Why the JSON of a line with a valid checksum cannot be used.
enum LineFault: Error, Equatable, Sendable {
    /// The contents are inconsistent.
    case contents
    /// A format of another version: nothing may be changed.
    case otherVersion(Int)
}

extension Line {
    /// The longest line, in bytes. A longer one is damage, so the buffer is limited.
    static let longest = 65_536
    /// The TAB and eight hex digits after the JSON.
    static let checkBytes = 9
    /// The beginning of every line.
    static let start: StaticString = "{\"t\":\""

    /// Whether the JSON of a line is about its segment: its first line, or that of a clean shutdown.
    static func isOfSegment(_ json: ArraySlice<UInt8>) -> Bool {
        let type = json.dropFirst(start.utf8CodeUnitCount)
        return type.starts(with: "open\"".utf8) || type.starts(with: "close\"".utf8)
    }

    /// Parses the JSON of a line.
    ///
    /// - Throws: the fault of the line.
    init(json: ArraySlice<UInt8>) throws(LineFault) {
        var raw = RawLine()
        var reader = JSONReader(json)
        do throws(JSONReader.Fault) {
            try reader.object { (name, value) throws(JSONReader.Fault) in
                try raw.parseMember(name, &value)
            }
            try reader.expectEnd()
        } catch { throw .contents }
        self = try raw.line()
    }
}

/// The members of a line of any type, each of them optional.
private struct RawLine {
    private var t: String?
    private var q: Int64?
    /// The event of a record about one.
    private var of: Int64?
    /// How many lines or attempts.
    private var n: Int64?
    private var opening = Header()
    private var key = Key()
    private var content = Content()
    private var time = Time()
    private var rule = Rule()
    private var outcome = Ending()
    private var owner = Owner()
    private var statement = Statement()

    /// Of `open`.
    private struct Header {
        var v: Int64?
        var store: String?
        var seg: Int64?
        var oldest: Int64?
    }

    /// Of `carried`.
    private struct Statement {
        var state: RecordedState?
        var tried: Recovered.Attempts?
    }

    /// Of `put` and `carried`: what the request id is made from.
    private struct Key {
        var src: String?
        var gen: String?
        var id: String?
    }

    /// Of `put`; the goal of `retry` and the value of `revise`, too.
    private struct Content {
        var goal: String?
        var value: Double?
        var comment: String?
        var meta: [String: String] = [:]
        var rule: String?
    }

    /// Of `put`; the time of `timed`, too.
    private struct Time {
        var at: Int64?
        var from: String?
        var day: String?
        var unsure: Bool?
        var uncompared: Bool?
        var arrival: Event.Arrival?
    }

    /// Of `put`; the decision of `judged`, too.
    private struct Rule {
        var preset: String?
        var guarded: Bool?
        var into: Int64?
        var provisional: Bool?
        var interval: Int64?
        /// The guard: the seconds of its interval, or 0 for one press a day.
        var by: Int64?
    }

    /// Of `done`, `refused`, `tried` and `retry`.
    private struct Ending {
        var how: String?
        var datapoint: String?
        var status: Int64?
        var why: String?
        var through: Int64?
        var leaving: String?
        var lower: Bool?
    }

    /// Of `user`.
    private struct Owner {
        var user: String?
        var id: String?
        var since: Int64?
    }

    /// Parses a member. Members added by a later version are skipped.
    mutating func parseMember(_ name: String, _ json: inout JSONReader) throws(JSONReader.Fault) {
        switch name {
        case "t": t = try json.string()
        case "q": q = try json.integer()
        case "src": key.src = try json.string()
        case "gen": key.gen = try json.string()
        case "id": key.id = try json.string()
        case "goal": content.goal = try json.string()
        case "value": content.value = try json.double()
        case "comment": content.comment = try json.string()
        case "at": time.at = try json.integer()
        case "from": time.from = try json.string()
        case "rx": try readArrival(&json)
        case "of": of = try json.integer()
        case "how": outcome.how = try json.string()
        case "datapoint": outcome.datapoint = try json.string()
        case "status": outcome.status = try json.integer()
        case "why": outcome.why = try json.string()
        case "through": outcome.through = try json.integer()
        case "leaving": outcome.leaving = try json.string()
        case "lower": outcome.lower = try json.flag()
        case "meta": content.meta = try json.texts()
        case "unsure": time.unsure = try json.flag()
        case "uncompared": time.uncompared = try json.flag()
        case "rule": content.rule = try json.string()
        case "preset": rule.preset = try json.string()
        case "guarded": rule.guarded = try json.flag()
        case "into": rule.into = try json.integer()
        case "day": time.day = try json.string()
        case "provisional": rule.provisional = try json.flag()
        case "user": owner.user = try json.string()
        case "userid": owner.id = try json.string()
        case "n": n = try json.integer()
        default: try readRare(name, &json)
        }
    }

    private mutating func readRare(
        _ name: String, _ json: inout JSONReader
    ) throws(JSONReader.Fault) {
        switch name {
        case "since": owner.since = try json.integer()
        case "interval": rule.interval = try json.integer()
        case "by": rule.by = try json.integer()
        case "v": opening.v = try json.integer()
        case "store": opening.store = try json.string()
        case "seg": opening.seg = try json.integer()
        case "oldest": opening.oldest = try json.integer()
        case "state": statement.state = try RecordedState(&json)
        case "tried": try readAttempts(&json)
        default: try json.skip()
        }
    }

    private mutating func readAttempts(_ json: inout JSONReader) throws(JSONReader.Fault) {
        var (count, why): (Int64, String) = (0, "")
        try json.object { (name, value) throws(JSONReader.Fault) in
            switch name {
            case "n": count = try value.integer()
            case "why": why = try value.string()
            default: try value.skip()
            }
        }
        statement.tried = Recovered.Attempts(
            count: Int(min(max(count, 0), 1 << 31)), why: why)
    }

    private mutating func readArrival(_ json: inout JSONReader) throws(JSONReader.Fault) {
        var arrival = Event.Arrival(
            wall: UnixTime(0), monotonic: Monotonic(milliseconds: 0), boot: "")
        try json.object { (name, value) throws(JSONReader.Fault) in
            switch name {
            case "wall": arrival.wall = UnixTime(try value.integer())
            case "mono": arrival.monotonic = Monotonic(milliseconds: try value.integer())
            case "boot": arrival.boot = try value.string()
            default: try value.skip()
            }
        }
        time.arrival = arrival
    }

    /// The line, if all members that its type requires are there.
    func line() throws(LineFault) -> Line {
        let type = try need(t)
        if type == "open" { return .open(try readOpening()) }
        guard let q else { return .unknown(number: nil) }
        let number = try sequence(q)
        switch type {
        case "put": return .record(Record(number, .put(try event())))
        case "carried": return .record(Record(number, .carried(try entry(statedAt: number))))
        case "done", "refused": return .record(Record(number, try outcome(type)))
        case "revise": return .record(Record(number, try revision()))
        case "undo": return .record(Record(number, .undo(of: try sequence(of))))
        case "undone": return .record(Record(number, .undone(of: try sequence(of))))
        case "left-out": return .record(Record(number, .leftOut(of: try sequence(of))))
        case "retry": return .record(Record(number, try retry()))
        case "cleared": return .record(Record(number, .cleared(of: try sequence(of))))
        case "timed":
            let at = try moment(time.at)
            return .record(Record(number, .timed(of: try sequence(of), at: at)))
        case "judged":
            let isGuarded = try need(rule.guarded)
            return .record(
                Record(number, .evaluated(of: try sequence(of), isGuarded: isGuarded, by: by)))
        case "user":
            let since = try owner.since.map { since throws(LineFault) in try sequence(since) }
            let user = FolderUser(
                name: try need(owner.user), id: owner.id, since: since ?? SequenceNumber(0))
            return .record(Record(number, .user(user)))
        case "tried":
            let fact = Record.Fact.tried(
                of: try sequence(of), attempts: try small(n), why: outcome.why ?? "")
            return .record(Record(number, fact))
        case "mark": return .record(Record(number, .mark))
        case "close": return .close(next: number)
        default: return .unknown(number: number)
        }
    }

    private func revision() throws(LineFault) -> Record.Fact {
        .revise(
            of: try sequence(of), value: try need(content.value), mayLower: outcome.lower ?? false)
    }

    private func readOpening() throws(LineFault) -> Opening {
        let version = try small(opening.v)
        guard version == Opening.version else { throw .otherVersion(version) }
        return Opening(
            store: try need(opening.store), segment: try small(opening.seg),
            firstNumber: try sequence(q), oldest: try small(opening.oldest),
            at: UnixTime(try need(time.at)))
    }

    private func entry(statedAt number: SequenceNumber) throws(LineFault) -> Recovered.Entry {
        let of = try sequence(self.of)
        guard of < number else { throw .contents }
        return Recovered.Entry(
            number: of, event: try event(), recorded: try need(statement.state),
            tried: statement.tried, statedAt: number)
    }

    private func event() throws(LineFault) -> Event {
        return Event(
            key: EventKey(
                device: try need(DeviceName(try need(key.src))), generation: try generation(),
                id: try need(EventID(recorded: try need(key.id)))),
            goal: try need(GoalSlug(try need(content.goal))), value: try need(content.value),
            comment: content.comment ?? "", at: try moment(time.at),
            timeSource: try need(TimeSource(rawValue: try need(time.from))),
            arrival: try arrival(),
            isTimeUnsure: time.unsure ?? false,
            isClockUncompared: time.uncompared ?? false, isProvisional: rule.provisional ?? false,
            undecidedInterval: try interval(),
            preset: rule.preset.flatMap(PresetName.init), part: try part(),
            daystamp: try time.day.map { text throws(LineFault) in try need(Daystamp(text)) },
            rule: content.rule.flatMap(RuleName.init),
            metadata: content.meta)
    }

    /// Nil in the lines of earlier versions. An invalid one is damage: without it the event would
    /// be another one.
    private func generation() throws(LineFault) -> DeviceGeneration? {
        guard let gen = key.gen else { return nil }
        return try need(DeviceGeneration(gen))
    }

    private func part() throws(LineFault) -> Event.Part {
        if rule.guarded == true { return .guarded(by: by) }
        return rule.into == nil ? .whole : .merged(into: try sequence(rule.into))
    }

    /// Nil in the lines of earlier versions. It is shown only, so one that cannot be is none.
    private var by: PresetGuard? { rule.by.flatMap(PresetGuard.init(recorded:)) }

    private func interval() throws(LineFault) -> Int64? {
        guard let interval = rule.interval else { return nil }
        return Int64(try small(interval))
    }

    private func retry() throws(LineFault) -> Record.Fact {
        .retry(
            of: try sequence(of), goal: try slug(content.goal), leaving: try slug(outcome.leaving))
    }

    private func slug(_ name: String?) throws(LineFault) -> GoalSlug? {
        guard let name else { return nil }
        return try need(GoalSlug(name))
    }

    private func outcome(_ type: String) throws(LineFault) -> Record.Fact {
        let of = try sequence(self.of)
        if type == "refused" {
            return .refused(of: of, status: try small(outcome.status), why: outcome.why ?? "")
        }
        return .done(
            of: of, how: try need(Delivered(rawValue: try need(outcome.how))),
            datapoint: outcome.datapoint,
            through: outcome.through == nil ? nil : try sequence(outcome.through))
    }

    /// A time of which no relay's clock can have been was never written.
    private func moment(_ seconds: Int64?) throws(LineFault) -> UnixTime {
        let time = UnixTime(try need(seconds))
        guard UnixTime.recordable.contains(time) else { throw .contents }
        return time
    }

    private func arrival() throws(LineFault) -> Event.Arrival {
        let arrival = try need(time.arrival)
        guard UnixTime.recordable.contains(arrival.wall),
            Monotonic.recordable.contains(arrival.monotonic)
        else { throw .contents }
        return arrival
    }

    /// A number whose successors would overflow was never written.
    private func sequence(_ value: Int64?) throws(LineFault) -> SequenceNumber {
        let value = try need(value)
        guard (1..<1 << 53).contains(value) else { throw .contents }
        return SequenceNumber(UInt64(value))
    }

    private func small(_ value: Int64?) throws(LineFault) -> Int {
        let value = try need(value)
        guard (0..<1 << 31).contains(value) else { throw .contents }
        return Int(value)
    }

    private func need<Value>(_ value: Value?) throws(LineFault) -> Value {
        guard let value else { throw .contents }
        return value
    }
}

/// The contents of a valid line of the journal.
enum Line: Sendable, Equatable {
    case open(Opening)
    case record(Record)
    case baseEnd(next: SequenceNumber, count: Int)
    case seal(next: SequenceNumber, count: Int)
    case close(next: SequenceNumber, count: Int)
    /// A type written by a later version, with a valid checksum: it must be kept.
    case unknown(number: SequenceNumber?)
}

/// Why the JSON of a line with a valid checksum cannot be used.
enum LineFault: Error, Equatable, Sendable {
    /// It is inconsistent.
    case contents
    /// A format written by a later version: nothing may be changed.
    case laterVersion(Int)
}

extension Line {
    /// The longest line, in bytes. A longer one is damage, so the buffer is limited.
    static let longest = 65_536
    /// The TAB and eight hex digits after the JSON.
    static let checkBytes = 9
    /// The beginning of every line.
    static let start: StaticString = "{\"t\":\""

    /// Parses the JSON of a line.
    ///
    /// - Throws: the fault of the line.
    init(json: ArraySlice<UInt8>) throws(LineFault) {
        var raw = RawLine()
        var reader = JSONReader(json)
        do throws(JSONReader.Fault) {
            try reader.object { (name, value) throws(JSONReader.Fault) in
                try raw.read(name, &value)
            }
            try reader.end()
        } catch { throw .contents }
        self = try raw.line()
    }
}

/// The members of a line of any type, each of them optional.
private struct RawLine {
    private var t: String?
    private var q: Int64?
    // open
    private var v: Int64?
    private var store: String?
    private var seg: Int64?
    private var base: Bool?
    // put
    private var src: String?
    private var gen: String?
    private var id: String?
    private var goal: String?
    private var value: Double?
    private var comment: String?
    private var at: Int64?
    private var from: String?
    private var arrival = Event.Arrival(
        wall: UnixTime(0), monotonic: Monotonic(milliseconds: 0), boot: "")
    private var hasArrival = false
    private var meta: [String: String] = [:]
    private var unsure: Bool?
    private var acct: String?
    private var preset: String?
    private var guarded: Bool?
    private var into: Int64?
    private var day: String?
    private var provisional: Bool?
    // records about an event
    private var of: Int64?
    private var how: String?
    private var datapoint: String?
    private var status: Int64?
    private var why: String?
    // user
    private var connection: String?
    private var user: String?
    private var inherited: Bool?
    private var through: Int64?
    private var leaving: String?
    // base-end, seal, close
    private var n: Int64?

    /// Reads a member. Members added by a later version are skipped.
    mutating func read(_ name: String, _ json: inout JSONReader) throws(JSONReader.Fault) {
        switch name {
        case "t": t = try json.string()
        case "q": q = try json.integer()
        case "src": src = try json.string()
        case "gen": gen = try json.string()
        case "id": id = try json.string()
        case "goal": goal = try json.string()
        case "value": value = try json.double()
        case "comment": comment = try json.string()
        case "at": at = try json.integer()
        case "from": from = try json.string()
        case "rx": try readArrival(&json)
        case "of": of = try json.integer()
        case "how": how = try json.string()
        case "datapoint": datapoint = try json.string()
        case "status": status = try json.integer()
        case "why": why = try json.string()
        case "through": through = try json.integer()
        case "leaving": leaving = try json.string()
        case "meta": meta = try json.texts()
        case "unsure": unsure = try json.flag()
        case "acct": acct = try json.string()
        case "preset": preset = try json.string()
        case "guarded": guarded = try json.flag()
        case "into": into = try json.integer()
        case "day": day = try json.string()
        case "provisional": provisional = try json.flag()
        case "connection": connection = try json.string()
        case "user": user = try json.string()
        case "inherited": inherited = try json.flag()
        case "n": n = try json.integer()
        case "v": v = try json.integer()
        case "store": store = try json.string()
        case "seg": seg = try json.integer()
        case "base": base = try json.flag()
        default: try json.skip()
        }
    }

    private mutating func readArrival(_ json: inout JSONReader) throws(JSONReader.Fault) {
        hasArrival = true
        var arrival = arrival
        try json.object { (name, value) throws(JSONReader.Fault) in
            switch name {
            case "wall": arrival.wall = UnixTime(try value.integer())
            case "mono": arrival.monotonic = Monotonic(milliseconds: try value.integer())
            case "boot": arrival.boot = try value.string()
            default: try value.skip()
            }
        }
        self.arrival = arrival
    }

    /// The line, if all members that its type requires are there.
    func line() throws(LineFault) -> Line {
        let type = try need(t)
        if type == "open" { return .open(try opening()) }
        guard let q else { return .unknown(number: nil) }
        let number = try sequence(q)
        switch type {
        case "put": return .record(Record(number, .put(try event())))
        case "done", "refused": return .record(Record(number, try outcome(type)))
        case "undo": return .record(Record(number, .undo(of: try sequence(of))))
        case "undone": return .record(Record(number, .undone(of: try sequence(of))))
        case "left-out": return .record(Record(number, .leftOut(of: try sequence(of))))
        case "retry": return .record(Record(number, try retry()))
        case "cleared": return .record(Record(number, .cleared(of: try sequence(of))))
        case "timed":
            let at = UnixTime(try need(at))
            return .record(Record(number, .timed(of: try sequence(of), at: at)))
        case "judged":
            let isGuarded = try need(guarded)
            return .record(
                Record(number, .judged(of: try sequence(of), isGuarded: isGuarded)))
        case "user":
            let name = try need(ConnectionName(try need(connection)))
            let binding = ConnectionOwner(
                user: try need(user), isInherited: inherited ?? false)
            return .record(Record(number, .user(connection: name, binding)))
        case "tried":
            let fact = Record.Fact.tried(
                of: try sequence(of), attempts: try small(n), why: why ?? "")
            return .record(Record(number, fact))
        case "mark": return .record(Record(number, .mark))
        case "base-end": return .baseEnd(next: number, count: try small(n))
        case "seal": return .seal(next: number, count: try small(n))
        case "close": return .close(next: number, count: try small(n))
        default: return .unknown(number: number)
        }
    }

    private func opening() throws(LineFault) -> Opening {
        let version = try small(v)
        guard version <= Opening.version else { throw .laterVersion(version) }
        return Opening(
            store: try need(store), segment: try small(seg),
            firstNumber: try sequence(q), hasBase: try need(base))
    }

    private func event() throws(LineFault) -> Event {
        guard hasArrival else { throw .contents }
        return Event(
            key: EventKey(
                device: try need(DeviceName(try need(src))), generation: try generation(),
                id: try need(EventID(try need(id)))),
            goal: try need(GoalSlug(try need(goal))), value: try need(value),
            comment: comment ?? "", at: UnixTime(try need(at)),
            timeSource: try need(TimeSource(rawValue: try need(from))), arrival: arrival,
            isTimeUnsure: unsure ?? false, isProvisional: provisional ?? false,
            connection: acct.flatMap(ConnectionName.init),
            preset: preset.flatMap(PresetName.init), part: try part(),
            daystamp: try day.map { text throws(LineFault) in try need(Daystamp(text)) },
            metadata: meta)
    }

    /// Nil in the lines of earlier versions. An invalid one is damage: without it the event would
    /// be another one.
    private func generation() throws(LineFault) -> DeviceGeneration? {
        guard let gen else { return nil }
        return try need(DeviceGeneration(gen))
    }

    private func part() throws(LineFault) -> Event.Part {
        if guarded == true { return .guarded }
        return into == nil ? .whole : .merged(into: try sequence(into))
    }

    private func retry() throws(LineFault) -> Record.Fact {
        .retry(of: try sequence(of), goal: try slug(goal), leaving: try slug(leaving))
    }

    private func slug(_ name: String?) throws(LineFault) -> GoalSlug? {
        guard let name else { return nil }
        return try need(GoalSlug(name))
    }

    private func outcome(_ type: String) throws(LineFault) -> Record.Fact {
        let of = try sequence(self.of)
        if type == "refused" {
            return .refused(of: of, status: try small(status), why: why ?? "")
        }
        return .done(
            of: of, how: try need(Delivered(rawValue: try need(how))), datapoint: datapoint,
            through: through == nil ? nil : try sequence(through))
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

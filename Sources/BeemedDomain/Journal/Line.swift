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

    /// The longest line, in bytes. A longer one is damage, so the buffer is limited.
    static let longest = 65_536
    /// The TAB and eight hex digits after the JSON.
    static let checkBytes = 9
    /// The beginning of every line.
    static let start = Array(#"{"t":""#.utf8)

    /// Whether the JSON of a line is about its segment: its first line, or that of a clean
    /// shutdown.
    static func isOfSegment(_ json: ArraySlice<UInt8>) -> Bool {
        let type = json.dropFirst(start.count)
        return type.starts(with: "open\"".utf8) || type.starts(with: "close\"".utf8)
    }

    /// Parses the JSON of a line; nil when its contents are inconsistent.
    init?(json: ArraySlice<UInt8>) {
        do throws(JSONReader.Fault) {
            self = try Members(json).line()
        } catch { return nil }
    }
}

extension Members {
    /// The line, if all members that its type requires are there. Of a type that this version does
    /// not know only the number is read.
    fileprivate func line() throws(JSONReader.Fault) -> Line {
        let type = try need(text("t"))
        if type == "open" { return try opening() }
        guard let number = try number("q") else { return .unknown(number: nil) }
        if type == "close" { return .close(next: number) }
        guard let fact = try fact(type, number) else { return .unknown(number: number) }
        return .record(Record(number, fact))
    }

    private func opening() throws(JSONReader.Fault) -> Line {
        let version = try need(count("v"))
        guard version == Opening.version else { return .otherVersion(version) }
        return .open(
            Opening(
                store: try need(text("store")), segment: try need(count("seg")),
                firstNumber: try need(number("q")), oldest: try need(count("oldest")),
                at: UnixTime(try need(integer("at")))))
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
                of: try of(), how: try need(how()), datapoint: try text("datapoint"),
                through: try self.number("through"))
        case "refused":
            .refused(
                of: try of(), status: try need(count("status")), why: try text("why") ?? "",
                isInDoubt: try flag("doubt"))
        case "revise":
            .revise(of: try of(), value: try need(double("value")), mayLower: try flag("lower"))
        case "undo": .undo(of: try of())
        case "undone": .undone(of: try of())
        case "left-out": .leftOut(of: try of())
        case "retry": .retry(of: try of(), goal: try goal("goal"), leaving: try goal("leaving"))
        case "cleared": .cleared(of: try of())
        case "timed": .timed(of: try of(), at: try need(time("at")))
        case "judged": .evaluated(of: try of(), isGuarded: try flag("guarded"), by: try guardian())
        case "user":
            .user(
                FolderUser(
                    name: try need(text("user")), id: try text("userid"),
                    since: try self.number("since") ?? SequenceNumber(0)))
        case "mark": .mark
        default: nil
        }
    }

    private func entry(
        statedAt number: SequenceNumber
    ) throws(JSONReader.Fault) -> Recovered.Entry {
        let of = try of()
        guard of < number else { throw JSONReader.Fault() }
        return Recovered.Entry(
            number: of, event: try event(), recorded: try RecordedState(need(members("state"))),
            statedAt: number)
    }

    private func event() throws(JSONReader.Fault) -> Event {
        var arrival = try need(members("rx")).arrival()
        arrival.isClockUnset = try flag("unsure")
        arrival.isClockUncompared = try flag("uncompared")
        return Event(
            key: EventKey(
                DeviceIdentity(
                    name: try need(name("src", DeviceName.init(rawValue:))),
                    generation: try name("gen", DeviceGeneration.init(rawValue:))),
                try need(name("id", EventID.init(recorded:)))),
            goal: try need(goal("goal")), value: try need(double("value")),
            comment: try text("comment") ?? "", at: try need(time("at")),
            timeSource: try need(name("from", TimeSource.init(rawValue:))),
            arrival: arrival,
            rare: RareFields(
                isProvisional: try flag("provisional"),
                undecidedInterval: try count("interval").map(Int64.init),
                preset: try text("preset").flatMap { PresetName($0) }, part: try part(),
                daystamp: try name("day") { Daystamp($0) },
                rule: try text("rule").flatMap { RuleName($0) }), metadata: try texts("meta"))
    }

    private func part() throws(JSONReader.Fault) -> Event.Part {
        if try flag("guarded") { return .guarded(by: try guardian()) }
        return try number("into").map { .merged(into: $0) } ?? .whole
    }

    private func arrival() throws(JSONReader.Fault) -> Event.Arrival {
        let monotonic = Monotonic(milliseconds: try need(integer("mono")))
        guard Monotonic.recordable.contains(monotonic) else { throw JSONReader.Fault() }
        return Event.Arrival(
            wall: try need(time("wall")), monotonic: monotonic, boot: try need(text("boot")))
    }

    /// The event of a record about one.
    private func of() throws(JSONReader.Fault) -> SequenceNumber { try need(number("of")) }

    func goal(_ name: StaticString) throws(JSONReader.Fault) -> GoalSlug? {
        try self.name(name) { GoalSlug($0) }
    }

    func how() throws(JSONReader.Fault) -> Delivered? {
        try name("how", Delivered.init(rawValue:))
    }

    /// It is shown only, so one that cannot be is none.
    func guardian() throws(JSONReader.Fault) -> PresetGuard? {
        try integer("by").flatMap { PresetGuard(recorded: $0) }
    }
}

extension Record.Fact {
    /// The name of its type in the journal.
    fileprivate var type: StaticString {
        switch self {
        case .put: "put"
        case .done: "done"
        case .revise: "revise"
        case .refused: "refused"
        case .undo: "undo"
        case .undone: "undone"
        case .leftOut: "left-out"
        case .retry: "retry"
        case .cleared: "cleared"
        case .timed: "timed"
        case .evaluated: "judged"
        case .user: "user"
        case .carried: "carried"
        case .mark: "mark"
        }
    }
}

extension JSONWriter {
    /// Writes a record as a line.
    mutating func write(_ record: Record) {
        line(record.fact.type) { line in
            line.add("q", record.number)
            if let of = record.of { line.add("of", of) }
            line.addMembers(of: record.fact)
        }
    }

    private mutating func addMembers(of fact: Record.Fact) {
        switch fact {
        case .put(let event): add(event)
        case .carried(let entry): add(entry)
        case .user(let user): add(user)
        case .undo, .undone, .leftOut, .cleared, .mark: break
        case .timed(_, let at): add("at", at.seconds)
        case .evaluated(_, let isGuarded, let by): add(isGuarded, by)
        case .revise(_, let value, let mayLower):
            add("value", value)
            if mayLower { add("lower", true) }
        case .done(_, let how, let datapoint, let through):
            add("how", plain: how.rawValue)
            if let datapoint { add("datapoint", datapoint) }
            if let through { add("through", through) }
        case .refused(_, let status, let why, let isInDoubt):
            add("status", Int64(status))
            add("why", why)
            if isInDoubt { add("doubt", true) }
        case .retry(_, let goal, let leaving):
            if let goal { add("goal", plain: goal.description) }
            if let leaving { add("leaving", plain: leaving.description) }
        }
    }

    private mutating func add(_ user: FolderUser) {
        add("user", user.name)
        if let id = user.id { add("userid", id) }
        if user.since.value > 0 { add("since", user.since) }
    }

    private mutating func add(_ entry: Recovered.Entry) {
        add(entry.event)
        let recorded = entry.recorded.withoutLeader(of: entry.event)
        add("state") { recorded.write(to: &$0) }
    }

    /// Writes the first line of a segment.
    mutating func writeOpen(_ opening: Opening) {
        line("open") { line in
            line.add("v", Int64(Opening.version))
            line.add("store", opening.store)
            line.add("seg", Int64(opening.segment))
            line.add("q", opening.firstNumber)
            line.add("oldest", Int64(opening.oldest))
            line.add("at", opening.at.seconds)
        }
    }

    /// Writes the last line of a clean shutdown.
    mutating func writeClose(next: SequenceNumber) {
        line("close") { $0.add("q", next) }
    }
}

/// The contents of a segment's first line.
struct Opening: Equatable, Sendable {
    /// The version of the format.
    static let version = 2
    /// The store's name, the same in all its segments.
    var store: String
    /// The segment's number, as in its file name.
    var segment: Int
    /// The number of the segment's first record.
    var firstNumber: SequenceNumber
    /// The oldest segment that a start still needs. Every known event is stated in it or in a later
    /// one.
    var oldest: Int
    /// When the segment was begun, by the relay's clock.
    var at: UnixTime
}

extension JSONWriter {
    mutating func add(_ name: StaticString, _ number: SequenceNumber) {
        add(name, Int64(number.value))
    }

    /// Adds what an event was accepted as.
    fileprivate mutating func add(_ event: Event) {
        add("src", plain: event.key.device.description)
        if let generation = event.key.generation { add("gen", plain: generation.rawValue) }
        add("id", plain: event.key.id.description)
        add("goal", plain: event.goal.description)
        add("value", event.value)
        if !event.comment.isEmpty { add("comment", event.comment) }
        addArrival(of: event)
        if event.hasRareFields { addRareFields(of: event) }
        if !event.metadata.isEmpty { add("meta", event.metadata) }
    }

    fileprivate mutating func addArrival(of event: Event) {
        add("at", event.at.seconds)
        add("from", plain: event.timeSource.rawValue)
        add("rx") { arrival in
            arrival.add("wall", event.arrival.wall.seconds)
            arrival.add("mono", event.arrival.monotonic.milliseconds)
            arrival.add("boot", event.arrival.boot)
        }
        if event.arrival.isClockUnset { add("unsure", true) }
        if event.arrival.isClockUncompared { add("uncompared", true) }
        if event.isProvisional { add("provisional", true) }
    }

    /// Adds whether a guard keeps a press, and which: the seconds of an interval, or 0 for one
    /// press a day.
    fileprivate mutating func add(_ isGuarded: Bool, _ guardian: PresetGuard?) {
        add("guarded", isGuarded)
        if let guardian { add("by", guardian.recordedSeconds) }
    }

    fileprivate mutating func addRareFields(of event: Event) {
        if let preset = event.preset { add("preset", plain: preset.description) }
        if let interval = event.undecidedInterval { add("interval", interval) }
        switch event.part {
        case .whole: break
        case .guarded(let by): add(true, by)
        case .merged(let leader): add("into", leader)
        }
        if let day = event.daystamp { add("day", plain: day.description) }
        if let rule = event.rule { add("rule", plain: rule.description) }
    }
}

extension PresetGuard {
    /// As it is recorded: the seconds of an interval, or 0 for one press a day.
    var recordedSeconds: Int64 {
        switch self {
        case .minimumInterval(let seconds): seconds
        case .oncePerDay: 0
        }
    }

    /// Nil for a number that no guard is recorded as: it is shown only.
    init?(recorded seconds: Int64) {
        guard seconds >= 0 else { return nil }
        self = seconds == 0 ? .oncePerDay : .minimumInterval(seconds)
    }
}

/// The lines of the journal: compact JSON, TAB, CRC-32C in eight lower hex digits, LF.
///
/// The members keep their order, so that a person who reads the file sees type and number first.
extension JSONWriter {
    /// Writes one line with the members that the closure adds.
    mutating func line(_ type: StaticString, _ members: (inout JSONWriter) -> Void) {
        let start = count
        object { line in
            line.add("t", literal: type)
            members(&line)
        }
        appendCheck(from: start)
    }

    /// Writes the line with that JSON.
    mutating func copy(_ line: ArraySlice<UInt8>) {
        let start = count
        write(line.span)
        appendCheck(from: start)
    }

    /// Writes an event's request id, as `EventKey.requestID` spells it, without a string for it; the
    /// next value begins a new JSON text.
    package mutating func write(requestIDOf key: EventKey) {
        write(raw: key.device.description)
        if let generation = key.generation {
            write(literal: "-")
            write(raw: generation.rawValue)
        }
        write(literal: ".")
        write(raw: key.id.description)
    }
}

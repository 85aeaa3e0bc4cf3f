extension JSONWriter {
    /// Writes a record as a line.
    mutating func write(_ record: Record) {
        let number = record.number
        switch record.fact {
        case .put(let event): write(event, number)
        case .carried(let entry): write(entry, number)
        case .mark: line("mark") { $0.add("q", number) }
        case .undo(let of): write("undo", number, of)
        case .undone(let of): write("undone", number, of)
        case .leftOut(let of): write("left-out", number, of)
        case .cleared(let of): write("cleared", number, of)
        case .timed(let of, let at): write("timed", number, of) { $0.add("at", at.seconds) }
        case .evaluated(let of, let isGuarded, let by):
            write("judged", number, of) { $0.add(isGuarded, by) }
        case .revise(let of, let value, let mayLower):
            write("revise", number, of) { line in
                line.add("value", value)
                if mayLower { line.add("lower", true) }
            }
        case .done(let of, let how, let datapoint, let through):
            write("done", number, of) { line in
                line.add("how", plain: how.rawValue)
                if let datapoint { line.add("datapoint", datapoint) }
                if let through { line.add("through", through) }
            }
        case .refused(let of, let status, let why):
            write("refused", number, of) { line in
                line.add("status", Int64(status))
                line.add("why", why)
            }
        case .retry(let of, let goal, let leaving):
            write("retry", number, of) { line in
                if let goal { line.add("goal", plain: goal.description) }
                if let leaving { line.add("leaving", plain: leaving.description) }
            }
        case .tried(let of, let attempts, let why):
            write("tried", number, of) { $0.add(attempts, why) }
        case .user(let user): write(user, number)
        }
    }

    private mutating func write(_ user: FolderUser, _ number: SequenceNumber) {
        line("user") { line in
            line.add("q", number)
            line.add("user", user.name)
            if let id = user.id { line.add("userid", id) }
            if user.since.value > 0 { line.add("since", user.since) }
        }
    }

    /// A record about an event.
    ///
    /// - Parameter members: adds its own members.
    private mutating func write(
        _ type: StaticString, _ number: SequenceNumber, _ of: SequenceNumber,
        _ members: (inout JSONWriter) -> Void = { _ in }
    ) {
        line(type) { line in
            line.add("q", number)
            line.add("of", of)
            members(&line)
        }
    }

    private mutating func write(_ event: Event, _ number: SequenceNumber) {
        line("put") { line in
            line.add("q", number)
            line.add(event)
        }
    }

    private mutating func write(_ entry: Recovered.Entry, _ number: SequenceNumber) {
        line("carried") { line in
            line.add("q", number)
            line.add("of", entry.number)
            line.add(entry.event)
            let recorded = entry.recorded.withoutLeader(of: entry.event)
            line.add("state") { recorded.write(to: &$0) }
            if let tried = entry.tried {
                line.add("tried") { $0.add(tried.count, tried.why) }
            }
        }
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
    /// Adds how often sending has failed, and why the last time.
    fileprivate mutating func add(_ attempts: Int, _ why: String) {
        add("n", Int64(attempts))
        add("why", why)
    }

    mutating func add(_ name: StaticString, _ number: SequenceNumber) {
        add(name, Int64(number.value))
    }

    /// Adds what an event was accepted as.
    fileprivate mutating func add(_ event: Event) {
        add("src", plain: event.key.device.description)
        if let generation = event.key.generation { add("gen", plain: generation.letters.span) }
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
        if event.isTimeUnsure { add("unsure", true) }
        if event.isClockUncompared { add("uncompared", true) }
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
}

// The names of events, written without a string for each.
extension JSONWriter {
    /// Writes an event's request id, as `EventKey.requestID` spells it; the next value begins a
    /// new JSON text.
    package mutating func write(requestIDOf key: EventKey) {
        write(raw: key.device.description)
        if let generation = key.generation {
            write(0x2D)
            write(generation.letters.span)
        }
        write(0x2E)
        write(raw: key.id.description)
    }
}

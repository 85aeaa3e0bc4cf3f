extension LineWriter {
    /// Writes a record as a line.
    mutating func write(_ record: Record) {
        switch record.fact {
        case .put(let event): write(event, record.number)
        case .done(let of, let how, let datapoint, let through):
            line("done") { line in
                line.add("q", record.number)
                line.add("of", of)
                line.add("how", plain: how.rawValue)
                if let datapoint { line.add("datapoint", datapoint) }
                if let through { line.add("through", through) }
            }
        case .refused(let of, let status, let why):
            line("refused") { line in
                line.add("q", record.number)
                line.add("of", of)
                line.add("status", Int64(status))
                line.add("why", why)
            }
        case .undo(let of): write("undo", record.number, of)
        case .undone(let of): write("undone", record.number, of)
        case .leftOut(let of): write("left-out", record.number, of)
        case .cleared(let of): write("cleared", record.number, of)
        case .retry(let of, let goal, let leaving):
            line("retry") { line in
                line.add("q", record.number)
                line.add("of", of)
                if let goal { line.add("goal", plain: goal.description) }
                if let leaving { line.add("leaving", plain: leaving.description) }
            }
        case .timed(let of, let at):
            line("timed") { line in
                line.add("q", record.number)
                line.add("of", of)
                line.add("at", at.seconds)
            }
        case .judged(let of, let isGuarded):
            line("judged") { line in
                line.add("q", record.number)
                line.add("of", of)
                line.add("guarded", isGuarded)
            }
        case .user(let connection, let binding):
            line("user") { line in
                line.add("q", record.number)
                line.add("connection", plain: connection.description)
                line.add("user", binding.user)
                if binding.isInherited { line.add("inherited", true) }
            }
        case .tried(let of, let attempts, let why):
            line("tried") { line in
                line.add("q", record.number)
                line.add("of", of)
                line.add("n", Int64(attempts))
                line.add("why", why)
            }
        case .mark: line("mark") { $0.add("q", record.number) }
        }
    }

    private mutating func write(
        _ type: StaticString, _ number: SequenceNumber, _ of: SequenceNumber
    ) {
        line(type) { line in
            line.add("q", number)
            line.add("of", of)
        }
    }

    private mutating func write(_ event: Event, _ number: SequenceNumber) {
        line("put") { line in
            line.add("q", number)
            line.add("src", plain: event.key.device.description)
            if let generation = event.key.generation {
                line.add("gen", plain: generation.description)
            }
            line.add("id", plain: event.key.id.description)
            line.add("goal", plain: event.goal.description)
            line.add("value", event.value)
            if !event.comment.isEmpty { line.add("comment", event.comment) }
            line.add("at", event.at.seconds)
            line.add("from", plain: event.timeSource.rawValue)
            line.add("rx") { arrival in
                arrival.add("wall", event.arrival.wall.seconds)
                arrival.add("mono", event.arrival.monotonic.milliseconds)
                arrival.add("boot", event.arrival.boot)
            }
            if event.isTimeUnsure { line.add("unsure", true) }
            if event.isProvisional { line.add("provisional", true) }
            if let connection = event.connection { line.add("acct", plain: connection.description) }
            if let preset = event.preset { line.add("preset", plain: preset.description) }
            switch event.part {
            case .whole: break
            case .guarded: line.add("guarded", true)
            case .merged(let leader): line.add("into", leader)
            }
            if let day = event.daystamp { line.add("day", plain: day.description) }
            if !event.metadata.isEmpty { line.add("meta", event.metadata) }
        }
    }

    /// Writes the first line of a segment.
    mutating func writeOpen(_ opening: Opening) {
        line("open") { line in
            line.add("v", Int64(Opening.version))
            line.add("store", opening.store)
            line.add("seg", Int64(opening.segment))
            line.add("q", opening.firstNumber)
            line.add("base", opening.hasBase)
        }
    }

    /// Writes the end of a snapshot of that many lines.
    mutating func writeBaseEnd(count: Int, next: SequenceNumber) {
        line("base-end") { line in
            line.add("q", next)
            line.add("n", Int64(count))
        }
    }

    /// Writes the last line of a segment that is followed by another one, or of a clean shutdown.
    mutating func writeEnd(_ type: StaticString, next: SequenceNumber, count: Int) {
        line(type) { line in
            line.add("q", next)
            line.add("n", Int64(count))
        }
    }
}

/// The contents of a segment's first line.
struct Opening: Equatable, Sendable {
    /// The version of the format.
    static let version = 1
    /// The store's name, the same in all its segments.
    var store: String
    /// The segment's number, as in its file name.
    var segment: Int
    /// The number of the first record after the snapshot.
    var firstNumber: SequenceNumber
    /// Whether a snapshot of all live lines follows.
    var hasBase: Bool
}

extension JSONWriter {
    fileprivate mutating func add(_ name: StaticString, _ number: SequenceNumber) {
        add(name, Int64(number.value))
    }
}

import BeemedDomain
import RelayTrunk

/// The texts of one imported line, before they are checked.
struct ImportFields {
    /// The meaning of a text. A date may have a time behind it, a timestamp is in Unix seconds, and
    /// a generation distinguishes a device without one whose name looks like one with a generation.
    enum Meaning {
        case goal, value, comment, timestamp, date, time, requestID, generation, state, user
    }

    var line: Int
    var texts: [Meaning: String] = [:]
    /// The day in Beeminder's own format, where it may be counted from today.
    var day: PressDay?
    var isDelivered = false
    var metadata: [String: String] = [:]

    /// A text without white space around it; nil if there is no other.
    func filled(_ meaning: Meaning) -> String? {
        guard let text = texts[meaning]?.trimmed, !text.isEmpty else { return nil }
        return text
    }
}

extension ImportFields {
    /// The names of columns, and of members of JSON lines, in lower case.
    static let meanings: [String: Meaning] = [
        "goal": .goal, "slug": .goal, "goalslug": .goal, "goalname": .goal,
        "date": .date, "day": .date, "daystamp": .date, "time": .time,
        "timestamp": .timestamp, "unixtime": .timestamp,
        "value": .value, "datum": .value, "amount": .value,
        "comment": .comment, "note": .comment, "requestid": .requestID,
        "generation": .generation, "state": .state, "user": .user,
    ]

    /// Reads a line of the relay's own export, or a press as `POST /events` takes it.
    init(json bytes: ArraySlice<UInt8>, line: Int) throws(ImportFault) {
        let text = try String(imported: bytes, line)
        guard let json = JSONTree(Array(text.utf8)), json.members != nil else {
            throw ImportFault(line, "this is not a JSON object on one line")
        }
        self.init(line: line)
        for (name, meaning) in ImportFields.meanings.sorted(by: { $0.key < $1.key }) {
            if let value = json[name] { texts[meaning] = value.text ?? value.number?.shortText }
        }
        isDelivered = json["how"] != nil
        metadata = json["metadata"]?.members?.compactMapValues(\.text) ?? [:]
    }
}

extension ImportFields {
    /// The datapoint that they say, or a fault that says what to write instead.
    func row(_ context: ImportContext) throws(ImportFault) -> ImportRow {
        let fields = PressFields()
        fields[.goal] = filled(.goal) ?? context.goal
        (fields[.value], fields[.comment]) = (texts[.value], texts[.comment])
        (fields[.timestamp], fields.metadata) = (texts[.timestamp], metadata)
        guard fields[.goal] != nil else {
            throw fault("there is no goal; name it in a column 'goal', or one for the whole file")
        }
        guard filled(.value) != nil else { throw fault("there is no value") }
        var press: Press
        do throws(Problem) {
            press = try Press(fields, path: nil, from: .importer, PresetBook())
        } catch {
            throw fault(error.detail)
        }
        press.wantsSuggestion = false
        try setTime(of: &press, context)
        try setIdentity(of: &press)
        var state = filled(.state).flatMap(EventState.init)
        if state == nil, let word = filled(.state) {
            throw fault("unknown state '\(word.cut(to: 20))'")
        }
        if isDelivered, state?.countsAsDatapoint ?? true { state = .delivered }
        return ImportRow(line: line, press: press, state: state, user: texts[.user])
    }

    private func fault(_ detail: String) -> ImportFault { ImportFault(line, detail) }

    // MARK: Time

    private func setTime(of press: inout Press, _ context: ImportContext) throws(ImportFault) {
        let (calendar, latest) = (context.calendar, context.now.adding(TimeRules.aheadSeconds))
        let (day, moment) = try writtenTime(context, of: press.goal)
        if case .timestamp(let time) = press.time {
            guard time < TimeRules.millisecondsFrom else {
                throw fault("'timestamp' looks like milliseconds; write Unix seconds")
            }
            // A record with such a time would not be readable.
            guard UnixTime.recordable.contains(time) else {
                throw fault("'timestamp' is before the year 0; write Unix seconds")
            }
            press.time = .recorded(time)
            // A file with both may name the day that the device said.
            press.day = day.map(PressDay.on)
            // Beside a day the time is only some moment of that day.
            guard day != nil || time.seconds > 0 else { throw fault("the time is before 1970") }
            guard day != nil || time <= latest else { throw fault("the time is in the future") }
        } else {
            guard let day else { throw fault("there is no date; write one as in 2026-11-18") }
            press.time = .recorded(moment)
            press.day = moment == nil ? .on(day) : nil
        }
        if let day, day > calendar.day(of: press.goal, at: latest).adding(days: 1) {
            throw fault("the day is in the future")
        }
    }

    /// The day, and the moment if a time of day is written too.
    private func writtenTime(
        _ context: ImportContext, of goal: GoalSlug
    ) throws(ImportFault) -> (Daystamp?, UnixTime?) {
        let calendar = context.calendar
        if let named = self.day {
            if case .on(let known) = named { return (known, nil) }
            guard calendar.isZoneKnown else { throw zoneUnknown }
            // The day itself, since an import may go on tomorrow.
            guard let known = named.resolved(today: calendar.day(of: goal, at: context.now)) else {
                throw fault("there is no such day; write it as in 2026 11 20")
            }
            return (known, nil)
        }
        guard let text = filled(.date) else { return (nil, nil) }
        guard let written = WrittenDate(text) else {
            throw fault("'\(text.cut(to: 40))' is not a valid date; write it as in 2026-11-18")
        }
        var clock = written.clock
        if let time = filled(.time) {
            guard let read = WrittenDate.Clock(time[...]) else {
                throw fault(
                    "'\(time.cut(to: 40))' is not a valid time of day; write it as in 14:03:22")
            }
            clock = read
        }
        guard let clock else { return (written.day, nil) }
        if let moment = WrittenDate(day: written.day, clock: clock).moment {
            return (written.day, moment)
        }
        // A timestamp beside it says the moment.
        guard calendar.isZoneKnown || filled(.timestamp) != nil else { throw zoneUnknown }
        return (written.day, calendar.moment(on: written.day, second: clock.second))
    }

    private var zoneUnknown: ImportFault {
        fault(
            "your time zone at Beeminder is not known here; send the file again when 'beemed-relay "
                + "status' says online, or write the whole day, as in 2026 11 20, and behind a time "
                + "its zone, as in 14:03+01:00, or 14:03Z for UTC")
    }

    // MARK: Identity

    private func setIdentity(of press: inout Press) throws(ImportFault) {
        guard let text = filled(.requestID) else { return }
        // JSON lines name the generation; a line that names none has none.
        let generation = texts[.generation]
        let key = EventKey.all(of: text).first { key in
            generation == nil || key.generation?.description == generation
        }
        guard let key else {
            throw fault("'\(text.cut(to: 80))' is not a request id of a relay; leave it out")
        }
        (press.device, press.generation, press.id) = (key.device, key.generation, key.id)
    }
}

extension ImportFields {
    /// Whether a file that begins so is in Beeminder's own format, and no table.
    static func isBeeminders(_ text: ArraySlice<UInt8>) -> Bool {
        let beginning = text.prefix { $0 != 0x22 }
        guard !beginning.contains(where: { [0x2C, 0x3B, 0x09].contains($0) }) else { return false }
        let words = beginning.split { $0 == 0x20 || $0 == 0x0D }
        return words.count >= 2 && DayReader.isDayWord(String(decoding: words[0], as: UTF8.self))
    }

    /// Reads a line of Beeminder's own format, every part of it: a day, a value, and perhaps a
    /// comment in quotes, as in `2026 11 20 1 "with milk"`. The day may be shorter: `20`, `11 20`,
    /// or `^` for today.
    init(beeminders bytes: ArraySlice<UInt8>, line: Int) throws(ImportFault) {
        let text = try String(imported: bytes, line).trimmed
        guard let (day, value, comment) = try? DayReader.datapoint(text) else {
            throw ImportFault(
                line,
                "write the whole day and a value, and a comment in quotes, as in "
                    + "2026 11 20 1 \"with milk\"")
        }
        self.init(line: line, day: DayReader.day(day, isText: true))
        (texts[.value], texts[.comment]) = (value, comment)
    }
}

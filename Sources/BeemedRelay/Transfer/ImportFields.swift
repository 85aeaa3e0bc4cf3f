import BeemedDomain
import RelayTrunk

/// The texts of one imported line, before they are checked.
struct ImportFields {
    var line: Int
    var goal: String?
    var value: String?
    var comment: String?
    /// Unix seconds.
    var timestamp: String?
    /// A day, or a day and a time.
    var date: String?
    /// The same, as Beeminder's own format has it: it may be counted from today.
    var day: PressDay?
    /// A time of day.
    var time: String?
    var requestID: String?
    /// Distinguishes a device without a generation whose name looks like one with it.
    var generation: String?
    var state: String?
    var isDelivered = false
    var user: String?
    var metadata: [String: String] = [:]

    /// The event that they say.
    ///
    /// - Parameters:
    ///   - goal: the goal of a line that names none.
    ///   - now: a later time is refused.
    /// - Throws: `ImportFault`, which says what to write instead.
    func event(
        defaultGoal: String?, _ calendar: GoalCalendar, now: UnixTime
    ) throws(ImportFault) -> ImportedEvent {
        let fields = PressFields()
        fields.goal = goal?.trimmed.isEmpty == false ? goal?.trimmed : defaultGoal
        fields.value = value
        fields.comment = comment
        fields.timestamp = timestamp
        guard fields.goal != nil else {
            throw fault("there is no goal; name it in a column 'goal', or one for the whole file")
        }
        guard value?.trimmed.isEmpty == false else { throw fault("there is no value") }
        var press: Press
        do throws(Problem) {
            let device = Device(name: Device.importer, tokenHash: "", rights: [])
            press = try Press(fields, path: nil, from: device, PresetBook())
        } catch {
            throw fault(error.detail)
        }
        press.wantsSuggestion = false
        try setTime(of: &press, calendar, now)
        try setIdentity(of: &press)
        press.metadata = keptMetadata
        var event = ImportedEvent(line: line, press: press, user: user)
        if let text = state?.trimmed, !text.isEmpty {
            guard let state = EventState(rawValue: text) else {
                throw fault("there is no state '\(text.prefix(40))'")
            }
            event.state = state
        }
        event.isDelivered = isDelivered || event.state == .delivered
        return event
    }

    private func fault(_ detail: String) -> ImportFault {
        ImportFault(line: line, detail: detail)
    }

    /// As many as a press may have.
    private var keptMetadata: [String: String] {
        var room = Press.metadataBytes
        return metadata.sorted { $0.key < $1.key }.reduce(into: [:]) { kept, member in
            room -= member.key.utf8.count + member.value.utf8.count
            if room >= 0 { kept[member.key] = member.value }
        }
    }

    // MARK: Time

    private func setTime(
        of press: inout Press, _ calendar: GoalCalendar, _ now: UnixTime
    ) throws(ImportFault) {
        let (day, moment) = try writtenTime(calendar, of: press.goal, now)
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
        } else if let moment {
            press.time = .recorded(moment)
        } else if let day {
            press.time = .recorded(nil)
            press.day = .on(day)
        } else {
            throw fault("there is no date; write one as in 2026-11-18")
        }
        let latest = now.adding(TimeRules.aheadSeconds)
        // Beside a day the time is only some moment of it.
        if day == nil, case .recorded(let time?) = press.time {
            guard time.seconds > 0 else { throw fault("the time is before 1970") }
            guard time <= latest else { throw fault("the time is in the future") }
        }
        if let day, day > calendar.day(of: press.goal, at: latest).adding(days: 1) {
            throw fault("the day is in the future")
        }
    }

    /// The day itself, since an import may go on tomorrow.
    private func resolved(
        _ day: PressDay, _ calendar: GoalCalendar, of goal: GoalSlug, _ now: UnixTime
    ) throws(ImportFault) -> Daystamp {
        if case .on(let known) = day { return known }
        guard calendar.isZoneKnown else {
            throw fault(
                "the day counts from today, and your time zone at Beeminder is not known here; "
                    + "send the file again when 'beemed-relay status' says online, or write the "
                    + "whole day, as in 2026 11 20")
        }
        guard let known = day.resolved(today: calendar.day(of: goal, at: now)) else {
            throw fault("there is no such day; write it as in 2026 11 20")
        }
        return known
    }

    /// The day, and the moment if a time of day is written too.
    private func writtenTime(
        _ calendar: GoalCalendar, of goal: GoalSlug, _ now: UnixTime
    ) throws(ImportFault) -> (Daystamp?, UnixTime?) {
        if let named = self.day { return (try resolved(named, calendar, of: goal, now), nil) }
        guard let text = date?.trimmed, !text.isEmpty else { return (nil, nil) }
        guard let written = WrittenDate(text) else {
            throw fault("'\(text.prefix(40))' is no date; write it as in 2026-11-18")
        }
        var clock = written.clock
        if let time = time?.trimmed, !time.isEmpty {
            guard let read = WrittenDate.Clock(time[...]) else {
                throw fault("'\(time.prefix(40))' is no time of day; write it as in 14:03:22")
            }
            clock = read
        }
        guard let clock else { return (written.day, nil) }
        if let moment = WrittenDate(day: written.day, clock: clock).moment {
            return (written.day, moment)
        }
        // A timestamp beside it says the moment.
        guard calendar.isZoneKnown || timestamp?.trimmed.isEmpty == false else {
            throw fault(
                "the time is local, and your time zone at Beeminder is not known here; send the "
                    + "file again when 'beemed-relay status' says online, or write the zone, as "
                    + "in 14:03+01:00, or 14:03Z for UTC")
        }
        return (written.day, calendar.moment(on: written.day, second: clock.second))
    }

    // MARK: Identity

    private func setIdentity(of press: inout Press) throws(ImportFault) {
        guard let text = requestID?.trimmed, !text.isEmpty else { return }
        // JSON lines name the generation; a line that names none has none.
        let key = EventKey.all(of: text).first { key in
            generation == nil || key.generation?.description == generation
        }
        guard let key else {
            throw fault("'\(text.prefix(80))' is no request id of a relay; leave it out")
        }
        (press.device, press.generation, press.id) = (key.device, key.generation, key.id)
    }
}

extension ImportedEvent {
    /// Gives a line without a request id one that depends on its content, and on how many lines
    /// before it say the same: the same file is known when it comes again, and two equal lines of
    /// one file are two datapoints.
    mutating func identify(counting seen: inout [String: Int]) {
        guard press.id == nil else { return }
        var text = "\(press.goal)\n\(press.value)\n"
        if case .recorded(let time?) = press.time { text += "t\(time.seconds)" }
        if case .on(let day)? = press.day { text += "d\(day)" }
        text += "\n\(press.comment)"
        let count = seen[text, default: 0]
        seen[text] = count + 1
        let digest = SHA256Digest.of(Array("\(text)\n\(count)".utf8)).prefix(16)
        let hex = SHA256Digest.hex(digest)
        let own = ImportedEvent.device
        (press.device, press.generation) = (own.name, own.generation)
        press.id = EventID(hex)
    }
}

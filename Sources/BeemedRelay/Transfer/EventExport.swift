import BeemedDomain
import RelayTrunk

/// Writes events for `GET /export`, a batch at a time.
struct EventExport: Sendable {
    let format: TransferFormat
    let calendar: GoalCalendar
    let now: Moment
    /// The events written so far: one may move to the history meanwhile, and would come twice.
    private var written: Set<Int> = []

    init(_ format: TransferFormat, _ calendar: GoalCalendar, at now: Moment) {
        self.format = format
        self.calendar = calendar
        self.now = now
    }

    /// The first bytes of the file.
    var head: [UInt8] {
        guard format == .csv else { return [] }
        var bytes: [UInt8] = []
        CSVText.append(
            [
                "date", "value", "comment", "goal", "time", "timestamp", "device", "id", "state",
                "requestid", "datapoint",
            ], to: &bytes)
        return bytes
    }

    /// Appends an event that was not written before.
    mutating func append(_ view: EventView, to bytes: inout [UInt8]) {
        var hasher = Hasher()
        hasher.combine(view.number)
        hasher.combine(view.event.key)
        guard written.insert(hasher.finalize()).inserted else { return }
        switch format {
        case .csv: CSVText.append(fields(of: view), to: &bytes)
        case .jsonl:
            bytes += JSONWriter.object { write(view, to: &$0) }
            bytes.append(0x0A)
        }
    }

    /// All that is known of an event.
    private func write(_ view: EventView, to json: inout JSONWriter) {
        view.write(to: &json, at: now)
        let event = view.event
        if let generation = event.key.generation {
            json.add("generation", generation.description)
        }
        if view.goal != event.goal { json.add("loggedTo", event.goal.description) }
        if view.at != event.at { json.add("loggedAt", event.at.seconds) }
        if event.isTimeUnsure { json.add("clockWasUnset", true) }
        if event.isProvisional { json.add("dayWasUnknown", true) }
        if let user = calendar.user(of: view.number) { json.add("user", user) }
    }

    private func fields(of view: EventView) -> [String] {
        let event = view.event
        let day = event.daystamp ?? calendar.day(of: view.goal, at: view.at)
        let (year, month, number) = day.parts
        let date = "\(year)-\(CSVText.padded(month))-\(CSVText.padded(number))"
        var datapoint = ""
        if case .delivered(_, let id?)? = view.settlement { datapoint = id }
        // A press for a day has no time: its own is only some moment of that day.
        let hasTime = event.daystamp == nil
        return [
            date, view.value.shortText, CSVText.guarded(event.comment),
            CSVText.guarded(view.goal.description),
            hasTime ? CSVText.clock(calendar.localSeconds(view.at)) : "",
            hasTime ? "\(view.at.seconds)" : "", CSVText.guarded(event.key.device.description),
            CSVText.guarded(event.key.id.description), view.state.rawValue,
            CSVText.guarded(event.key.requestID), CSVText.guarded(datapoint),
        ]
    }
}

extension CSVText {
    /// With two digits.
    fileprivate static func padded(_ number: some BinaryInteger) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// `14:03:22`.
    fileprivate static func clock(_ seconds: Int64) -> String {
        let second =
            seconds - 86_400 * (seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
        return [second / 3_600, second / 60 % 60, second % 60].map(padded).joined(separator: ":")
    }
}

import BeemedDomain
import RelayHTTP
import RelayTrunk

/// An export under way: a part of it is written whenever its client has read all before.
final class ExportRun {
    let call: Call
    let bearer: Bearer
    let events = KnownEvents()
    private let format: TransferFormat
    private let calendar: GoalCalendar

    /// Exports at once, at most: each may have a few megabytes of the history in memory.
    static let most = 8
    /// Bytes of one part, about.
    static let partBytes = 65_536

    init(_ call: Call, _ bearer: Bearer, _ format: TransferFormat, _ calendar: GoalCalendar) {
        (self.call, self.bearer) = (call, bearer)
        (self.format, self.calendar) = (format, calendar)
    }

    /// The first bytes of the file.
    var head: [UInt8] {
        guard format == .csv else { return [] }
        var bytes: [UInt8] = []
        CSVText.write(
            [
                "date", "value", "comment", "goal", "time", "timestamp", "device", "id", "state",
                "requestid", "datapoint",
            ], to: &bytes)
        return bytes
    }

    /// Writes an event.
    func write(_ view: EventView, to bytes: inout [UInt8]) {
        switch format {
        case .csv: CSVText.write(fields(of: view), to: &bytes)
        case .jsonl:
            bytes += JSONWriter.object { write(view, to: &$0) }
            bytes.append(0x0A)
        }
    }

    /// All that is known of an event.
    private func write(_ view: EventView, to json: inout JSONWriter) {
        view.write(to: &json, at: call.moment)
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
        var datapoint = ""
        if case .delivered(_, let id?)? = view.settlement { datapoint = id }
        // A press for a day has no time: its own is only some moment of that day.
        let hasTime = event.daystamp == nil
        return [
            day.dashed, view.value.shortText, CSVText.guarded(event.comment),
            CSVText.guarded(view.goal.description),
            hasTime ? clock(view.at) : "",
            hasTime ? "\(view.at.seconds)" : "", CSVText.guarded(event.key.device.description),
            CSVText.guarded(event.key.id.description), view.state.rawValue,
            CSVText.guarded(event.key.requestID), CSVText.guarded(datapoint),
        ]
    }

    /// The user's time of day: `14:03:22`.
    private func clock(_ time: UnixTime) -> String {
        let second = (calendar.localSeconds(time) % 86_400 + 86_400) % 86_400
        return [second / 3_600, second / 60 % 60, second % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

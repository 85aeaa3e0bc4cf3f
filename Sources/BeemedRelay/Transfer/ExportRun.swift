import BeemedDomain
import RelayHTTP
import RelayTrunk

/// An export under way: a part of it is written whenever its client has read all before.
struct ExportRun {
    let call: Call
    let events = KnownEvents()
    let format: TransferFormat
    let calendar: GoalCalendar

    /// Bytes of one part, about.
    static let partBytes = 65_536

    /// Exports at once, at most: each may have a few megabytes of the history in memory.
    static let maxExports = 8

    /// `GET /export`: every event that is known, the history included, the newest first.
    static func begin(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let transfers = relay.transfers
        let format = try TransferOptions(call.request).format ?? .csv
        try Slots.check(call, among: maxExports, heldBy: transfers.exports.values.lazy.map(\.call))
        let calendar = relay.engine.core.view.calendar
        let run = ExportRun(call: call, format: format, calendar: calendar)
        let day = calendar.day(at: call.moment.wall)
        let response = Response(
            status: 200,
            fields: [
                Response.Field(
                    "Content-Type",
                    format == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson"),
                Response.Field(
                    "Content-Disposition",
                    "attachment; filename=\"beemed-\(day).\(format.rawValue)\""),
                .notStored,
            ], body: run.head)
        relay.add(Answer(to: call.id, .opening(response, hasEnd: true)))
        if call.request.method == .get { transfers.exports[call.id] = run }
        return nil
    }

    /// The client has read all parts so far: writes the next one, or the end.
    static func writePart(of id: ExchangeID, in relay: isolated Relay) async {
        let transfers = relay.transfers
        guard let run = transfers.exports[id] else { return }
        do throws(DiskError) {
            var bytes: [UInt8] = []
            while bytes.count < partBytes,
                let page = try await run.events.next(in: relay)
            {
                for view in page { bytes += run.line(of: view) }
            }
            guard transfers.exports[id] != nil else { return }
            relay.add(bytes.isEmpty ? Answer(to: id, .end) : Answer(to: id, .more(bytes)))
            if bytes.isEmpty { transfers.exports[id] = nil }
        } catch {
            relay.log.error("an export was broken off", [("cause", error.cause)])
            abandon(id, in: relay)
        }
        relay.finishTurn()
    }

    private static func abandon(_ id: ExchangeID, in relay: isolated Relay) {
        relay.transfers.exports[id] = nil
        relay.add(Answer(to: id, .abandon))
    }

    /// Ends the exports of these tokens.
    static func end(in relay: isolated Relay, where isOver: (TokenDigest) -> Bool) {
        for (id, run) in relay.transfers.exports where isOver(run.call.bearer.tokenHash) {
            abandon(id, in: relay)
        }
    }

    /// The first bytes of the file.
    var head: [UInt8] {
        guard format == .csv else { return [] }
        return CSVText.row([
            "date", "value", "comment", "goal", "time", "timestamp", "device", "id", "state",
            "requestid", "datapoint",
        ])
    }

    func line(of view: EventView) -> [UInt8] {
        switch format {
        case .csv: CSVText.row(fields(of: view))
        case .jsonl: JSONWriter.objectLine { write(view, to: &$0) }
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
        if event.arrival.isClockUnset { json.add("clockWasUnset", true) }
        if event.isProvisional { json.add("dayWasUnknown", true) }
        if let user = calendar.user(of: view.number) { json.add("user", user) }
    }

    private func fields(of view: EventView) -> [String] {
        let event = view.event
        let day = event.daystamp ?? calendar.day(of: view.goal, at: view.at)
        // A press for a day has no time: its own is only some moment of that day.
        let hasTime = event.daystamp == nil
        return [
            day.dashed, view.value.shortText, CSVText.guarded(event.comment),
            CSVText.guarded(view.goal.description),
            hasTime ? clock(view.at) : "",
            hasTime ? "\(view.at.seconds)" : "", CSVText.guarded(event.key.device.description),
            CSVText.guarded(event.key.id.description), view.state.rawValue,
            CSVText.guarded(event.key.requestID), CSVText.guarded(view.arrival?.datapoint ?? ""),
        ]
    }

    /// The user's time of day: `14:03:22`.
    private func clock(_ time: UnixTime) -> String {
        let second = (calendar.localSeconds(time) % 86_400 + 86_400) % 86_400
        return [second / 3_600, second / 60 % 60, second % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

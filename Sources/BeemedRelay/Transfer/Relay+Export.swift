import BeemedDomain
import RelayHTTP
import RelayTrunk

extension Relay {
    /// `GET /export`: every event that is known, the history included, the newest first.
    func export(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        var format = TransferFormat.csv
        for (name, value) in FormDecoder.pairs(call.request.target.query ?? "")
        where name == "format" {
            format = try TransferFormat(query: value)
        }
        let calls = transfers.exports.values.lazy.map(\.call)
        guard hasPlace(for: call, among: ExportRun.most, heldBy: calls) else {
            throw .retryLater(
                .crowded, "other exports are in progress; try again in a few seconds", after: 5)
        }
        let calendar = engine.core.calendar
        let run = ExportRun(call, Bearer(device), format, calendar)
        let day = calendar.day(at: call.moment.wall)
        let response = Response(
            status: 200,
            fields: [
                Response.Field("Content-Type", format.contentType),
                Response.Field(
                    "Content-Disposition",
                    "attachment; filename=\"beemed-\(day).\(format.rawValue)\""),
                .notStored,
            ], body: run.head)
        add(Answer(to: call.id, beginning: response))
        if call.request.method == .get { transfers.exports[call.id] = run }
        return nil
    }

    /// The client has read all parts so far: writes the next one, or the end.
    func writePart(of id: ExchangeID) async {
        guard let run = transfers.exports[id] else { return }
        do throws(DiskError) {
            var bytes: [UInt8] = []
            while bytes.count < ExportRun.partBytes,
                let page = try await run.events.next(in: self)
            {
                for view in page { run.write(view, to: &bytes) }
            }
            guard transfers.exports[id] != nil else { return }
            add(bytes.isEmpty ? Answer(ending: id) : Answer(to: id, more: bytes))
            if bytes.isEmpty { transfers.exports[id] = nil }
        } catch {
            log.error("an export was broken off", [("cause", error.cause)])
            abandonExport(id)
        }
        finishTurn()
    }

    private func abandonExport(_ id: ExchangeID) {
        transfers.exports[id] = nil
        add(Answer(abandoning: id))
    }

    /// Ends the exports of these tokens.
    func endExports(where isOver: (Bearer) -> Bool) {
        for (id, run) in transfers.exports where isOver(run.bearer) { abandonExport(id) }
    }
}

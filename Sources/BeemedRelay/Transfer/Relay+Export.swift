import BeemedDomain
import RelayHTTP
import RelayTrunk

/// An export in progress: it is written a part at a time, as the client reads.
struct ExportRun {
    enum Stage {
        /// The events of the journal with a smaller number; nil begins with the newest.
        case journal(before: SequenceNumber?)
        /// The segments that are left, those of the history too; nil before they are listed.
        case history(PastReader?)
    }

    let call: Call
    let bearer: Bearer
    var writer: EventExport
    var stage = Stage.journal(before: nil)
    /// Whether a file of the history is being read.
    var isReading = false

    /// Exports at once, at most: each may have a few megabytes of the history in memory.
    static let most = 8
    /// Bytes of one part, about.
    static let partBytes = 65_536
    /// Time limit of one part, in nanoseconds.
    static let partNanoseconds: Int64 = 2_000_000
}

extension Relay {
    /// Begins an export; further parts follow as the client reads them.
    func beginExport(
        _ call: Call, _ format: TransferFormat, _ device: Device
    ) throws(Problem) {
        let calls = transfers.exports.values.lazy.map(\.call)
        guard hasPlace(for: call, among: ExportRun.most, heldBy: calls) else {
            throw .tooManyExports
        }
        let writer = EventExport(format, engine.core.calendar, at: call.moment)
        let day = engine.core.calendar.day(at: call.moment.wall)
        let name = "beemed-\(day).\(format.rawValue)"
        let type = format == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson"
        let response = Response(
            status: 200,
            fields: [
                Response.Field("Content-Type", type),
                Response.Field("Content-Disposition", "attachment; filename=\"\(name)\""),
                .notStored,
            ], body: writer.head)
        add(Answer(to: call.id, beginning: response))
        guard call.request.method == .get else { return }
        transfers.exports[call.id] = ExportRun(
            call: call, bearer: Bearer(device), writer: writer)
    }

    /// The client has read all parts so far: the next one follows behind other requests.
    func continueExport(_ id: ExchangeID) {
        guard let run = transfers.exports[id], !run.isReading else { return }
        loop.post {
            self.assumeIsolated { relay in
                relay.writePart(of: id)
                relay.finishTurn()
            }
        }
    }

    /// Ends the exports of revoked tokens.
    func endExports(where isOver: (Bearer) -> Bool) {
        for (id, run) in transfers.exports where isOver(run.bearer) { abandonExport(id) }
    }

    private func abandonExport(_ id: ExchangeID) {
        transfers.exports[id] = nil
        add(Answer(abandoning: id))
    }

    private func writePart(of id: ExchangeID) {
        guard let run = transfers.exports[id], !run.isReading else { return }
        switch run.stage {
        case .journal(let before): writeJournalPart(id, before)
        case .history(let reader): readHistory(id, reader)
        }
    }

    private func writeJournalPart(_ id: ExchangeID, _ first: SequenceNumber?) {
        let end = Instant(nanoseconds: Instant.now.nanoseconds + ExportRun.partNanoseconds)
        guard var writer = transfers.exports[id]?.writer else { return }
        transfers.exports[id]?.writer = EventExport(
            writer.format, writer.calendar, at: writer.now)
        var (before, bytes) = (first, [UInt8]())
        var stage: ExportRun.Stage?
        let filter = RelayCore.Filter()
        while stage == nil, bytes.count < ExportRun.partBytes, Instant.now < end {
            let page = engine.core.events(filter, before: before, limit: 50)
            for view in page.events { writer.append(view, to: &bytes) }
            before = page.next
            if page.next == nil { stage = .history(nil) }
        }
        transfers.exports[id]?.writer = writer
        transfers.exports[id]?.stage = stage ?? .journal(before: before)
        send(bytes, of: id)
    }

    /// Sends a part, or goes on at once when there was nothing to send.
    private func send(_ bytes: [UInt8], of id: ExchangeID) {
        guard !bytes.isEmpty else { return continueExport(id) }
        add(Answer(to: id, more: bytes))
    }

    /// Reads a segment off the loop. What is known of its events was written already.
    private func readHistory(_ id: ExchangeID, _ reader: PastReader?) {
        guard let known = transfers.exports[id]?.writer else { return }
        transfers.exports[id]?.isReading = true
        let folder = settings.data
        let remoteLines = engine.remoteLines
        transfers.work.add {
            var writer = known
            let result = Result { () throws(DiskError) in
                var rest: PastReader
                if let reader {
                    rest = reader
                } else {
                    let history = History(try SystemDisk(dataFolder: folder))
                    rest = try history.reader(behind: remoteLines?() ?? [])
                }
                guard let entries = try rest.next() else { return HistoryPart() }
                var part = HistoryPart(rest: rest)
                for entry in entries { writer.append(EventView(past: entry), to: &part.bytes) }
                return part
            }
            let written = writer
            self.loop.post { self.assumeIsolated { $0.processHistory(id, result, written) } }
        }
    }

    private func processHistory(
        _ id: ExchangeID, _ result: Result<HistoryPart, DiskError>, _ writer: EventExport
    ) {
        guard transfers.exports[id] != nil else { return }
        transfers.exports[id]?.isReading = false
        transfers.exports[id]?.writer = writer
        switch result {
        case .success(let part):
            if let rest = part.rest {
                transfers.exports[id]?.stage = .history(rest)
                send(part.bytes, of: id)
            } else {
                transfers.exports[id] = nil
                add(Answer(ending: id))
            }
        case .failure(let error):
            log.error("an export was broken off", [("cause", error.cause)])
            abandonExport(id)
        }
        finishTurn()
    }
}

/// What was read of the segments.
private struct HistoryPart: Sendable {
    /// What is left; nil when that was all.
    var rest: PastReader?
    var bytes: [UInt8] = []
}

extension Problem {
    fileprivate static let tooManyExports = Problem(
        .crowded, "other exports are in progress; try again in a few seconds",
        fields: [Response.Field("Retry-After", "5")])
}

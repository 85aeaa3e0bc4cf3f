import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Imports: all lines of a file are taken, or none.
///
/// The file is read, its rows are looked at as presses are, and compared with what is known. Then
/// they go the way of a device's queue. Their request ids come from the content: what is broken off
/// in the middle is completed by the same file, whose first part is known then.
enum Imports {
    /// Imports at once, at most; each holds a file of up to 8 MiB.
    static let maxImports = 8

    /// `POST /import`: takes all datapoints of a file, or none.
    static func begin(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let (transfers, core) = (relay.transfers, relay.engine.core)
        let content = call.request.body
        guard !content.isEmpty else {
            throw .malformed("the body is empty; send the lines of a CSV or JSONL file")
        }
        let run = ImportRun(call, try TransferOptions(call.request))
        try Slots.check(call, among: maxImports, heldBy: relay.begun(like: call))
        guard core.view.sync != .notConnected else { throw .notConnected }
        guard core.view.isClockSound else {
            throw .retryLater(
                .crowded,
                "the relay's clock is not set yet, so no date can be judged; send this again later",
                after: 60)
        }
        transfers.imports.append(run)
        return relay.later(call) { () async throws(Problem) in
            defer { transfers.imports.removeAll { $0 === run } }
            return try await run.load(content, in: relay)
        }
    }

    /// `GET /import`: how far it is.
    static func progress(_ relay: isolated Relay, _ call: Call) -> Response? {
        .json { json in
            let run = relay.transfers.imports.first
            json.add("state", run?.stage.rawValue ?? "idle")
            if let run {
                json.add("lines", Int64(run.lines))
                json.add("events", Int64(run.rows.count))
                json.add("done", Int64(run.done))
            }
            if let last = relay.transfers.lastImport { json.add("last") { $0.write(last.span) } }
        }
    }
}

import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Imports: all lines of a file are taken, or none.
///
/// The file is read, its rows are looked at as presses are, and compared with what is known. Then
/// they go the way of a device's queue. Their request ids come from the content: what is broken off
/// in the middle is completed by the same file, whose first part is known then.
final class Imports {
    private var runs: [ImportRun] = []
    /// The result of the last complete one, without the braces.
    private var last: [UInt8]?

    /// Imports at once, at most; each holds a file of up to 8 MiB.
    static let maxImports = 8

    var isBusy: Bool { !runs.isEmpty }

    /// `POST /import`: takes all datapoints of a file, or none.
    static func begin(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let (imports, core) = (relay.transfers.imports, relay.engine.core)
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
        imports.runs.append(run)
        return relay.later(call) { () async throws(Problem) in
            defer { imports.runs.removeAll { $0 === run } }
            return try await imports.load(run, content, in: relay)
        }
    }

    /// Loads what a file says, or throws when not all was taken. Returns nil when the client has
    /// gone.
    private func load(
        _ run: ImportRun, _ content: [UInt8], in relay: isolated Relay
    ) async throws(Problem) -> Response? {
        let (calendar, format) = (relay.engine.core.view.calendar, run.options.format)
        let context = ImportContext(
            goal: run.options.goal, calendar: calendar, now: run.call.moment.wall)
        let file = await relay.transfers.work.run { ImportReading(content, format, context) }
        (run.rows, run.faults, run.ignored) = (file.rows, file.faults, file.ignored)
        run.stage = .checking
        let isChecked = try await Replies.takeAll(run.rows.count, of: run.call, in: relay) {
            index, now, _ in
            run.check(&run.rows[index], in: relay, at: now)
        }
        guard isChecked else { return nil }
        if !run.options.takesDuplicates {
            guard try await compare(run, calendar, in: relay) else { return nil }
        }
        if let problem = run.problem { throw problem }
        let left = run.rows.filter { $0.reason == nil }
        if !run.options.isDryRun {
            run.stage = .taking
            let isTaken = try await Replies.takeAll(left.count, of: run.call, in: relay) {
                run.take(left[$0], in: relay, at: $1, $2)
            }
            guard isTaken else { return nil }
        }
        if let problem = run.problem { throw problem }
        return finish(run, relay.log)
    }

    /// Finds the rows that say the same as a known datapoint, and returns whether an answer is due.
    private func compare(
        _ run: ImportRun, _ calendar: GoalCalendar, in relay: isolated Relay
    ) async throws(Problem) -> Bool {
        run.stage = .comparing
        let events = KnownEvents()
        var matches = run.matches(calendar)
        do throws(DiskError) {
            while !matches.isEmpty, let page = try await events.next(in: relay) {
                guard relay.isAwaited(run.call) else { return false }
                for view in page where run.isComparable(view, relay.engine.core) {
                    if let index = matches.take(view) {
                        run.drop(index, as: view.event.key.requestID)
                    }
                }
            }
        } catch {
            // Events that the history has would be logged twice.
            relay.log.error("an import was broken off", [("cause", error.cause)])
            throw Problem(
                .crowded,
                "nothing was taken: the history of delivered events cannot be read, so what is "
                    + "known cannot be told; see the relay's log, and send the file again")
        }
        matches.takeElsewhere(run.drop)
        return true
    }

    private func finish(_ run: ImportRun, _ log: Log) -> Response {
        if !run.options.isDryRun {
            last = JSONWriter.object(run.write).dropFirst().dropLast()
            log.info("an import ends", [("taken", "\(run.taken)")])
        }
        return .ok { json in
            if run.options.isDryRun { json.add("dryRun", true) }
            run.write(to: &json)
            if !run.ignored.isEmpty { json.addArray("ignored", of: run.ignored) }
        }
    }

    /// `GET /import`: how far it is.
    static func progress(_ relay: isolated Relay, _ call: Call) -> Response? {
        let imports = relay.transfers.imports
        return .json { json in
            let run = imports.runs.first
            json.add("state", run?.stage.rawValue ?? "idle")
            if let run {
                json.add("lines", Int64(run.lines))
                json.add("events", Int64(run.rows.count))
                json.add("done", Int64(run.done))
            }
            if let last = imports.last { json.add("last") { $0.write(raw: last) } }
        }
    }
}

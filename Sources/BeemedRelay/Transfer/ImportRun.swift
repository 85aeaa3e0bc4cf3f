import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The options of `GET /export`, which are its format, and of `POST /import`.
struct TransferOptions {
    /// Nil: CSV, or found out from the content.
    let format: TransferFormat?
    /// Nothing is taken; the answer says what would be.
    let isDryRun: Bool
    /// Whether events that are known with the same content are taken once more.
    let takesDuplicates: Bool
    /// The goal of lines that name none.
    let goal: String?

    /// The parameters of an import's query.
    static let names = ["format", "dryRun", "dry_run", "duplicates", "goal"]

    init(_ request: Request) throws(Problem) {
        let query = request.query
        format = query["format"].flatMap(TransferFormat.init)
        isDryRun = try BodyReader.fields(ofQuery: request.target.query).isDryRun
        takesDuplicates = query["duplicates"] == "take"
        goal = query["goal"]
        guard query["format"] == nil || format != nil else {
            throw .malformed("'format' must be 'csv' or 'jsonl'")
        }
        guard ["skip", "take", nil].contains(query["duplicates"]) else {
            throw .malformed("'duplicates' must be 'skip' or 'take'")
        }
        if let goal, GoalSlug(goal) == nil { throw .malformed("'goal' must be a goal") }
    }
}

/// An import under way: all lines of a file are taken, or none.
///
/// The file is read, its rows are looked at as presses are, and compared with what is known. Then
/// they go the way of a device's queue. Their request ids come from the content: what is broken off
/// in the middle is completed by the same file, whose first part is known then.
final class ImportRun {
    enum Stage: String {
        case reading, checking, comparing, taking
    }

    private let call: Call
    private let options: TransferOptions
    private var stage = Stage.reading { didSet { done = 0 } }
    /// The contents of the file, and what becomes of them.
    private var rows: [ImportRow] = []
    /// The lines that cannot be read.
    private var faults: [ImportFault] = []
    /// How many rows have an outcome in this stage.
    private var done = 0
    private var taken = 0
    /// The keys of events that are known under their own request id: none of them stands for
    /// another row of the same content.
    private var knownKeys: Set<EventKey> = []
    /// Why not all could be taken, unless a line is wrong.
    private var trouble: Problem?
    private var rehearsal = RelayCore.Rehearsal()

    /// Imports at once, at most; each holds a file of up to 8 MiB.
    static let maxImports = 8
    /// Content of one request, in bytes, at most.
    static let maxBytes = 8 << 20
    /// Events of one file, at most.
    static let maxEvents = 20_000
    /// Rows of one kind that the answer lists, at most.
    private static let maxListed = 100

    private init(_ call: Call) throws(Problem) {
        self.call = call
        options = try TransferOptions(call.request)
    }

    /// `POST /import`: takes all datapoints of a file, or none.
    static func begin(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let (transfers, core) = (relay.transfers, relay.engine.core)
        let content = call.request.body
        guard !content.isEmpty else {
            throw .malformed("the body is empty; send the lines of a CSV or JSONL file")
        }
        let run = try ImportRun(call)
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

    /// Loads what a file says, or throws when not all was taken. Returns nil when the client has
    /// gone.
    private func load(
        _ content: [UInt8], in relay: isolated Relay
    ) async throws(Problem) -> Response? {
        let (calendar, format) = (relay.engine.core.view.calendar, options.format)
        let context = ImportContext(goal: options.goal, calendar: calendar, now: call.moment.wall)
        let file = await relay.transfers.work.run { ImportReading(content, format, context) }
        (rows, faults) = (file.rows, file.faults)
        stage = .checking
        let isChecked = try await Replies.takeAll(rows.count, of: call, in: relay) {
            index, now, _ in
            check(&rows[index], in: relay, at: now)
        }
        guard isChecked else { return nil }
        if !options.takesDuplicates {
            guard try await compare(calendar, in: relay) else { return nil }
        }
        if let problem { throw problem }
        if !options.isDryRun {
            stage = .taking
            let left = rows.filter { $0.reason == nil }
            let isTaken = try await Replies.takeAll(left.count, of: call, in: relay) {
                take(left[$0], in: relay, at: $1, $2)
            }
            guard isTaken else { return nil }
            if let problem { throw problem }
            relay.transfers.lastImport = JSONWriter.object(write).dropFirst().dropLast()
            relay.log.info("an import ends", [("taken", "\(taken)")])
        }
        return .ok { json in
            if options.isDryRun { json.add("dryRun", true) }
            write(to: &json)
            if !file.ignored.isEmpty { json.addArray("ignored", of: file.ignored) }
        }
    }

    // MARK: The way through the core

    /// Judges a row by the outcome that it would have.
    private func check(_ row: inout ImportRow, in relay: isolated Relay, at now: Moment) {
        done += 1
        guard isGood(in: relay) else { return }
        var (isDuplicate, problem) = (false, Problem?.none)
        switch relay.engine.core.rehearse(row.press, at: now, &rehearsal) {
        case .accepted(_, _, let isKnown): isDuplicate = isKnown
        case .refused(let refusal): problem = refusal.problem
        }
        let core = relay.engine.core.view
        if let key = row.key, core.event(key) != nil {
            knownKeys.insert(key)
            if isDuplicate { row.reason = "known" }
        } else if row.state == .undone || row.state == .guarded {
            row.reason = row.state?.rawValue
        } else if row.state == .delivered, !options.takesDuplicates,
            row.user == nil || row.user == core.user
        {
            row.reason = "delivered"
        }
        guard row.reason == nil else { return }
        if let problem, problem.mayPass { trouble = trouble ?? problem }
        row.fault = isDuplicate ? "its request id occurs twice" : problem?.detail
    }

    private func take(
        _ row: ImportRow, in relay: isolated Relay, at now: Moment, _ replies: Replies
    ) {
        guard isGood(in: relay) else { return }
        let reply = replies.expected { reply in
            self.done += 1
            if case .refused(let refusal) = reply {
                self.trouble = self.trouble ?? refusal.problem
            } else {
                self.taken += 1
            }
        }
        relay.engine.submit(row.press, at: now, for: reply)
    }

    private func isGood(in relay: isolated Relay) -> Bool {
        do throws(Problem) {
            try relay.checkIsGood(call)
            return true
        } catch {
            trouble = trouble ?? error
            return false
        }
    }

    /// Leaves out the rows that say the same as a known datapoint under another request id, and
    /// returns whether an answer is due.
    private func compare(
        _ calendar: GoalCalendar, in relay: isolated Relay
    ) async throws(Problem) -> Bool {
        stage = .comparing
        let events = KnownEvents()
        var matches = ImportMatches(rows, calendar) { row in
            row.reason == nil && !(row.key.map(knownKeys.contains) ?? false)
        }
        do throws(DiskError) {
            while !matches.isEmpty, let page = try await events.next(in: relay) {
                guard relay.isAwaited(call) else { return false }
                for view in page where stands(view, for: relay.engine.core.view.folderUser) {
                    let event = view.event
                    let index = matches.take(
                        view.goal, view.value, event.comment, at: view.at, on: event.daystamp)
                    if let index { drop(index, event.key.requestID) }
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
        // Datapoints from other sources that Beeminder reported lately.
        for goal in Set(rows.map { calendar.current($0.press.goal) }) {
            for point in calendar.datapointsElsewhere(of: goal) {
                let index = matches.take(goal, point.value, nil, at: UnixTime(point.timestamp))
                if let index { drop(index, point.requestID ?? "") }
            }
        }
        return true
    }

    /// Whether an event may be what a row under another request id says.
    private func stands(_ view: EventView, for user: FolderUser?) -> Bool {
        view.state.countsAsDatapoint && !knownKeys.contains(view.event.key)
            && user?.has(view.number) ?? true
    }

    private func drop(_ index: Int, _ twin: String) {
        (rows[index].reason, rows[index].twin) = ("duplicate", twin)
    }

    // MARK: The answer

    /// Lines with an event, or with a fault in reading.
    private var lines: Int { rows.count + faults.count }

    /// The reason why not all was taken: every line that is wrong is named, or as many as are
    /// listed. Nil when all was.
    private var problem: Problem? {
        if let trouble {
            return Problem(
                trouble.code,
                "\(taken) of \(count([nil])) events were taken, and no more: \(trouble.detail). "
                    + "Send the same file again: it adds the rest",
                fields: trouble.fields)
        }
        let faults =
            faults
            + rows.compactMap { row in
                row.reason == nil ? row.fault.map { ImportFault(row.line, $0) } : nil
            }
        guard !faults.isEmpty else { return nil }
        var problem = Problem(
            .unusableFile,
            "nothing was taken: \(faults.count) of \(lines) lines cannot be imported; correct them "
                + "and send the whole file again")
        problem.lines = faults.sorted { $0.line < $1.line }.prefix(ImportRun.maxListed)
            .map { fault in
                JSONWriter.object { json in
                    json.add("line", Int64(fault.line))
                    json.add("detail", fault.detail)
                }
            }
        return problem
    }

    /// How many rows have one of these reasons; nil is for those that are taken.
    private func count(_ reasons: [String?]) -> Int64 {
        Int64(rows.count { reasons.contains($0.reason) })
    }

    /// The counts, as the answer tells them.
    private func write(to json: inout JSONWriter) {
        call.events = lines
        json.add("lines", Int64(lines))
        json.add("taken", options.isDryRun ? count([nil]) : Int64(taken))
        json.add("known", count(["known"]))
        json.add("duplicates", count(["duplicate", "delivered"]))
        json.add("skipped", count(["undone", "guarded"]))
        let left = rows.lazy.filter { $0.reason != nil && $0.reason != "known" }
        guard !left.isEmpty else { return }
        json.addArray("notTaken", of: left.prefix(ImportRun.maxListed)) { row, json in
            json.add("line", Int64(row.line))
            json.add("why", row.reason ?? "")
            if !row.twin.isEmpty { json.add("requestid", row.twin) }
        }
    }
}

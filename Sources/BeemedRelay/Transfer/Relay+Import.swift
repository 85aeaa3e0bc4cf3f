import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Imports: all lines of a file are taken, or none.
///
/// The file is read, compared with what is known and checked first. Then its events go through the
/// core as presses do. Their request ids come from the content: what is broken off in the middle is
/// completed by the same file, whose first part is known then.
extension Relay {
    /// Begins an import, or lets it wait: only one runs at a time.
    func beginImport(_ call: Call, _ options: ImportOptions) throws(Problem) {
        let calls = transfers.waiting.lazy.map(\.call)
        guard hasPlace(for: call, among: Transfers.mostWaiting, heldBy: calls) else {
            throw .importRuns
        }
        guard engine.core.sync != .notConnected else { throw .notConnected }
        guard engine.core.isClockSound else { throw .clockUnset }
        transfers.waiting.append(
            ImportRun(call, options, call.request.body, engine.core.calendar, at: call.moment))
        beginNextImport()
    }

    /// Begins the import that has waited longest, if none runs.
    func beginNextImport() {
        guard transfers.importing == nil, !transfers.waiting.isEmpty else { return }
        transfers.importing = transfers.waiting.removeFirst()
        postImport()
    }

    /// Breaks it off.
    func abandonImport() {
        let runs = [transfers.importing].compactMap(\.self) + transfers.waiting
        (transfers.importing, transfers.waiting) = (nil, [])
        for run in runs { answer(run.call, .failure(.outcomeUnknown)) }
    }

    func postImport() {
        guard !transfers.isImportPosted, let stage = transfers.importing?.stage,
            stage != .waiting
        else { return }
        transfers.isImportPosted = true
        loop.post { self.assumeIsolated { $0.continueImport() } }
    }

    private func continueImport() {
        transfers.isImportPosted = false
        guard var run = transfers.importing else { return }
        transfers.importing = nil
        let end = Instant(nanoseconds: Instant.now.nanoseconds + ImportRun.sliceNanoseconds)
        if isDeserted(run) {
            beginNextImport()
            return finishTurn()
        }
        switch run.stage {
        case .reading: read(&run, until: end)
        case .comparing: compare(&run, until: end)
        case .checking: check(&run, until: end)
        case .taking:
            transfers.importing = run
            acceptImported(until: end)
            return finishTurn()
        case .waiting: break
        }
        let isOver = run.stage == .taking && !takesEvents(run)
        transfers.importing = transfers.importing ?? (isOver ? nil : run)
        if isOver { finish(run) }
        finishTurn()
        postImport()
    }

    /// Whether its client has gone before anything was promised.
    private func isDeserted(_ run: ImportRun) -> Bool {
        let id = run.call.id
        return run.stage != .taking && site?.server.assumeIsolated { !$0.holds(id) } ?? true
    }

    // MARK: Reading and comparing

    private func read(_ run: inout ImportRun, until end: Instant) {
        while Instant.now < end {
            do throws(ImportFault) {
                guard let event = try run.reader.next(run.calendar, now: run.received.wall) else {
                    guard run.reader.isAtEnd else { continue }
                    run.stage = .comparing
                    break
                }
                run.report.lines += 1
                sort(event, into: &run)
            } catch {
                run.report.lines += 1
                run.add(error)
            }
            guard run.report.lines <= ImportRun.mostEvents else {
                run.add(
                    ImportFault(
                        line: 0,
                        detail: "at most \(ImportRun.mostEvents) events at once; split the file"))
                run.stage = .taking
                return
            }
        }
        if run.stage == .comparing, run.report.faultCount > 0 { run.stage = .taking }
    }

    private func sort(_ event: ImportedEvent, into run: inout ImportRun) {
        if let id = event.press.id, engine.core.event(event.press.key(id)) != nil {
            // The check compares its content with the known one.
            run.comparison.knownKeys.insert(event.press.key(id))
            run.events.append(event)
            return
        }
        switch event.state {
        case .undone, .guarded: return run.skip(event.line, "\(event.state?.rawValue ?? "")")
        default: break
        }
        let isOurs = event.user == nil || event.user == engine.core.user
        if event.isDelivered, isOurs, !run.options.takesDuplicates {
            run.report.duplicateCount += 1
            return run.skip(event.line, "delivered")
        }
        run.comparison.contents[event.content(run.calendar), default: []].append(run.events.count)
        run.events.append(event)
    }

    private func compare(_ run: inout ImportRun, until end: Instant) {
        guard !run.options.takesDuplicates, !run.comparison.contents.isEmpty else {
            run.stage = .checking
            return
        }
        let filter = RelayCore.Filter()
        while Instant.now < end {
            let page = engine.core.events(filter, before: run.comparison.before, limit: 50)
            for view in page.events where view.state.countsAsDatapoint {
                match(view, &run)
            }
            guard let next = page.next else {
                compareElsewhere(&run)
                return comparePast(&run)
            }
            run.comparison.before = next
        }
    }

    private func match(_ view: EventView, _ run: inout ImportRun) {
        guard engine.core.isOfFolderUser(view.number),
            !run.comparison.knownKeys.contains(view.event.key),
            !run.comparison.matched.contains(view.number)
        else { return }
        for content in ImportedEvent.contents(of: view, run.calendar)
        where run.mark(content, as: view.event.key.requestID) {
            run.comparison.matched.insert(view.number)
            return
        }
    }

    /// Compares with the datapoints from other sources that Beeminder reported lately; their
    /// comments are unknown.
    private func compareElsewhere(_ run: inout ImportRun) {
        let goals = Set(run.comparison.contents.keys.map(\.goal))
        for goal in goals {
            for point in run.calendar.datapointsElsewhere(of: goal) {
                let time = UnixTime(point.timestamp)
                let day = run.calendar.day(of: goal, at: time).number
                let content = run.comparison.contents.first { content, places in
                    !places.isEmpty && content.goal == goal && content.value == point.value
                        && [.second(point.timestamp), .day(day)].contains(content.time)
                }
                if let content { _ = run.mark(content.key, as: point.requestID ?? "") }
            }
        }
    }

    /// Compares with the history, off the loop: reading it takes long.
    private func comparePast(_ run: inout ImportRun) {
        run.stage = .waiting
        let (folder, calendar) = (settings.data, run.calendar)
        let wanted = Set(run.comparison.contents.filter { !$0.value.isEmpty }.keys)
        let (started, known) = (run.received.monotonic, run.comparison.knownKeys)
        let (matched, user) = (run.comparison.matched, engine.core.folderUser)
        transfers.work.add {
            let result = Result { () throws(DiskError) in
                var found: [(ImportedEvent.Content, String)] = []
                try History(SystemDisk(dataFolder: folder)).newestFirst { entry in
                    let view = EventView(past: entry)
                    guard user?.has(view.number) ?? true, view.state.countsAsDatapoint,
                        !known.contains(view.event.key),
                        !matched.contains(view.number)
                    else { return true }
                    for content in ImportedEvent.contents(of: view, calendar)
                    where wanted.contains(content) {
                        found.append((content, view.event.key.requestID))
                    }
                    return found.count < ImportRun.mostEvents * 2
                }
                return found
            }
            self.loop.post { self.assumeIsolated { $0.processPast(result, started) } }
        }
    }

    private func processPast(
        _ result: Result<[(ImportedEvent.Content, String)], DiskError>, _ started: Monotonic
    ) {
        guard var run = transfers.importing, run.stage == .waiting,
            run.received.monotonic == started
        else { return }
        transfers.importing = nil
        switch result {
        case .success(let found): for (content, known) in found { _ = run.mark(content, as: known) }
        case .failure(let cause):
            // What the history has would be logged twice.
            log.error("an import was broken off", [("cause", cause.cause)])
            answer(run.call, .failure(.historyUnreadable))
            beginNextImport()
            return finishTurn()
        }
        run.stage = .checking
        transfers.importing = run
        postImport()
    }

    // MARK: Checking

    private func check(_ run: inout ImportRun, until end: Instant) {
        if !run.comparison.duplicates.isEmpty { dropDuplicates(&run) }
        let now = clock()
        while Instant.now < end {
            guard run.taking.index < run.events.count else {
                // Those that are known need no second look.
                run.events.removeAll(where: \.isKnown)
                (run.taking.index, run.stage) = (0, .taking)
                return
            }
            let event = run.events[run.taking.index]
            switch engine.core.rehearse(event.press, at: now, &run.rehearsal) {
            case .accepted(_, _, let isDuplicate):
                if isDuplicate,
                    event.press.id.map({ engine.core.event(event.press.key($0)) }) == nil
                {
                    run.add(ImportFault(line: event.line, detail: "its request id occurs twice"))
                } else if isDuplicate {
                    run.report.knownCount += 1
                    run.events[run.taking.index].isKnown = true
                }
            case .refused(let refusal):
                run.add(ImportFault(line: event.line, detail: refusal.problem.detail))
            }
            run.taking.index += 1
        }
    }

    private func dropDuplicates(_ run: inout ImportRun) {
        for (index, known) in run.comparison.duplicates.sorted(by: { $0.key < $1.key }) {
            run.report.duplicateCount += 1
            run.skip(run.events[index].line, "duplicate", known: known.isEmpty ? nil : known)
        }
        let events = run.events.enumerated().filter { run.comparison.duplicates[$0.offset] == nil }
        run.events = events.map(\.element)
        run.comparison.duplicates = [:]
        run.comparison.contents = [:]
    }

    /// Whether its events are taken now: not for a dry run, nor with a line that cannot be.
    private func takesEvents(_ run: ImportRun) -> Bool {
        run.report.faultCount == 0 && !run.options.isDryRun && !run.events.isEmpty
    }
}

extension Problem {
    fileprivate static let historyUnreadable = Problem(
        .crowded,
        "nothing was taken: the history of delivered events cannot be read, so what is known "
            + "cannot be told; see the relay's log, and send the file again")
    fileprivate static let importRuns = Problem(
        .crowded, "other imports are in progress; send this one again in a few seconds",
        fields: [Response.Field("Retry-After", "5")])
    fileprivate static let clockUnset = Problem(
        .crowded,
        "the relay's clock is not set yet, so no date can be judged; send this again later",
        fields: [Response.Field("Retry-After", "60")])
}

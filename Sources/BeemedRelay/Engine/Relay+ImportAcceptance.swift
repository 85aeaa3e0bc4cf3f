import BeemedDomain
import RelayHTTP

/// The end of an import: its saved events go through the core, and the client learns of it.
extension Relay {
    func acceptImported(until end: Instant) {
        let moment = environment.clock()
        while let run = queues.transfers.importing, run.taking.index < run.events.count,
            run.taking.unwritten < ImportRun.mostUnwritten, Instant.now < end
        {
            queues.transfers.importing?.taking.index += 1
            queues.transfers.importing?.taking.unwritten += 1
            engine.submit(
                run.events[run.taking.index].press, reply: .imported(run.taking.index),
                at: moment)
        }
        endImportIfTaken()
        guard let run = queues.transfers.importing, run.taking.index < run.events.count,
            run.taking.unwritten < ImportRun.mostUnwritten
        else { return }
        postImport()
    }

    /// Processes the outcome of one event.
    func processImported(_ index: Int, _ reply: Reply) {
        guard queues.transfers.importing != nil else { return }
        queues.transfers.importing?.taking.unwritten -= 1
        switch reply {
        case .accepted: queues.transfers.importing?.report.taken += 1
        case .refused(let refusal) where refusal.mayPass:
            queues.transfers.importing?.taking.later.append(index)
            queues.transfers.importing?.taking.trouble = refusal.problem
        case .refused(let refusal):
            let line = queues.transfers.importing?.events[index].line ?? 0
            queues.transfers.importing?.add(
                ImportFault(line: line, detail: refusal.problem.detail))
        case .total, .usable, .changed: break  // The replies to other commands.
        }
        endImportIfTaken()
        if queues.transfers.importing?.stage == .taking { postImport() }
    }

    private func endImportIfTaken() {
        guard var run = queues.transfers.importing, run.stage == .taking, run.taking.unwritten == 0,
            run.taking.index == run.events.count
        else { return }
        queues.transfers.importing = nil
        guard run.taking.later.isEmpty else {
            run.events = run.taking.later.sorted().map { run.events[$0] }
            (run.taking.later, run.taking.index, run.stage) = ([], 0, .waiting)
            if let call = run.call { answer(call, .failure(run.delay)) }
            run.call = nil
            queues.transfers.importing = run
            queues.transfers.retryAt = environment.clock().monotonic.adding(
                seconds: ImportRun.retrySeconds)
            return
        }
        let (path, log) = (files.store.importPath, log)
        // Nobody learns of lines that a later start could not take: they are kept.
        let isRemoved = run.call != nil || run.report.faultCount == 0
        queues.transfers.work.add {
            do throws(DiskError) {
                if isRemoved {
                    try PrivateFile.remove(path)
                } else {
                    let place = PrivateFile.freeName(like: "\(path).refused")
                    try PrivateFile.move(path, to: place)
                    log.error("what was not imported is kept", [("file", place)])
                }
            } catch {
                log.error("a finished import stays", [("file", path), ("cause", error.cause)])
            }
        }
        for fault in run.report.faults {
            log.error("not imported", [("line", "\(fault.line)"), ("cause", fault.detail)])
        }
        log.info("an import is complete", [("taken", "\(run.report.taken)")])
        finish(run)
    }

    /// Tries the events again for which there was no room.
    func retryImport() {
        queues.transfers.retryAt = nil
        guard queues.transfers.importing?.stage == .waiting else { return }
        queues.transfers.importing?.stage = .taking
        postImport()
    }

    func finish(_ run: ImportRun) {
        let body = JSONWriter.object { json in
            json.add("ok", run.report.faultCount == 0)
            if run.options.isDryRun { json.add("dryRun", true) }
            run.write(to: &json)
            if !run.reader.ignored.isEmpty {
                json.addArray("ignored") { list in
                    for name in run.reader.ignored { list.element(name) }
                }
            }
        }
        if !run.options.isDryRun { queues.transfers.lastImport = run.outcome }
        guard let call = run.call else { return }
        guard run.report.faultCount == 0 else { return answer(call, .failure(run.refusal)) }
        call.events = run.report.lines
        answer(call, .success(.json(body)))
    }

    /// `GET /import`: how far it is.
    var importProgress: Response {
        .json(
            JSONWriter.object { json in
                json.add("state", queues.transfers.importing?.stage.rawValue ?? "idle")
                if let run = queues.transfers.importing {
                    json.add("lines", Int64(run.report.lines))
                    json.add("events", Int64(run.events.count))
                    json.add("done", Int64(run.stage == .reading ? 0 : run.taking.index))
                }
                if let last = queues.transfers.lastImport { json.add("last", last.write) }
            })
    }
}

extension ImportRun {
    /// Nothing was taken; every line that is wrong is named, or as many as are listed.
    var refusal: Problem {
        var problem = Problem(
            .unusableFile,
            "nothing was taken: \(report.faultCount) of \(report.lines) lines cannot be imported; "
                + "correct them and send the whole file again")
        problem.lines = report.faults.sorted { $0.line < $1.line }.map { fault in
            JSONWriter.object { json in
                json.add("line", Int64(fault.line))
                json.add("detail", fault.detail)
            }
        }
        return problem
    }

    /// The events are saved, and not all of them are in the journal yet.
    fileprivate var delay: Problem {
        Problem(
            taking.trouble?.code ?? .diskFull,
            "\(report.taken) of \(report.taken + events.count) events were taken, and the rest is "
                + "saved and follows by itself when there is room; GET /import tells how far it is",
            fields: taking.trouble?.fields ?? [])
    }
}

extension Refusal {
    /// Whether the same press may be accepted later.
    fileprivate var mayPass: Bool {
        switch self {
        case .diskFull, .tooManyWaiting, .tooManyUnsent, .tooManyRefused, .notConnected: true
        case .conflict, .unknownGoal, .unusableTime, .timeAsValue, .needsValue, .unknownEvent,
            .notPossible:
            false
        }
    }
}

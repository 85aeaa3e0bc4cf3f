import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The end of an import: its events go through the core, and the client learns of it.
extension Relay {
    func acceptImported(until end: Instant) {
        let moment = clock()
        while let run = transfers.importing, run.goesOn, Instant.now < end {
            transfers.importing?.taking.index += 1
            transfers.importing?.taking.unwritten += 1
            engine.submit(
                run.events[run.taking.index].press, reply: imported(run.taking.index), at: moment)
        }
        endImportIfTaken()
        if transfers.importing?.goesOn ?? false { postImport() }
    }

    private func imported(_ index: Int) -> Waiter { .leaf { $0.processImported(index, $1) } }

    /// Processes the outcome of one event.
    private func processImported(_ index: Int, _ reply: Reply) {
        guard transfers.importing != nil else { return }
        transfers.importing?.taking.unwritten -= 1
        switch reply {
        case .accepted: transfers.importing?.report.taken += 1
        case .refused(let refusal) where refusal.mayPass:
            transfers.importing?.taking.trouble = refusal.problem
        case .refused(let refusal):
            let line = transfers.importing?.events[index].line ?? 0
            transfers.importing?.add(
                ImportFault(line: line, detail: refusal.problem.detail))
        case .total, .usable, .changed: break  // The replies to other commands.
        }
        endImportIfTaken()
        if transfers.importing?.stage == .taking { postImport() }
    }

    private func endImportIfTaken() {
        guard let run = transfers.importing, run.stage == .taking, run.taking.unwritten == 0,
            run.taking.index == run.events.count || run.taking.trouble != nil
        else { return }
        transfers.importing = nil
        log.info("an import ends", [("taken", "\(run.report.taken)")])
        finish(run)
    }

    /// Answers it, and begins the next one.
    func finish(_ run: ImportRun) {
        defer { beginNextImport() }
        let body = JSONWriter.object { json in
            json.add("ok", true)
            if run.options.isDryRun { json.add("dryRun", true) }
            run.write(to: &json)
            if !run.reader.ignored.isEmpty {
                json.addArray("ignored") { list in
                    for name in run.reader.ignored { list.element(name) }
                }
            }
        }
        if let problem = run.problem { return answer(run.call, .failure(problem)) }
        if !run.options.isDryRun { transfers.lastImport = run.outcome }
        run.call.events = run.report.lines
        answer(run.call, .success(.json(body)))
    }

    /// `GET /import`: how far it is.
    var importProgress: Response {
        .json(
            JSONWriter.object { json in
                json.add("state", transfers.importing?.stage.rawValue ?? "idle")
                if let run = transfers.importing {
                    json.add("lines", Int64(run.report.lines))
                    json.add("events", Int64(run.events.count))
                    json.add("done", Int64(run.stage == .reading ? 0 : run.taking.index))
                }
                if let last = transfers.lastImport { json.add("last", last.write) }
            })
    }
}

extension ImportRun {
    /// Whether another event may be taken now.
    fileprivate var goesOn: Bool {
        taking.index < events.count && taking.unwritten < ImportRun.mostUnwritten
            && taking.trouble == nil
    }

    /// The reason why not all was taken: every line that is wrong is named, or as many as are
    /// listed. Nil when all was.
    fileprivate var problem: Problem? {
        if let trouble = taking.trouble {
            return Problem(
                trouble.code,
                "\(report.taken) of \(events.count) events were taken, then there was no room: "
                    + "\(trouble.detail). Send the same file again: it adds the rest",
                fields: trouble.fields)
        }
        guard report.faultCount > 0 else { return nil }
        var problem = Problem(
            .unusableFile,
            "\(report.taken == 0 ? "nothing was taken" : "\(report.taken) events were taken"): "
                + "\(report.faultCount) of \(report.lines) lines cannot be imported; correct them "
                + "and send the whole file again")
        problem.lines = report.faults.sorted { $0.line < $1.line }.map { fault in
            JSONWriter.object { json in
                json.add("line", Int64(fault.line))
                json.add("detail", fault.detail)
            }
        }
        return problem
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

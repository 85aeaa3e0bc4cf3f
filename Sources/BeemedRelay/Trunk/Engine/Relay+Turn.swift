import BeemedDomain
package import RelayHTTP

/// A turn of the loop: requests or results come in, records are written together, answers go out.
extension Relay {
    /// Processes the requests of one turn, and returns the answers that are ready.
    func respond(_ exchanges: [Exchange]) -> [Answer] {
        let moment = clock()
        let instant = Instant.now
        engine.requestCount += exchanges.count
        for exchange in exchanges {
            let context = access.clients.proxies.context(
                exchange.request, from: exchange.peer.address, moment, instant)
            let call = Call(exchange.id, exchange.request, context)
            do throws(Problem) {
                guard !shutdown.hasFailed else { throw .outcomeUnknown }
                try access.clients.admit(call.context)
                if let response = try route(call) { answer(call, .success(response)) }
            } catch {
                answer(call, .failure(error))
            }
            call.dropUnshownContent()
            records.add(call)
        }
        collect(moment)
        defer { answers.removeAll(keepingCapacity: true) }
        return answers
    }

    /// Writes what was decided outside of `respond`, and sends the answers that are ready.
    package func finishTurn() {
        collect(clock())
        guard !answers.isEmpty, let server = site?.server else { return }
        let ready = answers
        answers.removeAll(keepingCapacity: true)
        server.assumeIsolated { $0.send(ready) }
    }

    /// Writes the records of this turn, and collects the answers that are ready.
    private func collect(_ now: Moment) {
        let turn = engine.commit()
        // In a cluster each relay has a token of its own, so that only a person says which counts.
        if turn.isFolderOffered, settings.cluster.store == nil, account.takeOverIfSettled() {
            loop.post { self.assumeIsolated { $0.finishTurn() } }
        }
        if turn.isTakenOver { forgetFormerUser() }
        for (waiter, reply) in turn.replies {
            if case .accepted(let acceptance) = reply { records.register(acceptance) }
            waiter(reply)
        }
        if turn.isPresentDayKnown { tell(.presentDayKnown) }
        for error in turn.rejections { records.logRejection(error) }
        if let end = turn.end { handle(end) }
        if !watchers.waits.isEmpty, leads() { tellWatchers(now) }
    }

    // MARK: Answers

    /// Answers a request: the one way out.
    package func answer(_ call: Call, _ result: consuming Result<Response, Problem>) {
        var response: Response
        switch consume result {
        case .success(let ready):
            records.end(call, RequestLog.Ending(status: ready.status))
            response = ready
        case .failure(let problem): response = records.refusal(of: call, problem)
        }
        // Pages say so themselves.
        if call.forbidsStorage, response.field("Cache-Control") == nil {
            response.fields.append(.notStored)
        }
        answers.append(Answer(to: call.id, response))
    }

    /// Answers a request as the core has replied.
    func answer(_ call: Call, _ reply: Reply?) {
        let result = reply?.result(call.reading, at: clock())
        answer(call, result ?? .failure(.outcomeUnknown))
    }

    // MARK: Results and time

    /// Called on the journal's thread when it has outcomes.
    nonisolated func journalDidCommit() {
        loop.post { self.assumeIsolated { $0.finishTurn() } }
    }

    /// A result from Beeminder has arrived.
    func handle(_ result: Input) {
        records.metrics.count(result)
        engine.handle(result)
        account.recordVerified()
        tell(.upstreamAnswered)
        finishTurn()
        closeWhenDelivered(at: clock().monotonic)
    }
}

extension Relay: LoopSource {
    package nonisolated func turn(_ ready: [Ready], now: Instant) -> Instant? {
        assumeIsolated { $0.wake() }
    }

    /// When to look at those who wait; nil while they may be told nothing.
    private var watchersWakeAt: Monotonic? { leads() ? watchers.wakeAt : nil }

    private func wake() -> Instant? {
        let moment = clock()
        let now = moment.monotonic
        if let due = engine.wakeAt, due <= now {
            tell(.devicesChanged)
            engine.wake()
            finishTurn()
        } else if let due = watchersWakeAt, due <= now {
            finishTurn()
        }
        if let due = access.lastSeen.saveAt, due <= now { saveLastSeen() }
        // Last, after all answers: nobody waits for what follows a receipt, nor for the log.
        while engine.followUp() { finishTurn() }
        var next: Monotonic?
        for leaf in leaves { next = Monotonic.soonest(next, leaf.followUp(in: self, at: moment)) }
        closeWhenDelivered(at: now)
        records.writeAccepted()
        next = [
            engine.wakeAt, watchersWakeAt, access.lastSeen.saveAt, shutdown.by,
        ].reduce(next, Monotonic.soonest)
        return next.map { Instant(nanoseconds: max(0, $0.milliseconds) * 1_000_000) }
    }
}

import BeemedDomain
import Foundation
import RelayHTTP

/// Connects server, core, journal and upstream: passes inputs to the core and performs its effects.
/// It runs on the loop, so it needs no locks.
actor Relay {
    nonisolated let loop: Loop
    let settings: Settings
    let log: Log
    let store: RelayStore
    let upstream: any AccountUpstream
    /// The connected account.
    var connection: ConnectedAccount?
    var verifications = Verifications()
    /// Whether the account came from the environment, as it will at the next start.
    let environmentWins: Bool
    /// The result of journal recovery.
    let recoveryReport: RecoveryReport
    /// The time of the last successful sync; a start with a writable disk syncs all live events.
    private(set) var lastSync: UnixTime?
    /// The error of the last journal write; nil after a success.
    private(set) var obstacle: DiskError?
    var core: RelayCore
    var devices: DeviceBook
    let proxies: Proxies
    var access: Access
    var contextCache = ContextCache()
    var manualCache = ManualCache()
    /// The address at which other devices reach the server; nil before it listens.
    var endpoint: Endpoint?
    /// Clients that wait for the context to change.
    var longPolls: [LongPoll] = []
    var watchedVersion: UInt64 = 0
    let clock: @Sendable () -> Moment
    /// Work that may block on the disk, off the loop.
    let chores = Relay.serialQueue()
    /// The same for imports and exports, which take long.
    let transferWork = Relay.serialQueue()
    private(set) var server: Server?
    private var writer: JournalWriter?
    private var pendingReplies = PendingReplies<Waiter>()
    var streams = ContextStreams()
    var batches = EventBatches()
    /// Requests with many events that wait for their next slice, in turn.
    var intakes: [EventIntake] = []
    var isIntakePosted = false
    var transfers = Transfers()
    var presetBook: PresetBook
    var answers: [Answer] = []
    /// A reusable empty list of effects.
    private var spareEffects: [Effect] = []
    private var batch: [Record] = []
    private var batchIsUrgent = false
    private var batchEpoch: UInt64 = 0
    private var wakeAt: Monotonic?
    var requests = RequestNames()
    var requestLog = RequestLog()
    var refusalLog = RefusalLog()
    /// The log entry of the current request.
    var current = RequestLog.Entry(nil, from: Address([0, 0, 0, 0]), at: UnixTime(0))
    var metrics = Metrics()
    let started = Instant.now
    /// The deadline for delivering merged datapoints at shutdown; nil while not waiting.
    var stopBy: Monotonic?
    /// The disk has failed: the process is about to end, and accepts nothing more.
    private(set) var hasFailed = false
    private var ending: (@Sendable (ExitCode) -> Void)?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(on loop: Loop, _ parts: Parts) {
        self.loop = loop
        settings = parts.settings
        log = parts.log
        store = parts.store
        upstream = parts.upstream
        connection = parts.connection
        environmentWins = parts.connection?.isSaved == false
        core = parts.core
        recoveryReport = parts.recoveryReport
        obstacle = parts.recoveryReport.obstacle
        devices = parts.devices
        clock = parts.clock
        presetBook = parts.presets
        proxies = Proxies(trusted: parts.settings.trustedProxies)
        access = Access(
            parts.settings, owner: parts.owner, ownerGeneration: parts.ownerGeneration)
        if parts.recoveryReport.obstacle == nil { lastSync = parts.clock().wall }
        access.lastSeen = LastSeen(parts.store.lastSeen())
        access.sessions = parts.store.sessions()
        // Devices may have been removed while no relay ran.
        _ = access.endRevoked(parts.devices)
    }

    /// The callbacks for the server.
    nonisolated var application: Application {
        Application(
            respond: { exchanges in self.assumeIsolated { $0.respond(exchanges) } },
            refuse: { fault, peer in self.assumeIsolated { $0.refusal(of: fault, from: peer) } },
            admit: { head, peer in self.assumeIsolated { $0.admit(head, from: peer) } },
            endWait: { id in self.assumeIsolated { $0.endWait(id) } },
            nextPart: { id in self.assumeIsolated { $0.continueExport(id) } },
            fields: [Response.Field("X-Content-Type-Options", "nosniff")])
    }

    /// Attaches the server and the journal's writer.
    func begin(_ server: Server, _ writer: JournalWriter) {
        self.server = server
        self.writer = writer
        loop.addTimer(self)
        listenToTime()
        apply(.pinned(store.pins().compactMap(GoalSlug.init)))
        if upstream.isConnected {
            apply(connection?.input ?? .connected(as: nil, user: nil))
        }
        finishTurn()
    }

    var connectionCount: Int { server?.assumeIsolated { $0.connectionCount } ?? 0 }

    /// Batches that the journal has written, and the seconds spent on them.
    var journalWork: (batches: UInt64, seconds: Double) { writer?.work ?? (0, 0) }

    // MARK: A turn

    private func respond(_ exchanges: [Exchange]) -> [Answer] {
        let moment = clock()
        let instant = Instant.now
        for exchange in exchanges {
            let context = proxies.context(
                exchange.request, from: exchange.peer.address, moment, instant)
            current = RequestLog.Entry(exchange.request, from: context.peer, at: moment.wall)
            do throws(Problem) {
                guard !hasFailed else { throw .outcomeUnknown }
                try access.admit(context)
                let response = try route(exchange, context)
                if let response {
                    current.ending = RequestLog.Ending(status: response.status)
                    answers.append(Answer(to: exchange.id, response))
                }
                noteCurrent()
            } catch {
                refuse(exchange, context, error)
            }
        }
        submit()
        tellWatchers(moment)
        tellStreams(moment)
        defer { answers.removeAll(keepingCapacity: true) }
        return answers
    }

    private func refuse(_ exchange: Exchange, _ context: RequestContext, _ problem: Problem) {
        let response = refusal(of: exchange.request, context, problem)
        answers.append(Answer(to: exchange.id, response))
    }

    /// The answer to a refused request, which is also logged.
    func refusal(of request: Request, _ context: RequestContext, _ problem: Problem) -> Response {
        let name = requests.next()
        logRefusal(problem, name, from: context.peer, request)
        metrics.note(problem)
        current.ending = RequestLog.Ending(status: problem.status, problem: problem, name: name)
        noteCurrent()
        return problem.response(to: request, name: name)
    }

    /// Passes a press to the core under a new reply id.
    func take(_ press: Press, for waiter: Waiter, _ now: Moment) {
        apply(.pressed(press, pendingReplies.add(waiter)), at: now)
    }

    /// Passes an amendment of an event to the core; the answer follows once it is synced.
    func ask(_ exchange: ExchangeID, _ now: Moment, _ input: (ReplyID) -> Input) {
        let replyID = pendingReplies.add(.request(exchange, .none, current))
        apply(input(replyID), at: now)
    }

    /// Looks up a goal for a request; the answer follows when the result is known.
    func look(for goal: GoalSlug, for waiter: Waiter, _ now: Moment) {
        apply(.goalDoubted(goal, pendingReplies.add(waiter)), at: now)
    }

    /// Undoes a press for a request; the answer follows once it is synced.
    func take(back key: EventKey, for waiter: Waiter, _ now: Moment) {
        apply(.undone(key, pendingReplies.add(waiter)), at: now)
    }

    /// Applies an input that belongs to no request.
    func apply(_ input: Input) {
        apply(input, at: clock())
    }

    private func apply(_ input: Input, at now: Moment) {
        var effects = spareEffects
        spareEffects = []
        core.apply(input, at: now, &effects)
        perform(effects)
        effects.removeAll(keepingCapacity: effects.capacity <= 4_096)
        spareEffects = effects
    }

    /// Writes the records and sends the answers of this turn.
    func finishTurn() {
        submit()
        if !longPolls.isEmpty { tellWatchers(clock()) }
        if !streams.list.isEmpty { tellStreams(clock()) }
        guard !answers.isEmpty, let server else { return }
        let ready = answers
        answers.removeAll(keepingCapacity: true)
        server.assumeIsolated { $0.answer(ready) }
    }

    /// Submits the turn's records to the journal. On a fast disk they are synced when this returns,
    /// and the resulting effects belong to the same turn.
    private func submit() {
        while !batch.isEmpty {
            let records = batch
            let isUrgent = batchIsUrgent
            batch.removeAll(keepingCapacity: true)
            batchIsUrgent = false
            writer?.submit(records, epoch: batchEpoch, isUrgent: isUrgent, live: core.live)
            hearJournal()
        }
        scheduleIntakes()
    }

    private func hearJournal() {
        for outcome in writer?.takeOutcomes() ?? [] { take(outcome) }
    }

    // MARK: Effects

    private func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .reply(let replyID, let reply): answer(replyID, reply)
            case .append(let record, let epoch, let isUrgent):
                batch.append(record)
                batchEpoch = epoch
                batchIsUrgent = batchIsUrgent || isUrgent
            case .send(let batch): send(batch)
            case .erase(let deletion): erase(deletion)
            case .fetchGoals(let since): fetchGoals(since: since)
            case .saveGoals(let book): save(book)
            case .wake(let time): wakeAt = time
            }
        }
    }

    /// Saves the goals asynchronously: they only speed up the next start. The queue is serial, so
    /// that an older list never replaces a newer one.
    private func save(_ goals: GoalBook) {
        let (store, log) = (store, log)
        chores.addOperation { store.save(goals, log) }
    }

    private func answer(_ replyID: ReplyID, _ reply: Reply) {
        guard let waiter = pendingReplies.take(replyID) else { return }
        if case .accepted(let acceptance) = reply { metrics.note(acceptance) }
        switch waiter {
        case .request(let exchange, let reading, let entry):
            answer(exchange, reply.result(reading, at: clock()), entry)
        case .undo(let exchange, let entry):
            guard case .changed(let view) = reply else {
                return answer(exchange, reply.result(.none, at: clock()), entry)
            }
            answer(exchange, .success(.undone(view)), entry)
        case .pin(let exchange, let position, let entry):
            answer(exchange, pinned(reply, at: position), entry)
        case .batch(let batch, let index, let reading):
            finish(batch, index, EventBatch.Outcome(reply, reading, at: clock()))
        case .imported(let index): hearImported(index, reply)
        }
    }

    private func answer(
        _ exchange: ExchangeID, _ result: Result<Response, Problem>, _ entry: RequestLog.Entry
    ) {
        switch result {
        case .success(let response):
            entry.ending = RequestLog.Ending(status: response.status)
            answers.append(Answer(to: exchange, response))
        case .failure(let problem): refuse(exchange, entry, problem)
        }
    }

    /// Refuses a press whose request was valid.
    func refuse(_ exchange: ExchangeID, _ entry: RequestLog.Entry, _ problem: Problem) {
        let name = name(problem, from: entry.peer)
        metrics.note(problem)
        entry.ending = RequestLog.Ending(status: problem.status, problem: problem, name: name)
        answers.append(Answer(to: exchange, problem.response(to: entry.request, name: name)))
    }

    /// Assigns a name to a refused request, and logs the refusal under it.
    func name(_ problem: Problem, from peer: Address) -> String {
        let name = requests.next()
        logRefusal(problem, name, from: peer)
        return name
    }

    // MARK: Journal outcomes

    /// Called on the journal's thread when it has outcomes.
    nonisolated func journalDidCommit() {
        loop.post {
            self.assumeIsolated { relay in
                relay.hearJournal()
                relay.finishTurn()
            }
        }
    }

    private func take(_ outcome: CommitOutcome) {
        switch outcome {
        case .committed(let receipt):
            lastSync = clock().wall
            apply(.committed(receipt))
        case .rejected(let epoch, let receipt, let error):
            log.error("disk full, nothing of the batch was taken", [("cause", "\(error)")])
            obstacle = error
            apply(.rejected(epoch: epoch, receipt))
        case .failed(let error): fail(error)
        case .closed(let error):
            if let error { log.error("journal not closed", [("cause", "\(error)")]) }
            saveLastSeen()
            chores.waitUntilAllOperationsAreFinished()
            ending?(error == nil ? .ok : .ioError)
        }
    }

    /// The state of the disk is unknown. Pending requests are told so, and the process ends: only a
    /// new process, which rewrites all live events, can accept presses again.
    private func fail(_ error: DiskError) {
        log.error("the disk failed; nothing more can be promised", [("cause", "\(error)")])
        for waiter in pendingReplies.removeAll() {
            switch waiter {
            case .request(let exchange, _, let entry), .undo(let exchange, let entry),
                .pin(let exchange, _, let entry):
                refuse(exchange, entry, .outcomeUnknown)
            case .batch, .imported: continue
            }
        }
        for batch in batches.removeAll() {
            refuse(batch.exchange, batch.entry, .outcomeUnknown)
        }
        for intake in abandonIntakes() { refuse(intake.exchange, intake.entry, .outcomeUnknown) }
        abandonImport()
        batch.removeAll()
        hasFailed = true
        ending?(.ioError)
    }

    // MARK: Shutdown

    /// - Parameter end: called on the loop with the exit code, after an orderly shutdown or a disk
    ///   failure.
    func onEnd(_ end: @escaping @Sendable (ExitCode) -> Void) {
        ending = end
    }

    /// Closes the journal; the relay ends when that is done.
    func closeJournal() {
        writer?.close()
    }
}

extension Relay: LoopSource {
    nonisolated func turn(_ ready: [Ready], now: Instant) -> Instant? {
        assumeIsolated { $0.wake() }
    }

    private func wake() -> Instant? {
        let now = clock().monotonic
        if let due = wakeAt, due <= now {
            wakeAt = nil
            apply(.woke)
            finishTurn()
        } else if longPolls.contains(where: { $0.until <= now })
            || streams.heartbeatAt.map({ $0 <= now }) ?? false
        {
            finishTurn()
        }
        if let due = access.lastSeen.saveAt, due <= now { saveLastSeen() }
        if let due = transfers.retryAt, due <= now { retryImport() }
        summarizeRefusals(now)
        closeWhenDelivered(at: now)
        let times = [
            wakeAt, longPolls.map(\.until).min(), streams.heartbeatAt, access.lastSeen.saveAt,
            refusalLog.summaryAt, stopBy, transfers.retryAt,
        ]
        return times.compactMap { $0 }.min()
            .map { Instant(nanoseconds: max(0, $0.milliseconds) * 1_000_000) }
    }
}

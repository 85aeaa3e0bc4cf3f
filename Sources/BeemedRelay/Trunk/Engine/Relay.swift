package import BeemedDomain
package import RelayHTTP

/// The relay for its clients: turns requests into commands for the engine, and replies into
/// answers. Runs on the loop, so it needs no locks.
///
/// Handlers of routes and leaves use its parts and its door: `answer`, `later`, `change`, `add`,
/// `finishTurn`. Its turns and its end are its own.
package actor Relay {
    /// The loop on which the relay runs.
    package nonisolated let loop: Loop
    /// The routes of the trunk and of all leaves.
    nonisolated let routes: RouteTable
    /// The present settings, some of which change while the relay runs (SIGHUP).
    package private(set) var settings: Settings
    /// The log.
    package nonisolated let log: Log
    /// Tells the present time by both clocks.
    package nonisolated let clock: @Sendable () -> Moment
    let started: Monotonic
    /// Whether this relay leads its cluster for certain, so that what it reads is current: set when
    /// its term begins.
    package var leads: @Sendable () -> Bool = { true }
    /// The server, and its address for other devices; nil before it listens.
    package private(set) var site: (server: Server, endpoint: Endpoint)?

    // Its parts, each with a state of its own.

    /// The way into the account.
    package let engine: RelayEngine
    /// Saves the small files, off the loop.
    package let files: SettingsFiles
    /// The devices, and the rights of their tokens.
    package let access: Access
    let account: AccountConnection
    /// The names for frequent presses.
    let presets: LiveBook<Preset>
    let watchers = ContextWatchers()
    let records: RequestRecords
    private let leaves: [any LeafState]
    var heads = KnownHeads()
    private var network = NetworkWatch()
    /// The requests whose answers take several turns of the loop, each with the work for it.
    private(set) var underWay: [ExchangeID: (call: Call, work: Work)] = [:]
    /// Whether the relay stops: nothing may begin any more that takes long.
    package private(set) var isStopping = false
    /// Whether the state of the disk is unknown, or another relay leads: nothing more is accepted,
    /// and nothing can be promised.
    private(set) var hasFailed = false
    /// The deadline for delivering merged datapoints at the end; nil while not waiting.
    private var deliverBy: Monotonic?
    /// Called once, at the end.
    private var onEnd: (@Sendable (ExitCode) -> Void)?
    /// Whether Beeminder has answered with goals since the start.
    private var hasList = false
    /// The answers of this turn.
    private var answers: [Answer] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// - Parameter connected: the account that `upstream` uses.
    init(
        on loop: Loop, _ settings: Settings, _ routes: RouteTable,
        leaves: [@Sendable () -> any LeafState], _ core: sending RelayCore,
        _ recoveryReport: RecoveryReport, _ devices: DeviceBook, _ presets: PresetBook,
        _ store: RelayStore, _ upstream: BeeminderClient, connected: ConnectedAccount?,
        _ log: Log, clock: @escaping @Sendable () -> Moment
    ) throws(Failure) {
        access = Access(
            settings, devices, owner: try store.ownerToken(),
            ownerGeneration: try store.ownerGeneration(),
            LastSeen(store.saved(.lastSeen, [String: Int64].self) ?? [:]),
            store.saved(.sessions, Sessions.self) ?? Sessions())
        (self.loop, self.settings, self.routes) = (loop, settings, routes)
        (self.log, self.clock, started) = (log, clock, clock().monotonic)
        records = RequestRecords(routes, log, clock: clock)
        files = SettingsFiles(store, log)
        self.presets = LiveBook(presets)
        self.leaves = leaves.map { $0() }
        engine = RelayEngine(core, recoveryReport, upstream, files, log, clock: clock)
        account = AccountConnection(connected, engine, self.leaves, files, log)
    }

    /// The callbacks for the server.
    package nonisolated var application: Application {
        Application(
            respond: { exchanges in self.assumeIsolated { $0.respond(exchanges) } },
            refuse: { fault, peer in
                self.assumeIsolated { $0.records.refusal(of: fault, from: peer) }
            },
            admit: { head, peer in self.assumeIsolated { $0.admit(head, from: peer) } },
            endWait: { id in self.assumeIsolated { $0.endWait(id) } },
            nextPart: { id in self.assumeIsolated { $0.tell(.partWanted(id)) } },
            fields: [Response.Field("X-Content-Type-Options", "nosniff")])
    }

    /// Attaches the server, which listens already, and the journal's writer, and connects the
    /// account. A loop calls the server first in each turn, so that what nobody waits for comes
    /// behind its answers.
    ///
    /// `shown` is its address for other devices; if the relay is driven, somebody else calls `turn`;
    /// `end` is called on the loop, after an orderly shutdown or a disk failure.
    func begin(
        _ server: Server, at shown: Endpoint, _ writer: JournalWriter, isDriven: Bool,
        onEnd end: @escaping @Sendable (ExitCode) -> Void
    ) {
        site = (server, shown)
        onEnd = end
        engine.start(writer) { [weak self, loop] result in
            loop.post { [weak self] in self?.assumeIsolated { $0.handle(result) } }
        }
        if !isDriven { loop.add(self) }
        engine.checkClock()
        if let connected = account.connected { engine.handle(.connected(connected.tokenUser)) }
        tell(.settingsChanged)
        finishTurn()
    }
}

/// A turn of the loop: requests or results come in, records are written together, answers go out.
extension Relay {
    /// Processes the requests of one turn, and returns the answers that are ready.
    private func respond(_ exchanges: [Exchange]) -> [Answer] {
        let moment = clock()
        let proxies = access.clients.proxies
        engine.requestCount += exchanges.count
        // A span: to read an element of an array retains and releases its parts.
        let span = exchanges.span
        for index in span.indices {
            let context = proxies.context(
                span[index].request, from: span[index].peer.address, at: moment)
            let call = Call(span[index].id, span[index].request, context)
            do throws(Problem) {
                guard !hasFailed else { throw .outcomeUnknown }
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
        let turn = engine.endTurn()
        // In a cluster each relay has a token of its own, so that only a person says which counts.
        if turn.isFolderOffered, settings.cluster.store == nil, account.takeOverIfSettled() {
            loop.post { self.assumeIsolated { $0.finishTurn() } }
        }
        if turn.isTakenOver { forgetFormerUser() }
        let replies = turn.replies.span
        for index in replies.indices {
            guard let recipient = engine.takeRecipient(for: replies[index].replyID) else {
                continue
            }
            if case .accepted(let acceptance) = replies[index].reply {
                records.register(acceptance)
            }
            pass(replies[index].reply, to: recipient)
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
            records.end(call, RequestEntry.Ending(status: ready.status))
            response = ready
        case .failure(let problem): response = records.refusal(of: call, problem)
        }
        // Pages say so themselves.
        if call.forbidsStorage, response.field("Cache-Control") == nil {
            response.fields.append(.notStored)
        }
        answers.append(Answer(to: call.id, consume response))
    }

    /// Answers a request as the core has replied.
    func answer(_ call: Call, _ reply: Reply?) {
        answer(call, reply?.result(call.press, at: clock()) ?? .failure(.outcomeUnknown))
    }

    private func pass(_ reply: Reply?, to recipient: Recipient) {
        switch recipient {
        case .request(let call): answer(call, reply)
        case .function(let take): take(reply)
        }
    }

    /// Adds an answer to those of this turn.
    package func add(_ answer: Answer) { answers.append(answer) }

    /// Answers those who wait for the context, if the present one answers them.
    func tellWatchers(_ now: Moment) {
        watchers.refresh(engine.core, at: now)
        answers += watchers.due(at: now, isOpen: isAwaited)
    }

    /// The answer for a long poll that ends early, as its client gives up or the relay stops; nil
    /// for a stream, or when the client is unknown here.
    private func endWait(_ id: ExchangeID) -> Answer? {
        if let wait = watchers.remove(id), !wait.isStream {
            watchers.refresh(engine.core, at: clock())
            return watchers.end(wait)
        }
        tell(.waitEnded(id))
        return nil
    }

    // MARK: Results and time

    /// Called on the journal's thread when it has outcomes.
    nonisolated func journalDidCommit() {
        loop.post { self.assumeIsolated { $0.finishTurn() } }
    }

    /// A result from Beeminder has arrived.
    private func handle(_ result: Input) {
        if case .fetched = result, !hasList {
            hasList = true
            // The first list, with all that a connection to Beeminder begins with, is read once.
            loop.post { ProgramPages.release() }
        }
        records.metrics.count(result)
        engine.handle(result)
        account.recordVerified()
        if isOffline { network.begin(at: clock().monotonic) }
        tell(.upstreamAnswered)
        finishTurn()
        closeWhenDelivered(at: clock().monotonic)
    }
}

extension Relay: LoopSource {
    package nonisolated func turn(_ ready: [Ready], now: Instant) -> Instant? {
        assumeIsolated { $0.wake() }
    }

    private var isOffline: Bool { engine.core.view.sync == .offline }

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
        if network.hasComeBack(at: now, isOffline: isOffline) {
            log.info("a network has come back", [])
            engine.handle(.reachable)
            finishTurn()
        }
        // Last, after all answers: nobody waits for what follows a receipt, nor for the log.
        while engine.followUp() { finishTurn() }
        var next: Monotonic?
        for leaf in leaves { next = Monotonic.soonest(next, leaf.followUp(in: self, at: moment)) }
        closeWhenDelivered(at: now)
        records.writeAccepted()
        next = [
            engine.wakeAt, watchersWakeAt, access.lastSeen.saveAt, network.lookAt, deliverBy,
        ].reduce(next, Monotonic.soonest)
        return next.map { Instant(nanoseconds: max(0, $0.milliseconds) * 1_000_000) }
    }
}

/// The rest of the door: requests under way, changes of the settings, and the leaves.
extension Relay {
    // MARK: Requests

    /// The work for a request. It returns the answer; nil when the client has gone.
    package typealias Work = nonisolated(nonsending) () async throws(Problem) -> Response?

    /// Does work for a request whose answer follows.
    ///
    /// - Returns: nil, as a handler does whose answer follows later.
    package func later(_ call: Call, _ work: @escaping Work) -> Response? {
        let id = call.id
        underWay[id] = (call, work)
        // Without the preference each wait would go on by way of another thread, and there may be
        // none to spare.
        Task(executorPreference: loop) { await self.carryOut(id) }
        return nil
    }

    private func carryOut(_ id: ExchangeID) async {
        guard let (call, work) = underWay[id] else { return }
        let result: Result<Response, Problem>?
        do throws(Problem) {
            result = try await work().map { .success($0) }
        } catch {
            result = .failure(error)
        }
        // It may have been ended meanwhile.
        guard underWay.removeValue(forKey: id) != nil else { return }
        if let result { answer(call, result) }
        finishTurn()
    }

    /// The requests of the same route whose answers follow.
    package func begun(like call: Call) -> [Call] {
        underWay.values.map(\.call).filter { $0.route === call.route }
    }

    /// Whether the answer to a request that was begun is still waited for.
    package func isAwaited(_ call: Call) -> Bool {
        underWay[call.id] != nil && isAwaited(call.id)
    }

    /// Whether the client of a request is still there.
    private func isAwaited(_ id: ExchangeID) -> Bool {
        site?.server.assumeIsolated { $0.holds(id) } ?? false
    }

    /// Checks that the token or sign-in of a request was not taken away while it waited.
    package func checkIsGood(_ call: Call) throws(Problem) {
        guard call.sender.map({ access.isGood($0.device) }) ?? true else { throw .revoked }
    }

    // MARK: Changes

    /// Takes over settings that were read again. Settings that cannot change while the relay runs
    /// stay, and the log says so.
    package func change(_ new: Settings) {
        let (changed, kept) = settings.updateLive(from: new)
        access.change(settings)
        tell(.settingsChanged)
        log.change(settings.logLevel, settings.logFormat)
        log.info("settings reread", [("changed", changed.joined(separator: ","))])
        if !kept.isEmpty {
            log.warning(
                "restart the relay to change these settings",
                [("settings", kept.joined(separator: ","))])
        }
    }

    private func saveLastSeen() {
        guard let times = access.lastSeen.takeUnsaved(of: access.devices) else { return }
        files.save(.lastSeen) { $0.save(times, as: .lastSeen, $1) }
    }

    // MARK: Leaves

    /// The state of a leaf, by its type.
    package func state<State: LeafState>(_ type: State.Type = State.self) -> State {
        for state in leaves { if let state = state as? State { return state } }
        preconditionFailure("the leaf of \(type) is not put on")
    }

    func tell(_ event: LeafEvent) {
        for leaf in leaves { leaf.note(event, in: self) }
    }

    /// Another user has the folder, durably: what is a user's and not in the journal goes. The
    /// saved goals name the user last, so that a start after a crash does it again.
    private func forgetFormerUser() {
        let (files, book) = (files, engine.core.view.goals)
        let removals = leaves.compactMap { $0.forgetUser(in: self) }
        files.add { store, log in
            for remove in removals { remove(store, log) }
            store.forgetFormerUser(log)
            store.save(book, log)
        }
        log.warning(
            "the folder begins anew for another user", [("user", engine.core.view.user ?? "")])
    }
}

/// The end: in good order every request that was read is answered, and every accepted press is
/// synced.
extension Relay {
    /// Maximum wait for the delivery of merged datapoints, in seconds. Without merging, those
    /// presses would have been sent long before.
    private static let deliverySeconds = 3.0

    /// Begins the shutdown.
    package func shutDown() {
        log.info("stopping", [])
        isStopping = true
        let hasOpenWindows = engine.core.view.hasOpenWindows
        engine.handle(.stopping)
        tell(.stopping)
        finishTurn()
        site?.server.assumeIsolated { server in
            server.drain { self.assumeIsolated { $0.finishDeliveries(hasOpenWindows) } }
        }
    }

    private func finishDeliveries(_ hadOpenWindows: Bool) {
        guard hadOpenWindows else { return engine.close() }
        let now = clock().monotonic
        deliverBy = now.adding(seconds: Relay.deliverySeconds)
        closeWhenDelivered(at: now)
    }

    /// Closes the journal when no delivery is in progress, or after the time limit; the next start
    /// resends the rest.
    private func closeWhenDelivered(at now: Monotonic) {
        guard let due = deliverBy, due <= now || !engine.isSending else { return }
        deliverBy = nil
        engine.close()
    }

    private func handle(_ end: RelayEngine.JournalEnd) {
        switch end {
        case .closed(let code):
            saveLastSeen()
            files.finish()
            report(code)
        case .failed:
            fail()
            report(.ioError)
        }
    }

    private func report(_ code: ExitCode) {
        // A relay that steps down gets no other turn.
        records.writeAccepted()
        onEnd.take()?(code)
    }

    /// Another relay leads, or may: pending requests are told so, and nothing more is accepted.
    package func stepDown() {
        guard !hasFailed else { return }
        engine.close()
        fail()
        report(.ioError)
        finishTurn()
    }

    /// The state of the disk is unknown: pending requests are told so, and the process ends.
    private func fail() {
        hasFailed = true
        for recipient in engine.abandon() { pass(nil, to: recipient) }
        for (call, _) in underWay.values { answer(call, .failure(.outcomeUnknown)) }
        underWay = [:]
        tell(.failed)
        answers += watchers.endAll { records.unloggedRefusal(.outcomeUnknown) }
    }
}

package import BeemedDomain
package import RelayHTTP

/// The relay for its clients: turns requests into commands for the engine, and replies into
/// answers. Runs on the loop, so it needs no locks.
package actor Relay {
    /// The loop on which the relay runs.
    package nonisolated let loop: Loop
    /// The routes of the trunk and of all leaves.
    nonisolated let routes: RouteTable
    /// The present settings, some of which change while the relay runs (SIGHUP).
    package internal(set) var settings: Settings
    /// The log.
    package nonisolated let log: Log
    /// Tells the present time by both clocks.
    package nonisolated let clock: @Sendable () -> Moment
    let started = Instant.now
    /// Whether this relay leads its cluster for certain, so that what it reads is current: set when
    /// its term begins.
    package var leads: @Sendable () -> Bool = { true }
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
    /// The requests whose answers follow later.
    var begun: [ExchangeID: LongRequest] = [:]
    let records: RequestRecords
    /// The last heads of the connections, by their slots.
    var heads = KnownHeads()
    let leaves: [any LeafState]
    /// The server, and its address for other devices; nil before it listens.
    package var site: Site?
    /// The answers of this turn.
    var answers: [Answer] = []
    var shutdown = Shutdown()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// - Parameter connected: the account that `upstream` uses.
    init(
        on loop: Loop, _ settings: Settings, _ routes: RouteTable,
        leaves: [@Sendable () -> any LeafState], _ core: sending RelayCore,
        _ recoveryReport: RecoveryReport, _ devices: DeviceBook, _ presets: PresetBook,
        _ store: RelayStore, _ upstream: any AccountUpstream, connected: ConnectedAccount?,
        _ log: Log, clock: @escaping @Sendable () -> Moment
    ) throws(Failure) {
        access = Access(
            settings, devices, owner: try store.ownerToken(),
            ownerGeneration: try store.ownerGeneration(),
            LastSeen(store.saved(.lastSeen, [String: Int64].self) ?? [:]),
            store.saved(.sessions, Sessions.self) ?? Sessions())
        (self.loop, self.settings, self.routes) = (loop, settings, routes)
        (self.log, self.clock) = (log, clock)
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
    /// - Parameters:
    ///   - shown: the server's address for other devices.
    ///   - isDriven: whether somebody else calls `turn`, and not the loop.
    ///   - end: called on the loop with the exit code, after an orderly shutdown or a disk failure.
    func begin(
        _ server: Server, at shown: Endpoint? = nil, _ writer: JournalWriter,
        isDriven: Bool = false, onEnd end: (@Sendable (ExitCode) -> Void)? = nil
    ) {
        site = Site(server: server, endpoint: shown)
        shutdown.end = end
        engine.start(writer) { [weak self, loop] result in
            loop.post { [weak self] in self?.assumeIsolated { $0.handle(result) } }
        }
        if !isDriven { loop.add(self) }
        let pins = files.store.saved(.pins, [String].self) ?? []
        engine.handle(.pinned(pins.compactMap(GoalSlug.init)))
        if let connected = account.connected { engine.handle(.connected(connected.tokenUser)) }
        tell(.settingsChanged)
        finishTurn()
    }
}

extension Relay {
    /// The server, and its address for other devices.
    package struct Site {
        /// The server, which listens.
        package let server: Server
        /// The address for other devices.
        package let endpoint: Endpoint?
    }

    /// The known facts about the head of a request, unless a device has changed since.
    func knownHead(of call: Call) -> KnownHead? { heads.head(of: call, devices: access.revision) }

    func rememberHead(of call: Call, from device: Device) {
        heads.remember(headOf: call, from: device, devices: access.revision)
    }

    /// Adds an answer to those of this turn.
    package func add(_ answer: Answer) { answers.append(answer) }
}

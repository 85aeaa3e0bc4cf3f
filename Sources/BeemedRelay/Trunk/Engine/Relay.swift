package import BeemedDomain
package import RelayHTTP

/// The relay for its clients: turns requests into commands for the engine, and replies into
/// answers. Runs on the loop, so it needs no locks.
package actor Relay {
    /// The loop on which the relay runs.
    package nonisolated let loop: Loop
    /// The routes of the trunk and of all leaves.
    nonisolated let routes: RouteTable
    /// Settings, clock and log.
    var environment: Environment
    /// The way into the account.
    package let engine: RelayEngine
    /// Saves the small files, off the loop.
    package let files: SettingsFiles
    /// The rights of devices and tokens.
    var access: Access
    var account: AccountConnection
    /// The names for frequent presses.
    let presets: LiveBook<Preset>
    let changes = SettingsChanges()
    let watchers = ContextWatchers()
    let intakes = PressIntakes()
    var records: RequestRecords
    /// The known facts about the heads of the connections.
    var heads = KnownHeads()
    /// The state of each leaf.
    let leaves: [any LeafState]
    /// The server, and its address for other devices; nil before it listens.
    package var site: Site?
    /// The answers of this turn.
    var answers: [Answer] = []
    var shutdown = Shutdown()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(on loop: Loop, _ parts: sending Parts) {
        self.loop = loop
        routes = parts.routes
        environment = Environment(parts)
        records = RequestRecords(parts.routes, parts.log, clock: parts.clock)
        files = SettingsFiles(parts.store, parts.log)
        account = AccountConnection(parts.connection)
        presets = LiveBook(parts.presets)
        leaves = parts.leaves.map { $0() }
        access = Access(
            parts.settings, parts.devices, owner: parts.owner,
            ownerGeneration: parts.ownerGeneration)
        access.lastSeen = LastSeen(parts.store.saved(.lastSeen, [String: Int64].self) ?? [:])
        access.use(parts.store.saved(.sessions, Sessions.self) ?? Sessions())
        // Devices may have been removed while no relay ran.
        _ = access.endRevoked()
        engine = RelayEngine(
            parts.core, parts.recoveryReport, parts.upstream, files, parts.log,
            clock: parts.clock)
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
    package func begin(
        _ server: Server, at shown: Endpoint? = nil, _ writer: JournalWriter,
        isDriven: Bool = false
    ) {
        site = Site(server: server, endpoint: shown)
        engine.start(writer) { [weak self, loop] result in
            loop.post { [weak self] in self?.assumeIsolated { $0.handle(result) } }
        }
        if !isDriven { loop.add(self) }
        let pins = files.store.saved(.pins, [String].self) ?? []
        engine.handle(.pinned(pins.compactMap(GoalSlug.init)))
        if engine.upstream.isConnected {
            engine.handle(.connected(account.connected?.tokenUser ?? .sole))
        }
        tell(.settingsChanged)
        finishTurn()
    }
}

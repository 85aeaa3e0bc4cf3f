package import BeemedDomain
package import RelayHTTP

/// A relay with the writer of its journal, made of what a start has recovered.
package struct RelayAssembly: Sendable {
    /// The relay, which has not begun.
    package let relay: Relay
    /// Writes its journal.
    package let writer: JournalWriter
    /// Its small files.
    package let store: RelayStore

    /// An open journal, its contents, and the receipt for them.
    package typealias Opened = (journal: Journal, recovered: Recovered, receipt: Receipt)

    /// A relay that leads its cluster for this term, or has none.
    ///
    /// - Parameter account: the account that overrides the saved one, if there is any.
    package init(
        _ settings: Settings, _ store: RelayStore, _ opened: Opened, account: Account?,
        term: LeaseTerm? = nil, leaves: [Leaf], on loop: Loop, log: Log
    ) throws(Failure) {
        var recovered = opened.recovered
        if store.storeName() != opened.journal.store {
            store.save(storeName: opened.journal.store, log)
        }
        let presets = try store.settings(
            .presets, orElse: PresetBook(), noting: &recovered.recoveryReport)
        let devices = try store.devices()
        log.found(recovered)
        // A former user's files go before the leaves read theirs.
        let goals = store.goals(of: recovered.user, log) { store, log in
            for leaf in leaves { leaf.forgetUser?(store, log) }
        }
        let pins = try store.settings(
            .pins, orElse: [String](), noting: &recovered.recoveryReport)
        var states: [@Sendable () -> any LeafState] = []
        for open in leaves.compactMap(\.open) {
            states.append(try open(store, &recovered.recoveryReport))
        }
        let core = RelayCore(
            recovered, under: opened.receipt, goals: goals,
            pins: pins.compactMap(GoalSlug.init), boot: SystemClock.boot,
            seed: .random(in: 0 ... .max), began: SystemClock.moment().monotonic)
        let connected = try store.account(account)
        let upstream = try BeeminderClient(
            base: settings.beeminderURL, account: connected?.account, term: term,
            wallClock: SystemClock.wall)
        let relay = try Relay(
            on: loop, settings, RouteTable(of: leaves), leaves: states, core,
            recovered.recoveryReport, devices, presets, store,
            upstream, connected: connected, log, clock: SystemClock.moment)
        (self.relay, self.store) = (relay, store)
        writer = JournalWriter(wallClock: SystemClock.wall) { relay.journalDidCommit() }
        writer.start(opened.journal)
        // This may take 80 ms, in which no other thread gets memory, so it precedes the start.
        FreedMemory.giveBack()
    }

    /// Begins to answer and to deliver. Called on the loop, as is `end`, when the journal has
    /// ended. If it is driven, somebody else calls `turn`.
    package func begin(
        _ server: Server, at endpoint: Endpoint, isDriven: Bool = false,
        onEnd end: @escaping @Sendable (ExitCode) -> Void
    ) {
        // A first device may have been added since.
        let devices = try? store.devices()
        relay.assumeIsolated { relay in
            if let devices { relay.access.devices = devices }
            relay.begin(
                server, at: FirstSteps.address(of: endpoint), writer, isDriven: isDriven,
                onEnd: end)
        }
    }
}

extension Log {
    func found(_ recovered: Recovered) {
        let entries = recovered.entries.span
        let pending = entries.indices.count { entries[$0].settlement == nil }
        info("journal", [("known", "\(recovered.entries.count)"), ("pending", "\(pending)")])
        for sentence in recovered.recoveryReport.sentences {
            recovered.recoveryReport.isAlarm
                ? error("journal", [("found", sentence)])
                : info("journal", [("found", sentence)])
        }
    }
}

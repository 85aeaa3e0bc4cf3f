import BeemedDomain
import RelayHTTP

enum StatusRoutes {
    /// `GET /requests`: the latest requests, how each was read, and its result.
    static func requests(_ relay: isolated Relay, _ call: Call) -> Response? {
        relay.records.response(without: relay.account.connected?.account.token)
    }

    /// `GET /settings`: each setting's value, and where it came from. For the owner.
    static func settings(_ relay: isolated Relay, _ call: Call) -> Response? {
        .json { json in
            json.addArray("settings", of: relay.settings.origins) { origin, json in
                json.add("name", origin.name)
                json.add("value", origin.value)
                json.add("from", origin.from.rawValue)
            }
        }
    }

    static func metrics(_ relay: isolated Relay, _ call: Call) -> Response? {
        let engine = relay.engine
        var text = MetricsText()
        text.addPresses(engine.core.view, relay.records.metrics, at: call.moment)
        text.addWork(relay.records.metrics, engine.syncTimes)
        if relay.settings.cluster.store != nil {
            text.gauge("beemed_cluster_leader", MetricsText.leaderHelp, 1)
        }
        let connections = relay.site?.server.assumeIsolated { $0.connectionCount } ?? 0
        text.gauge("beemed_connections", "Open connections.", Double(connections))
        text.gauge(
            "beemed_uptime_seconds", "Seconds since the start.",
            Double(call.moment.monotonic.milliseconds - relay.started.milliseconds) / 1_000)
        text.gauge(
            "beemed_build_info", "The version, as a label.",
            [("version=\"\(Version.number)\"", 1)])
        return text.response
    }

    /// `GET /healthz`: 503 when the user must act. Goals and the user are named only to readers.
    static func health(_ relay: isolated Relay, _ call: Call) -> Response? {
        let sender = try? relay.identifySender(of: call)
        let (engine, settings) = (relay.engine, relay.settings)
        let health = HealthCheck(engine.core.view, at: call.moment)
        health.isNamed = sender?.device.may(.read) ?? false
        health.tokenFault = relay.account.connected?.tokenFault
        health.conflict = relay.account.conflict
        health.obstacle = engine.core.view.isDiskFull ? engine.obstacle : nil
        health.lastSync = engine.lastSync
        health.recoveryReport = engine.recoveryReport
        health.isFolderOpen = DataFolder.isOpenToOthers(settings.data)
        health.isClockDisciplined = ClockDiscipline.isSynchronized
        if settings.cluster.store != nil {
            health.leader = settings.cluster.advertised ?? relay.site?.endpoint
        }
        return health.response
    }

    /// `GET /readyz`: 200 when presses are accepted, else 503, for load balancers.
    static func readiness(_ relay: isolated Relay, _ call: Call) -> Response? {
        let core = relay.engine.core.view
        let isReady = !core.isDiskFull && core.sync != .notConnected
        return .json(status: isReady ? 200 : 503, fields: [.notStored]) { $0.add("ready", isReady) }
    }
}

extension MetricsText {
    fileprivate mutating func addPresses(
        _ core: CoreView, _ metrics: Metrics, at now: Moment
    ) {
        counter(
            "beemed_presses_accepted_total", "Presses accepted and on the disk.", metrics.accepted)
        counter(
            "beemed_presses_duplicate_total", "Presses that were accepted before.",
            metrics.duplicates)
        counter(
            "beemed_refused_total", "Requests and events refused, by the answer's status.",
            metrics.refusals.map { ("status=\"\($0)\"", $1) })
        gauge("beemed_queue_length", "Events that wait for Beeminder.", Double(core.pendingEvents))
        gauge(
            "beemed_goal_queue_length", "Events that wait for Beeminder, by goal.",
            core.waitingByGoal.map { ("goal=\"\($0)\"", Double($1)) })
        gauge(
            "beemed_oldest_pending_seconds", "Age of the oldest event that waits.",
            Double(core.oldestPendingSeconds(at: now) ?? 0))
        gauge(
            "beemed_goals_at_risk",
            "Goals that derail within six hours while events wait for them.",
            Double(core.goalsAtRisk(at: now).count))
        gauge(
            "beemed_refused_events", "Events that Beeminder has refused.",
            Double(core.refusedEvents))
    }

    fileprivate mutating func addWork(_ metrics: Metrics, _ syncTimes: SyncTimes) {
        counter(
            "beemed_deliveries_total", "Attempts to deliver an event, by outcome.",
            metrics.deliveries.map { ("outcome=\"\($0)\"", $1) })
        histogram(
            "beemed_journal_sync_seconds", "Time to write a batch to the journal and sync it.",
            syncTimes)
        counter(
            "beemed_requests_total", "Requests by route and the answer's status.",
            metrics.requests.map {
                ("route=\"\($0.route)\",status=\"\($0.status)\"", $0.count)
            })
    }
}

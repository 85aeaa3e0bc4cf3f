import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /requests`: the latest requests, how each was read, and its result.
    var requestList: Response {
        let account = account.connected.map { TokenDigest(of: $0.account.token) }
        let isKnown = { [access] (digest: TokenDigest) in
            digest == account || access.knows(digest)
        }
        return .json(
            records.requests.json(routes, isKnown), fields: [.notStored])
    }

    /// `GET /metrics`: the metrics for a Prometheus server.
    func showMetrics(_ call: Call) -> Response {
        var text = MetricsText()
        writePresses(to: &text, at: call.moment)
        writeWork(to: &text, at: call.context.instant)
        return text.response
    }

    private func writePresses(to text: inout MetricsText, at now: Moment) {
        let oldest = engine.core.oldestPendingSeconds(at: now) ?? 0
        text.counter(
            "beemed_presses_accepted_total", "Presses accepted and on the disk.",
            records.metrics.accepted)
        text.counter(
            "beemed_presses_duplicate_total", "Presses that were accepted before.",
            records.metrics.duplicates)
        text.counter(
            "beemed_refused_total", "Requests and events refused, by the answer's status.",
            by: "status", records.metrics.refusals.map { ("\($0.key)", $0.value) })
        text.gauge(
            "beemed_queue_length", "Events that wait for Beeminder.",
            Double(engine.core.pendingEvents))
        text.gauge(
            "beemed_goal_queue_length", "Events that wait for Beeminder, by goal.", by: "goal",
            engine.core.waitingByGoal.map { ("\($0.key)", Double($0.value)) })
        text.gauge(
            "beemed_oldest_pending_seconds", "Age of the oldest event that waits.",
            Double(oldest))
        text.gauge(
            "beemed_goals_at_risk",
            "Goals that derail within six hours while events wait for them.",
            Double(engine.core.goalsAtRisk(at: now).count))
        text.gauge(
            "beemed_refused_events", "Events that Beeminder has refused.",
            Double(engine.core.refusedEvents))
    }

    private func writeWork(to text: inout MetricsText, at now: Instant) {
        let uptime = Double(now.nanoseconds - environment.started.nanoseconds) / 1e9
        text.counter(
            "beemed_deliveries_total", "Attempts to deliver an event, by outcome.", by: "outcome",
            records.metrics.deliveries.map { ($0.key.rawValue, $0.value) })
        text.histogram(
            "beemed_journal_sync_seconds", "Time to write a batch to the journal and sync it.",
            engine.syncTimes)
        text.counter(
            "beemed_requests_total", "Requests by route and the answer's status.",
            records.metrics.requests)
        if settings.cluster.store != nil {
            text.gauge("beemed_cluster_leader", MetricsText.leaderHelp, 1)
        }
        text.gauge("beemed_connections", "Open connections.", Double(connectionCount))
        text.gauge("beemed_uptime_seconds", "Seconds since the start.", uptime)
        text.gauge(
            "beemed_build_info", "The version, as a label.", by: "version", [(Version.number, 1)])
    }
}

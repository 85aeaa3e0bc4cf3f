import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /requests`: the latest requests, how each was read, and its result.
    func showRequests(_ call: Call) throws(Problem) -> Response {
        _ = try authenticate(call, .manage)
        call.entry.isReadOnly = true
        let account = account.connected.map { TokenDigest(of: $0.account.token) }
        let isKnown = { [access] (digest: TokenDigest) in
            digest == account || access.knows(digest)
        }
        return .json(
            records.requests.json(isKnown), fields: [Response.Field("Cache-Control", "no-store")])
    }

    /// `GET /metrics`: the metrics for a Prometheus server.
    func showMetrics(_ call: Call) throws(Problem) -> Response {
        _ = try authenticate(call, .read)
        call.entry.isReadOnly = true
        let oldest = engine.core.oldestPendingSeconds(at: call.moment) ?? 0
        let uptime =
            Double(call.context.instant.nanoseconds - environment.started.nanoseconds) / 1e9
        var text = MetricsText()
        text.counter(
            "beemed_presses_accepted_total", "Presses taken into custody.", records.metrics.accepted
        )
        text.counter(
            "beemed_presses_duplicate_total", "Presses that were in custody already.",
            records.metrics.duplicates)
        text.counter(
            "beemed_refused_total", "Requests and events refused, by the answer's status.",
            by: "status", records.metrics.refusals.map { ("\($0.key)", $0.value) })
        text.gauge(
            "beemed_queue_length", "Events that wait for Beeminder.",
            Double(engine.core.pendingEvents))
        text.gauge(
            "beemed_oldest_pending_seconds", "Age of the oldest event that waits.",
            Double(oldest))
        text.gauge(
            "beemed_refused_events", "Events that Beeminder has refused.",
            Double(engine.core.refusedEvents))
        text.counter(
            "beemed_deliveries_total", "Attempts to deliver an event, by outcome.", by: "outcome",
            records.metrics.deliveries.map { ($0.key, $0.value) })
        let syncs = engine.journalWork
        text.summary(
            "beemed_journal_sync_seconds", "Batches written to the journal and synced.",
            count: syncs.batches, sum: syncs.seconds)
        text.gauge("beemed_connections", "Open connections.", Double(connectionCount))
        text.gauge("beemed_uptime_seconds", "Seconds since the start.", uptime)
        return Response(
            status: 200,
            fields: [
                Response.Field("Content-Type", MetricsText.contentType),
                Response.Field("Cache-Control", "no-store"),
            ], body: text.bytes)
    }
}

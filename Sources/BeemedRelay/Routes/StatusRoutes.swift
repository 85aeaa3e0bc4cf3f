import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /requests`: the latest requests, how each was read, and its result.
    func showRequests(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        current.isReadOnly = true
        let account = connection.map { TokenDigest(of: $0.account.token) }
        let isKnown = { [access, devices] (digest: TokenDigest) in
            digest == account || access.knows(digest, devices)
        }
        return .json(
            requestLog.json(isKnown), fields: [Response.Field("Cache-Control", "no-store")])
    }

    /// `GET /metrics`: the metrics for a Prometheus server.
    func showMetrics(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .read, context)
        current.isReadOnly = true
        let oldest = core.oldestPendingSeconds(at: context.moment) ?? 0
        let uptime = Double(context.instant.nanoseconds - started.nanoseconds) / 1e9
        var text = MetricsText()
        text.counter(
            "beemed_presses_accepted_total", "Presses taken into custody.", metrics.accepted)
        text.counter(
            "beemed_presses_duplicate_total", "Presses that were in custody already.",
            metrics.duplicates)
        text.counter(
            "beemed_refused_total", "Requests and events refused, by the answer's status.",
            by: "status", metrics.refusals.map { ("\($0.key)", $0.value) })
        text.gauge(
            "beemed_queue_length", "Events that wait for Beeminder.", Double(core.pendingEvents))
        text.gauge(
            "beemed_oldest_pending_seconds", "Age of the oldest event that waits.",
            Double(oldest))
        text.gauge(
            "beemed_refused_events", "Events that Beeminder has refused.",
            Double(core.refusedEvents))
        text.counter(
            "beemed_deliveries_total", "Attempts to deliver an event, by outcome.", by: "outcome",
            metrics.deliveries.map { ($0.key, $0.value) })
        let syncs = journalWork
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

    /// Records the current request in the request log, unless it is a read without a refusal.
    func noteCurrent() {
        guard current.ending?.problem != nil || !current.isReadOnly else { return }
        current.device = access.visitor
        requestLog.note(current)
    }

    /// The answer to bytes that are no HTTP request.
    func refusal(of fault: ParseError, from peer: Endpoint) -> Response {
        let (problem, name) = (Problem(fault), requests.next())
        let moment = clock()
        logRefusal(problem, name, from: peer.address)
        metrics.note(problem)
        let entry = RequestLog.Entry(nil, from: peer.address, at: moment.wall)
        entry.ending = RequestLog.Ending(status: problem.status, problem: problem, name: name)
        requestLog.note(entry)
        return problem.response(request: name)
    }
}

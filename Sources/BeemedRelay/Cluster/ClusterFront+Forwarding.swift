import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Requests on their way to the leader, and its answers.
extension ClusterFront {
    /// Passes a request on, if its leader is known and there is a slot, or holds it.
    func attempt(_ request: HeldRequest, _ now: Instant) {
        guard now < request.until else {
            return give(up: request, request.lacksPlace ? .noRoomToForward : .noLeader)
        }
        guard let leader = knownLeader else { return hold(request, now) }
        guard requests.hasPlace(for: request) else {
            if request.isWait, let other = requests.waitThatYields(to: request.sender) {
                endInput(of: other)
            }
            return hold(request, now, lacksPlace: true)
        }
        send(request, to: leader, now)
    }

    private func send(_ held: HeldRequest, to leader: Endpoint, _ now: Instant) {
        let request = held.exchange.request
        let rest = Double(held.until.nanoseconds - now.nanoseconds) / 1e9
        let patience: Forwarder.Patience = (
            connection: min(rest, ClusterFront.connectionSeconds),
            answer: routes.answerSeconds(of: request),
            // Two heartbeats of an event stream.
            more: 2 * ContextWatchers.heartbeatSeconds
        )
        let id = held.exchange.id
        let number = forwarder.assumeIsolated { forwarder in
            forwarder.send(request, held.fields(to: leader), to: leader, patience) {
                number, event in
                self.assumeIsolated { $0.handle(event, of: id, number) }
            }
        }
        requests.forwards[id] = ForwardingTable.Forward(
            request: held, leader: leader, number: number)
    }

    /// How long connecting to the leader may take, and the answer of a former one, in seconds.
    private static let connectionSeconds = 1.0

    private func hold(_ request: HeldRequest, _ now: Instant, lacksPlace: Bool = false) {
        var request = request
        request.lacksPlace = lacksPlace
        request.due = min(request.until, now.advanced(bySeconds: ClusterFront.retrySeconds))
        requests.held.append(request)
    }

    private func give(up request: HeldRequest, _ problem: Problem) {
        send([Answer(to: request.exchange.id, problem.response(request: "-"))])
    }

    func send(_ answers: [Answer]) {
        server?.assumeIsolated { $0.send(answers) }
    }

    // MARK: Answers of the leader

    private func handle(
        _ event: Forwarder.Event, of id: ExchangeID, _ number: Forwarder.Number
    ) {
        guard let forward = requests.forwards[id], forward.number == number else { return }
        switch event {
        case .opening(let bytes, let headBytes):
            let head = String(decoding: bytes[..<headBytes], as: UTF8.self)
            guard !head.contains("\r\n\(Response.Field.notLeading):") else {
                finish(forward)
                forwarder.assumeIsolated { $0.cancel(number) }
                return end(forward, .notSent)
            }
            send([Answer(to: id, .passedOn(bytes))])
        case .more(let bytes): send([Answer(to: id, .more(bytes))])
        case .end:
            finish(forward)
            send([Answer(to: id, .end)])
        case .failed(let fault):
            finish(forward)
            end(forward, fault)
        }
    }

    private func finish(_ forward: ForwardingTable.Forward) {
        if requests.remove(forward) { loop.post {} }
    }

    /// There is no answer.
    private func end(_ forward: ForwardingTable.Forward, _ fault: Forwarder.Fault) {
        let request = forward.request
        let isRepeatable = routes.isRepeatable(request.exchange.request)
        switch fault {
        case .notSent: retry(forward, until: request.until)
        case .interrupted where isRepeatable:
            // Both may have lasted longer than the client's patience with a missing leader.
            let mayBeLate = request.isWait || forward.leader != knownLeader
            retry(
                forward,
                until: mayBeLate
                    ? Instant.now.advanced(bySeconds: ClusterFront.patience) : request.until)
        case .timedOut where isRepeatable: give(up: request, .noLeader)
        case .interrupted, .timedOut:
            log.warning(
                "what became of a request is unknown",
                [("leader", "\(forward.leader)"), ("peer", "\(request.context.peer)")])
            give(up: request, .outcomeUnknown)
        }
    }

    /// Tries a request again soon, unless its client may have gone: it may have sent it again,
    /// without an id.
    private func retry(_ forward: ForwardingTable.Forward, until: Instant) {
        guard !forward.isEnding else { return give(up: forward.request, .noLeader) }
        var request = forward.request
        request.until = until
        hold(request, .now)
        loop.post {}
    }

    // MARK: Ends

    /// Gives up the requests passed on to relays that lead no more. A relay that is alive says at
    /// once whether it has taken a request.
    func limitForwards(exceptTo leader: Endpoint?) {
        for forward in requests.forwards.values where forward.leader != leader {
            forwarder.assumeIsolated {
                $0.limit(forward.number, toSeconds: ClusterFront.connectionSeconds)
            }
        }
    }

    /// The client of a request has gone, or closes its sending direction, or this relay stops.
    ///
    /// A held request ends: nothing of it was taken, and its client may have sent it again, without
    /// an id. A forwarded request ends as the leader decides, which sees the same from this relay.
    func endWait(_ id: ExchangeID) -> Answer? {
        if let index = requests.held.firstIndex(where: { $0.exchange.id == id }) {
            requests.held.remove(at: index)
            return Answer(to: id, Problem.noLeader.response(request: "-"))
        }
        guard let forward = requests.forwards[id] else { return relay?.application.endWait(id) }
        endInput(of: forward)
        return nil
    }

    private func endInput(of forward: ForwardingTable.Forward) {
        requests.forwards[forward.request.exchange.id]?.isEnding = true
        forwarder.assumeIsolated { $0.endInput(forward.number) }
        loop.post {}
    }

    /// Gives up what was passed on for clients whose connection is closed.
    func cancelAbandoned() {
        for (id, forward) in requests.forwards where forward.isEnding {
            if server?.assumeIsolated({ $0.holds(id) }) == true { continue }
            finish(forward)
            forwarder.assumeIsolated { $0.cancel(forward.number) }
        }
    }

    /// The client has taken all parts of an answer so far.
    func nextPart(_ id: ExchangeID) {
        guard let forward = requests.forwards[id] else {
            return relay?.application.nextPart(id) ?? ()
        }
        // Later, since this may be called while a part is passed on.
        loop.post { [forwarder] in forwarder.assumeIsolated { $0.resume(forward.number) } }
    }
}

/// The answers of a relay about itself while it follows.
extension Response {
    /// Its health: whether it can pass requests on.
    ///
    /// - Parameter leader: nil when none is known.
    static func health(following leader: Endpoint?) -> Response {
        let body = JSONWriter.objectLine { json in
            json.add("status", leader == nil ? "failing" : "ok")
            json.add("role", "follower")
            if let leader { json.add("leader", "\(leader)") }
            json.addArray("alarms") { list in
                if leader == nil { list.element("no relay of the cluster leads: see 'doctor'") }
            }
        }
        return .json(body, status: leader == nil ? 503 : 200)
    }

    /// Its metrics. They need no token, since only the leader knows tokens, and say nothing about
    /// presses.
    static func metrics(
        of requests: ForwardingTable, connections: Int, uptime: Double
    ) -> Response {
        var text = MetricsText()
        text.gauge("beemed_cluster_leader", MetricsText.leaderHelp, 0)
        text.gauge(
            "beemed_cluster_held", "Requests that wait for a leader.", Double(requests.held.count))
        text.gauge(
            "beemed_cluster_forwarded", "Requests that are passed on to the leader.",
            Double(requests.forwards.count))
        text.gauge("beemed_connections", "Open connections.", Double(connections))
        text.gauge("beemed_uptime_seconds", "Seconds since the start.", uptime)
        return text.response
    }

    /// The answer of a relay that does not lead to another one: nothing was taken, and sending
    /// again is safe.
    static var notLeading: Response {
        var problem = Problem.noLeader
        problem.fields.append(Field(Response.Field.notLeading, "1"))
        return problem.response(request: "-")
    }
}

extension Response.Field {
    /// The name of the field by which a relay tells another one that it does not lead.
    static let notLeading = "X-Beemed-Not-Leading"
}

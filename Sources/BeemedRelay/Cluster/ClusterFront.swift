import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The side of a cluster's relay that its clients see: while it leads its own relay, else the
/// leader's, to which it passes requests on, since devices do not follow redirects. Runs on the
/// loop.
actor ClusterFront {
    nonisolated let loop: Loop
    let routes: RouteTable
    let forwarder: Forwarder
    let log: Log
    var clients: ClientCheck
    /// The relay that leads here, even when its term may have ended.
    private(set) var relay: Relay?
    /// The leader, if it is known and another relay.
    private(set) var knownLeader: Endpoint?
    var server: Server?
    var requests = ForwardingTable()
    private let started = Instant.now

    /// How long a request waits for a leader, in seconds: ESPHome gives up at 4.5 s.
    static let patience = 4.0
    /// How soon a request is tried again after the leader was not reached, in seconds.
    static let retrySeconds = 0.2

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// - Parameter routes: those of the leader.
    init(_ settings: Settings, _ routes: RouteTable, on loop: Loop, log: Log) {
        self.loop = loop
        self.routes = routes
        self.log = log
        forwarder = Forwarder(on: loop)
        clients = ClientCheck(settings)
    }

    /// The callbacks for the server.
    nonisolated var application: Application {
        Application(
            respond: { exchanges in self.assumeIsolated { $0.respond(exchanges) } },
            refuse: { fault, peer in
                self.assumeIsolated { $0.leader }?.application.refuse(fault, peer)
                    ?? Problem(fault).response(request: "-")
            },
            admit: { head, peer in self.assumeIsolated { $0.admit(head, from: peer) } },
            endWait: { id in self.assumeIsolated { $0.endWait(id) } },
            nextPart: { id in self.assumeIsolated { $0.nextPart(id) } },
            fields: [Response.Field("X-Content-Type-Options", "nosniff")])
    }

    /// Begins to answer. The server must listen already: it reads what clients have sent before
    /// held requests are tried, so that none is passed on whose client has gone.
    func begin(_ server: Server) {
        self.server = server
        requests.limitWaits(among: server.maxConnections)
        loop.add(self)
        forwarder.assumeIsolated { $0.start() }
    }

    /// Takes over changed settings.
    func change(_ settings: Settings) {
        clients = ClientCheck(settings)
        relay?.assumeIsolated { $0.change(settings) }
    }

    // MARK: Roles

    /// Another relay leads, or none. A relay that has led here steps down.
    func follow(_ leader: Endpoint?) {
        let former = relay
        (relay, knownLeader) = (nil, leader)
        former?.assumeIsolated { $0.stepDown() }
        // Without a leader the former one may still answer.
        if let leader { limitForwards(exceptTo: leader) }
        requests.hurry(.now)
        loop.post {}
    }

    /// This relay leads: it answers what waited for a leader.
    func lead(_ relay: Relay, _ term: LeaseTerm) {
        (self.relay, knownLeader) = (relay, nil)
        relay.assumeIsolated { $0.leads = { term.isValid } }
        limitForwards(exceptTo: nil)
        requests.hurry(.now)
        loop.post {}
    }

    /// The relay that leads here for certain. A process that was frozen finds requests in its
    /// sockets before it hears that another relay leads.
    private var leader: Relay? {
        guard let relay, relay.assumeIsolated({ $0.leads() }) else { return nil }
        return relay
    }

    // MARK: Requests

    private func respond(_ exchanges: [Exchange]) -> [Answer] {
        guard let leader else { return exchanges.map { handle($0, .now) } }
        return respond(exchanges, by: leader)
    }

    /// The relay's answers, unless its term has ended meanwhile: what it has read may be old then.
    private func respond(_ exchanges: [Exchange], by relay: Relay) -> [Answer] {
        let answers = relay.application.respond(exchanges)
        guard self.leader == nil else { return answers }
        return answers.map { answer in
            let exchange = exchanges.first { $0.id == answer.id }
            switch (answer.content, exchange) {
            case (.opening, _?): return Answer(to: answer.id, .hangUp)
            case (.whole, let exchange?):
                guard routes.isRepeatable(exchange.request) else {
                    return Answer(to: answer.id, Problem.outcomeUnknown.response(request: "-"))
                }
                return handle(exchange, .now)
            default: return answer
            }
        }
    }

    /// Answers a request that this relay answers itself while it does not lead, and passes others
    /// on, or holds them.
    private func handle(_ exchange: Exchange, _ now: Instant) -> Answer {
        let request = exchange.request
        let context = context(of: request, from: exchange.peer)
        do throws(Problem) {
            try clients.admit(context)
            if let response = ownResponse(to: request) { return Answer(to: exchange.id, response) }
            // Two relays that each take the other one for the leader must not go round in circles.
            if request.fields["x-beemed-forwarded"] != nil {
                return Answer(to: exchange.id, .notLeading)
            }
            let held = HeldRequest(
                exchange, context, isWait: routes.isWait(request),
                until: now.advanced(bySeconds: ClusterFront.patience))
            guard requests.hasRoom(for: request.body, of: held.sender) else {
                throw .noRoomToForward
            }
            attempt(held, now)
            return Answer(to: exchange.id, .hold)
        } catch {
            return Answer(to: exchange.id, error.response(request: "-"))
        }
    }

    private func context(of request: Request, from peer: Endpoint) -> RequestContext {
        var context = clients.proxies.context(
            request, from: peer.address, at: SystemClock.moment())
        // Home Assistant's ingress signs in at the leader only.
        context.isIngress = false
        return context
    }

    /// The answer about this relay itself, not about the cluster.
    private func ownResponse(to request: Request) -> Response? {
        guard [.get, .head].contains(request.method) else { return nil }
        switch routes.match(request.target.path)?.path.pattern {
        case "/healthz": return .health(following: knownLeader)
        case "/metrics":
            let uptime = Double(Instant.now.nanoseconds - started.nanoseconds) / 1e9
            return .metrics(
                of: requests, connections: server?.assumeIsolated { $0.connectionCount } ?? 0,
                uptime: uptime)
        default: return nil
        }
    }

    private func admit(_ request: Request, from peer: Endpoint) -> Admission {
        if let admit = leader?.application.admit { return admit(request, peer) }
        let context = context(of: request, from: peer)
        do throws(Problem) {
            try clients.admit(context)
            var bytes = Relay.smallBodyBytes
            if let route = routes.route(of: request), route.right != nil {
                // Only the leader knows tokens.
                let hasToken = Credentials.isPresent(in: request)
                guard hasToken || route.takesTokenInBody else { throw .withoutToken(request) }
                if hasToken { bytes = route.bodyBytes }
            }
            return .body(atMost: bytes)
        } catch {
            return .refuse(error.response(request: "-"))
        }
    }
}

extension ClusterFront: LoopSource {
    nonisolated func turn(_ ready: [Ready], now: Instant) -> Instant? {
        assumeIsolated { $0.wake(ready, now) }
    }

    private func wake(_ ready: [Ready], _ now: Instant) -> Instant? {
        let due = requests.takeDue(now)
        if let leader, !due.isEmpty {
            send(respond(due.map(\.exchange), by: leader))
        } else {
            for request in due { attempt(request, now) }
        }
        cancelAbandoned()
        var times = requests.held.map(\.due)
        if let relay, let time = relay.turn(ready, now: now) {
            // Due work waits until this relay leads for certain, or has stepped down.
            let retry = now.advanced(bySeconds: ClusterFront.retrySeconds)
            times.append(leader == nil ? max(time, retry) : time)
        }
        return times.min()
    }
}

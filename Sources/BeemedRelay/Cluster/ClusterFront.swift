import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization

/// What a relay of a cluster shows to its clients: while it leads its own relay, else the leader's,
/// to which it passes requests on. It runs on the loop.
actor ClusterFront {
    /// Who answers.
    private enum Role {
        /// The leader, if it is known and another one.
        case following(Endpoint?)
        case leading(Relay)
    }

    /// A request that waits for a leader.
    private struct Held {
        let request: ForwardedRequest
        var exchange: Exchange { request.exchange }
        let until: Instant
        /// When it is tried again.
        var due: Instant
    }

    nonisolated let loop: Loop
    private let log: Log
    private let clock: @Sendable () -> Moment
    private var clients: ClientCheck
    private var role = Role.following(nil)
    private var server: Server?
    /// Who leads while this relay steps down.
    private var expected: Endpoint?
    private var held: [Held] = []
    /// The requests that are passed on, and whether their clients still wait.
    private var forwards: [ExchangeID: Forward] = [:]

    /// How long a request waits for a leader, in seconds: ESPHome gives up at 4.5 s.
    static let patience = 4.0
    /// How soon a request is tried again after the leader was not reached, in seconds.
    private static let retrySeconds = 0.2
    /// How many requests are passed on at once; each needs a thread.
    private static let mostForwards = 256

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(
        _ settings: Settings, on loop: Loop, log: Log, clock: @escaping @Sendable () -> Moment
    ) {
        self.loop = loop
        self.log = log
        self.clock = clock
        clients = ClientCheck(settings)
    }

    /// The callbacks for the server.
    nonisolated var application: Application {
        Application(
            respond: { exchanges in self.assumeIsolated { $0.respond(exchanges) } },
            refuse: { fault, peer in self.assumeIsolated { $0.refusal(of: fault, from: peer) } },
            admit: { head, peer in self.assumeIsolated { $0.admit(head, from: peer) } },
            endWait: { id in self.assumeIsolated { $0.endWait(id) } },
            nextPart: { id in self.assumeIsolated { $0.nextPart(id) } },
            fields: [Response.Field("X-Content-Type-Options", "nosniff")])
    }

    func begin(_ server: Server) {
        self.server = server
        loop.addTimer(self)
    }

    // MARK: Roles

    /// Another relay leads, or none.
    func follow(_ leader: Endpoint?) {
        role = .following(leader)
        for index in held.indices { held[index].due = .now }
        loop.post {}
    }

    /// The same while the relay that has led here still ends.
    func expect(_ leader: Endpoint?) { expected = leader }

    /// The relay that has led here has ended.
    func stepDown() {
        follow(expected)
        expected = nil
    }

    /// This relay leads: it answers what waited for a leader.
    func lead(_ relay: Relay) {
        role = .leading(relay)
        let waiting = held.map(\.exchange)
        held = []
        if !waiting.isEmpty {
            server?.assumeIsolated { $0.answer(relay.application.respond(waiting)) }
        }
    }

    /// The relay that leads here; nil while it follows.
    var relay: Relay? {
        guard case .leading(let relay) = role else { return nil }
        return relay
    }

    // MARK: Requests

    private func respond(_ exchanges: [Exchange]) -> [Answer] {
        if let relay { return relay.application.respond(exchanges) }
        let now = Instant.now
        return exchanges.compactMap { exchange in
            var context = clients.proxies.context(
                exchange.request, from: exchange.peer.address, clock(), now)
            // Home Assistant's ingress signs in at the leader only.
            context.isIngress = false
            if let response = ownResponse(to: exchange.request, context) {
                return Answer(to: exchange.id, response)
            }
            // Two relays that each take the other one for the leader must not go round in circles.
            if exchange.request.fields[.forwardedByRelay] != nil {
                return Answer(hangingUpOn: exchange.id)
            }
            let until = now.advanced(bySeconds: ClusterFront.patience)
            let request = ForwardedRequest(exchange: exchange, context: context)
            forward(Held(request: request, until: until, due: now), now)
            return nil
        }
    }

    /// The answer to what a follower answers itself: its health, and clients not to be served.
    private func ownResponse(to request: Request, _ context: RequestContext) -> Response? {
        do throws(Problem) {
            try clients.admit(context)
        } catch {
            return error.response(request: "-")
        }
        guard request.target.path == "/healthz", [.get, .head].contains(request.method)
        else { return nil }
        guard case .following(let leader) = role else { return nil }
        return FollowerHealth(leader: leader).response
    }

    private func refusal(of fault: ParseError, from peer: Endpoint) -> Response {
        relay?.application.refuse(fault, peer) ?? .text(fault.status, fault.advice)
    }

    private func admit(_ announced: PendingRequest, from peer: Endpoint) -> Admission {
        if let admit = relay?.application.admit { return admit(announced, peer) }
        let isLarge = (announced.bodyBytes ?? 0) > Relay.smallBodyBytes
        // The leader decides; a follower only bounds what it holds.
        return .body(atMost: ImportRun.mostBytes, isLarge ? .known : .stranger)
    }

    private func endWait(_ id: ExchangeID) -> Answer? {
        if let forward = forwards[id] {
            forward.isWanted.store(false, ordering: .relaxed)
            return nil
        }
        return relay?.application.endWait(id)
    }

    private func nextPart(_ id: ExchangeID) {
        if forwards[id] == nil { relay?.application.nextPart(id) }
    }

    // MARK: Passing on

    private func forward(_ request: Held, _ now: Instant) {
        guard case .following(let leader?) = role, forwards.count < ClusterFront.mostForwards,
            now < request.until
        else {
            var waiting = request
            waiting.due = request.until
            return held.append(waiting)
        }
        let exchange = request.exchange
        let forward = Forward()
        forwards[exchange.id] = forward
        let fields = request.request.fields(to: leader)
        let thread = Thread { [loop] in
            let fault = forward.run(exchange.request, fields, to: leader) { piece in
                loop.post { self.assumeIsolated { $0.pass(piece, to: exchange.id) } }
            }
            loop.post { self.assumeIsolated { $0.end(request, forward, fault) } }
        }
        thread.stackSize = 256 << 10
        thread.start()
    }

    private func pass(_ piece: Forwarding.Piece, to id: ExchangeID) {
        let answer: Answer =
            switch piece {
            case .whole(let response): Answer(to: id, response)
            case .opening(let response, true): Answer(to: id, beginning: response)
            case .opening(let response, false): Answer(to: id, opening: response)
            case .more(let bytes): Answer(to: id, more: bytes)
            case .end: Answer(ending: id)
            }
        server?.assumeIsolated { $0.answer([answer]) }
    }

    /// The leader has answered, or could not.
    private func end(_ request: Held, _ forward: Forward, _ fault: Forwarding.Fault?) {
        forwards[request.exchange.id] = nil
        guard let fault else { return }
        if forward.hasBegun.load(ordering: .relaxed) {
            server?.assumeIsolated { $0.answer([Answer(abandoning: request.exchange.id)]) }
            return
        }
        guard fault == .notSent || request.exchange.request.isRepeatable else {
            return give(up: request, .outcomeUnknown)
        }
        if let relay {
            let answers = relay.application.respond([request.exchange])
            server?.assumeIsolated { $0.answer(answers) }
            return
        }
        var again = request
        again.due = Instant.now.advanced(bySeconds: ClusterFront.retrySeconds)
        held.append(again)
        loop.post {}
    }

    private func give(up request: Held, _ problem: Problem) {
        let answer = Answer(to: request.exchange.id, problem.response(request: "-"))
        server?.assumeIsolated { $0.answer([answer]) }
    }
}

extension ClusterFront: LoopSource {
    nonisolated func turn(_ ready: [Ready], now: Instant) -> Instant? {
        assumeIsolated { $0.wake(ready, now) }
    }

    private func wake(_ ready: [Ready], _ now: Instant) -> Instant? {
        if let relay { return relay.turn(ready, now: now) }
        let due = held.filter { $0.due <= now }
        held.removeAll { $0.due <= now }
        for request in due {
            if request.until <= now { give(up: request, .noLeader) } else { forward(request, now) }
        }
        return held.map(\.due).min()
    }
}

/// One request that is passed on to the leader.
final class Forward: Sendable {
    /// Whether the client still waits.
    let isWanted = Atomic(true)
    /// Whether a part of the answer has come.
    let hasBegun = Atomic(false)

    /// How long connecting and sending may take, in seconds.
    private static let seconds = 2.0

    /// - Returns: why there is no answer, or no whole one; nil when there is.
    func run(
        _ request: Request, _ fields: [(name: String, value: String)], to leader: Endpoint,
        report: (Forwarding.Piece) -> Void
    ) -> Forwarding.Fault? {
        do throws(Forwarding.Fault) {
            try Forwarding.send(
                request, with: fields, to: leader, seconds: Forward.seconds,
                while: { isWanted.load(ordering: .relaxed) }
            ) { piece in
                hasBegun.store(true, ordering: .relaxed)
                report(piece)
            }
            return nil
        } catch { return error }
    }
}

/// The health of a relay that follows: whether it can pass requests on.
struct FollowerHealth {
    /// Nil when no leader is known.
    let leader: Endpoint?

    var response: Response {
        let body = JSONWriter.object { json in
            json.add("status", leader == nil ? "failing" : "ok")
            json.add("role", "follower")
            if let leader { json.add("leader", "\(leader)") }
            json.addArray("alarms") { list in
                if leader == nil { list.element("no relay of the cluster leads: see 'doctor'") }
            }
        }
        return .json(body, status: leader == nil ? 503 : 200)
    }
}

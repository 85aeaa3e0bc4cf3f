import Foundation
import Synchronization
import Testing

@testable import RelayHTTP

/// A server on a port of its own, its loop on a thread of its own.
///
/// `/hold` is answered when `release()` is called, `/large` with four megabytes, `/count` with how
/// many connections there are, anything else with its method, path and body.
final class RunningServer: Sendable {
    let endpoint: Endpoint
    private let loop = Loop()
    private let server: Server
    /// Held as the program holds it: a server that drains refuses connections all the same.
    private let port: OpenPort
    private let holder: Holder

    /// The requests that wait for `release()`.
    private final class Holder: Sendable {
        let held = Mutex<[ExchangeID]>([])
        let server = Mutex<Server?>(nil)
        let arrivals = DispatchSemaphore(value: 0)

        func respond(to exchange: Exchange) -> Answer? {
            let request = exchange.request
            switch request.target.path {
            case "/hold":
                held.withLock { $0.append(exchange.id) }
                arrivals.signal()
                return nil
            case "/large":
                let body = [UInt8](repeating: 0x78, count: 4 << 20)
                return Answer(to: exchange.id, Response(status: 200, body: body))
            case "/count":
                let server = server.withLock { $0 }
                let count = server?.assumeIsolated { $0.connectionCount } ?? 0
                return Answer(to: exchange.id, .text(200, "\(count)"))
            default:
                let body = String(decoding: request.body, as: UTF8.self)
                let text = "\(request.method.token) \(request.target.path) \(body)"
                return Answer(to: exchange.id, Response(status: 200, body: Array(text.utf8)))
            }
        }
    }

    init(
        limits: Limits = .unhurried,
        admit: (@Sendable (Request, Endpoint) -> Admission)? = nil
    ) throws {
        let holder = Holder()
        self.holder = holder
        server = Server(
            on: loop, limits: limits,
            Application(
                respond: { $0.compactMap { holder.respond(to: $0) } }, admit: admit))
        holder.server.withLock { [server] in $0 = server }
        port = try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0))
        endpoint = server.listen(on: port)
    }

    /// Lets the loop turn. Until then the system alone takes connections and input.
    func start() -> RunningServer {
        let thread = Thread { [loop] in loop.run() }
        thread.start()
        return self
    }

    /// Waits until so many requests to `/hold` have arrived.
    func awaitHeld(_ count: Int) {
        for _ in 0..<count {
            expect(holder.arrivals.awaitSignal(), "fewer than \(count) requests have arrived")
        }
    }

    /// Answers what `/hold` has kept.
    func release() {
        loop.post { [holder, server] in
            let ids = holder.held.withLock { held in
                defer { held = [] }
                return held
            }
            server.assumeIsolated {
                $0.send(ids.map { Answer(to: $0, Response(status: 200, body: [0x68])) })
            }
        }
    }

    /// Begins to drain.
    ///
    /// - Returns: signalled when the last connection has gone.
    func drain() -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        loop.post { [server] in
            server.assumeIsolated { $0.drain { done.signal() } }
        }
        return done
    }

    deinit {
        holder.server.withLock { $0 = nil }
        loop.stop()
    }
}

extension RunningServer {
    /// Whether a new client is answered, with the connections that there are.
    func answersNewcomer() -> Bool {
        let newcomer = Client(endpoint)
        newcomer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        return newcomer.body() == "GET / "
    }
}

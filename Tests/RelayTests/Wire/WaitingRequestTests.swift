import Foundation
import Synchronization
import Testing

@testable import RelayHTTP

/// A server whose `/wait` waits until it is told that it need not, and whose `/stream` has no end.
private final class WaitingServer: Sendable {
    let endpoint: Endpoint
    private let loop = Loop()
    private let server: Server
    private let counts = Counts()

    private static let opening = Answer.Content.opening(
        Response(status: 200, body: [0x73]), hasEnd: false)

    private final class Counts: Sendable {
        let begun = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let streams = Mutex<Set<ExchangeID>>([])

        /// `/burst` begins a stream and goes on with it in the same turn.
        func answers(to exchange: Exchange) -> [Answer] {
            guard exchange.request.target.path == "/burst" else { return [respond(to: exchange)] }
            _ = streams.withLock { $0.insert(exchange.id) }
            let opening = Answer(to: exchange.id, WaitingServer.opening)
            return [opening] + [0x74, 0x75].map { Answer(to: exchange.id, .more([$0])) }
        }

        private func respond(to exchange: Exchange) -> Answer {
            switch exchange.request.target.path {
            case "/wait":
                begun.signal()
                return Answer(to: exchange.id, .hold)
            case "/stream":
                begun.signal()
                _ = streams.withLock { $0.insert(exchange.id) }
                return Answer(to: exchange.id, WaitingServer.opening)
            default: return Answer(to: exchange.id, .text(200, "now"))
            }
        }

        func endWait(_ id: ExchangeID) -> Answer? {
            ended.signal()
            return streams.withLock { $0.remove(id) } == nil
                ? Answer(to: id, .text(200, "over")) : nil
        }
    }

    init(_ change: (inout Limits) -> Void = { _ in }) throws {
        var limits = Limits.unhurried
        change(&limits)
        server = Server(
            on: loop, limits: limits,
            Application(
                respond: { [counts] in $0.flatMap(counts.answers) },
                endWait: { [counts] in counts.endWait($0) }))
        endpoint = server.listen(
            on: try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0)))
        Thread { [loop] in loop.run() }.start()
    }

    /// A client whose request waits.
    func waiting(on path: String) -> Client {
        let client = Client(endpoint)
        client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        expect(counts.begun.awaitSignal(), "the request does not wait")
        return client
    }

    /// Whether so many waits have ended, within five seconds each.
    func hasEnded(_ count: Int) -> Bool {
        (0..<count).allSatisfy { _ in counts.ended.awaitSignal() }
    }

    func drain() {
        loop.post { [server] in server.assumeIsolated { $0.drain {} } }
    }

    deinit { loop.stop() }
}

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/// Requests that wait for something to happen hold connections.
struct WaitingRequestTests {
    @Test func `a client that closes its sending direction need not wait any longer`() throws {
        let server = try WaitingServer()
        let client = server.waiting(on: "/wait")
        expect(!client.canRead(withinMilliseconds: 50))
        client.closeSending()
        expect(client.body(), is: "over\n")
        expect(client.rest(), is: "")
        expect(server.hasEnded(1))
    }

    @Test func `a client that had closed before need not wait either`() throws {
        let server = try WaitingServer()
        let client = Client(server.endpoint)
        client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n" + get)
        client.closeSending()
        expect(client.body(), is: "over\n")
        expect(client.body(), is: "now\n", "what it had asked besides is answered")
        expect(client.rest(), is: "")
    }

    @Test(arguments: ["/wait", "/stream"])
    func `the application hears of a client that has gone`(_ path: String) throws {
        let server = try WaitingServer()
        var client: Client? = server.waiting(on: path)
        expect(client != nil)
        client = nil
        expect(server.hasEnded(1))
    }

    @Test func `a stream that goes on in the turn in which it begins is not cut off`() throws {
        let server = try WaitingServer()
        let client = Client(server.endpoint)
        client.send("GET /burst HTTP/1.1\r\nHost: a\r\n\r\n")
        client.closeSending()
        expect(client.rest().hasSuffix("\r\n\r\nstu"))
    }

    @Test func `requests that are held keep their connections, and the silent give way`() throws {
        let server = try WaitingServer { $0.connections = 3 }
        var held = ["/wait", "/stream"].map { server.waiting(on: $0) }
        let idle = Client(server.endpoint)
        idle.send(get)
        expect(idle.body(), is: "now\n")
        held.append(server.waiting(on: "/wait"))
        expect(idle.rest(), is: "")
        let newcomer = Client(server.endpoint)
        newcomer.send(get)
        expect(!newcomer.canRead(withinMilliseconds: 200), "it waits in the system's queue")
        held[0].closeSending()
        expect(held[0].body(), is: "over\n")
        expect(newcomer.body(), is: "now\n")
        expect(!held[2].canRead(withinMilliseconds: 0))
    }

    @Test func `a held request ends when the server stops`() throws {
        let server = try WaitingServer()
        let client = server.waiting(on: "/wait")
        server.drain()
        expect(client.body(), is: "over\n")
        expect(client.rest(), is: "")
    }

    // MARK: Fair turns

    @Test func `clients that pipeline and never read are in nobody's way`() throws {
        let server = try RunningServer().start()
        let crowd = (0..<100).map { _ in
            let client = Client(server.endpoint, receiveBytes: 4_096)
            client.send(String(repeating: get, count: 400))
            return client
        }
        expect(server.answersNewcomer())
        _ = crowd
    }
}

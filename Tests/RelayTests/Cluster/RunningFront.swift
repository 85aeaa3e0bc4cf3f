import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import BeemedRelay
@testable import RelayCluster
@testable import RelayTrunk

/// The front of a relay of a cluster, which serves clients, on a loop and a port of its own.
final class RunningFront: Sendable {
    let endpoint: Endpoint
    let server: Server
    private let loop = Loop()
    private let front: ClusterFront

    /// - Parameter leader: whom it follows, if anybody.
    init(
        following leader: Endpoint? = nil, _ arguments: [String] = [], limits: Limits = .unhurried
    ) throws {
        front = ClusterFront(
            try RunningFront.settings(arguments), .relay, on: loop, log: .silent)
        server = Server(on: loop, limits: limits, front.application)
        endpoint = server.listen(
            on: try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0)))
        loop.post { [front, server] in
            front.assumeIsolated { front in
                front.begin(server)
                front.follow(leader)
            }
        }
        Thread { [loop] in loop.run() }.start()
    }

    static func settings(_ arguments: [String]) throws -> Settings {
        let command = try require(CommandTable.command(["serve"]))
        return try Settings(
            try Arguments(arguments, for: command), environment: ["BEEMED_DATA": "/nonexistent"])
    }

    /// Runs this on the loop, and waits for it.
    func change(_ body: @escaping @Sendable (isolated ClusterFront) -> Void) {
        let done = DispatchSemaphore(value: 0)
        loop.post { [front] in
            front.assumeIsolated { body($0) }
            done.signal()
        }
        expect(done.awaitSignal(), "the loop does not turn")
    }

    func follow(_ leader: Endpoint?) { change { $0.follow(leader) } }

    func drain() { change { [server] _ in server.assumeIsolated { $0.drain {} } } }

    /// The settings are read again.
    func change(_ arguments: [String]) throws {
        let settings = try RunningFront.settings(arguments)
        change { $0.change(settings) }
    }

    /// Sends a request, and reads the whole answer.
    ///
    /// - Parameter head: the lines of its head.
    func call(_ head: String..., body: String = "") throws -> String {
        let client = Client(endpoint)
        client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try require(client.answer(toHead: head[0].hasPrefix("HEAD ")))
    }

    /// Waits until this holds.
    ///
    /// - Returns: false on a hang.
    func awaits(_ condition: @escaping @Sendable (isolated ClusterFront) -> Bool) -> Bool {
        let holds = Mutex(false)
        return HangLimit.reaches {
            change { front in
                let result = condition(front)
                holds.withLock { $0 = result }
            }
            return holds.withLock(\.self)
        }
    }

    /// Begins to lead with a relay of its own.
    ///
    /// - Returns: the owner's token.
    func lead(in folder: TemporaryFolder, _ term: LeaseTerm, log: Log) throws -> String {
        let store = try RelayFolder(folder.path).store
        let opened = try Journal.open(
            try SystemDisk(dataFolder: folder.path), store: UUID().uuidString,
            time: SystemClock.wall(), isUsed: store.isUsed, known: store.storeName())
        let assembly = try RelayAssembly(
            try RunningFront.settings(["--data", folder.path]), store, opened, account: nil,
            leaves: Leaf.all, on: loop, log: log)
        let server = server
        change { front in
            let address = Endpoint(Address([127, 0, 0, 1]), port: 2336)
            assembly.begin(server, at: address, isDriven: true) { _ in }
            front.lead(assembly.relay, term)
        }
        return try store.ownerToken()
    }

    /// A client that has sent this request.
    ///
    /// - Parameter fields: instead of a host, if given.
    func client(
        _ request: String, _ fields: [String] = ["Host: 127.0.0.1"], _ body: String = ""
    ) -> Client {
        let client = Client(endpoint)
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let head = ["\(request) HTTP/1.1"] + fields + length
        client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return client
    }

    deinit { loop.stop() }
}

/// A leader that answers as a test wants.
final class ScriptedLeader: Sendable {
    let endpoint: Endpoint
    private let loop = Loop()
    private let server: Server
    private let script: Script

    private final class Script: Sendable {
        let requests = Mutex<[Exchange]>([])
        let arrivals = DispatchSemaphore(value: 0)
        let ends = DispatchSemaphore(value: 0)
        let parts = DispatchSemaphore(value: 0)
        let answer: @Sendable (Exchange, Int) -> Answer?

        init(_ answer: @escaping @Sendable (Exchange, Int) -> Answer?) { self.answer = answer }

        /// An answer to a long poll, as a relay gives one.
        func answerToEndedWait(_ id: ExchangeID) -> Answer? {
            let exchange = requests.withLock { $0.last { $0.id == id } }
            guard exchange?.request.target.path == "/context" else { return nil }
            return Answer(to: id, .text(200, "over"))
        }

        func respond(to exchange: Exchange) -> Answer? {
            let count = requests.withLock { requests in
                requests.append(exchange)
                return requests.count
            }
            arrivals.signal()
            return answer(exchange, count)
        }
    }

    /// - Parameter answer: given a request and which one it is, from 1; nil answers later.
    init(_ answer: @escaping @Sendable (Exchange, Int) -> Answer?) throws {
        let script = Script(answer)
        self.script = script
        server = Server(
            on: loop,
            Application(
                respond: { $0.compactMap { script.respond(to: $0) } },
                endWait: { id in
                    script.ends.signal()
                    return script.answerToEndedWait(id)
                },
                nextPart: { _ in script.parts.signal() }))
        endpoint = server.listen(
            on: try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0)))
        Thread { [loop] in loop.run() }.start()
    }

    /// A leader that answers every request with this text.
    convenience init(answering text: String) throws {
        try self.init { exchange, _ in Answer(to: exchange.id, .text(200, text)) }
    }

    /// The requests so far.
    var requests: [Request] { script.requests.withLock { $0.map(\.request) } }

    /// Waits for so many more requests; false on a hang.
    func hasReceived(_ count: Int = 1) -> Bool {
        (0..<count).allSatisfy { _ in script.arrivals.awaitSignal() }
    }

    /// Waits until a waiting request ends; false on a hang.
    func hasEndedWait() -> Bool { script.ends.awaitSignal() }

    /// Waits until a part of a long answer is asked for; false on a hang.
    func wantsPart() -> Bool { script.parts.awaitSignal() }

    /// Whether a part of a long answer is asked for within this time.
    func wantsPart(withinMilliseconds milliseconds: Int) -> Bool {
        script.parts.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }

    /// Sends an answer to that request, from 1.
    func answer(_ number: Int, _ make: @escaping @Sendable (ExchangeID) -> Answer) {
        loop.post { [server, script] in
            let id = script.requests.withLock { $0[number - 1].id }
            server.assumeIsolated { $0.send([make(id)]) }
        }
    }

    deinit { loop.stop() }
}

extension RawBeeminder {
    var endpoint: Endpoint { Endpoint(Address([127, 0, 0, 1]), port: port) }
}

import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import BeemedRelay
@testable import RelayTrunk

/// A whole relay inside the test's process, on a loop and a port of its own, which stops with its
/// last reference.
final class RunningRelayProgram: Sendable {
    let endpoint: Endpoint
    /// A device that may log and read.
    let token: String
    let owner: String
    private let program: RelayProgram
    /// As long as it runs: on a folder that is gone nothing is taken.
    private let folder: TemporaryFolder
    /// As long as it runs, too.
    private let beeminder: RunningBeeminder?
    private let ended = DispatchSemaphore(value: 0)
    private let isStopped = Atomic(false)

    /// - Parameters:
    ///   - beeminder: its address; if none is given, nobody is there.
    ///   - timeouts: how long it waits for its clients.
    init(
        in folder: TemporaryFolder, beeminder: String = "http://127.0.0.1:9",
        account: Account? = .personalToken("x"), timeouts: Timeouts = .unhurried,
        log: Log = .silent, keeping server: RunningBeeminder? = nil,
        change: (inout Settings) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.beeminder = server
        let arguments = try Arguments(
            [
                "--data", folder.path, "--listen", "127.0.0.1:0", "--beeminder-url", beeminder,
                "--rate-limit", "off",
            ], for: try require(CommandTable.command(["serve"])))
        var settings = try Settings(arguments, environment: [:])
        change(&settings)
        let relayFolder = try RelayFolder(folder.path)
        program = try RelayProgram(
            settings, relayFolder, account: account, leaves: Leaf.all, on: Loop(), log: log,
            timeouts: timeouts)
        owner = try relayFolder.store.ownerToken()
        // A folder that was used before has its first device, whose token is told only once.
        let store = relayFolder.store
        token = store.isNew ? try store.firstDevice(log: .standard) : owner
        endpoint = program.listen(on: try OpenPort(settings.listen))
        Thread { [program, ended] in
            _ = program.turn()
            ended.signal()
        }.start()
    }

    convenience init(
        in folder: TemporaryFolder, _ beeminder: RunningBeeminder,
        change: (inout Settings) -> Void = { _ in }
    ) throws {
        try self.init(
            in: folder, beeminder: beeminder.base,
            account: .personalToken(RunningBeeminder.token), keeping: beeminder, change: change)
    }

    /// A relay that knows which goals there are.
    static func settled(
        in folder: TemporaryFolder, _ beeminder: RunningBeeminder
    ) throws -> RunningRelayProgram {
        let relay = try RunningRelayProgram(in: folder, beeminder)
        try relay.awaitGoals()
        return relay
    }

    /// Adds a device, given as JSON.
    ///
    /// - Returns: its token.
    func add(_ device: String) throws -> String {
        let answer = try call("POST", "/devices", device, token: owner)
        expect(answer.status, is: 200, "\(answer.body)")
        return try require(try members(answer.body)["token"] as? String)
    }

    /// The path of a link that signs a browser of the owner in.
    func signInLink() throws -> String {
        let answer = try call("POST", "/owner-link", token: owner)
        return try require(try members(answer.body)["path"] as? String)
    }

    /// The field with such a cookie of a session of this relay.
    func cookie(_ value: String) throws -> String {
        "Cookie: beemed-\(try RelayStore(folder: folder.path).ownerGeneration())=\(value)"
    }

    /// Sends a request and does not wait for the answer.
    func begin(_ request: String, _ body: String = "", token: String) -> Client {
        let client = Client(endpoint)
        client.send(
            "\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                + "Authorization: Bearer \(token)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return client
    }

    /// Stops in good order and waits for it, once.
    func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        program.stop()
        expect(ended.awaitSignal(), "the relay has not stopped")
    }

    deinit { stop() }

    /// Keeps all changes of settings from the disk until this is called.
    ///
    /// - Returns: lets them go on.
    func holdSettings() -> @Sendable () -> Void {
        hold { relay, work in relay.files.add { _, _ in work() } }
    }

    /// Keeps a queue busy until this is called.
    ///
    /// - Parameter add: adds work to the queue.
    /// - Returns: lets it go on.
    func hold(
        _ add: @escaping @Sendable (isolated Relay, @escaping @Sendable () -> Void) -> Void
    ) -> @Sendable () -> Void {
        let (gate, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        program.relay.loop.post { [relay = program.relay] in
            relay.assumeIsolated { relay in
                add(relay) {
                    isHeld.signal()
                    _ = gate.awaitSignal()
                }
            }
        }
        expect(isHeld.awaitSignal(), "the queue has not begun its work")
        return { gate.signal() }
    }

    /// Waits until the relay knows which goals there are.
    func awaitGoals() throws {
        try waitUntil("the relay knows its user") {
            try members(try call("GET", "/context").body)["user"] != nil
        }
    }

    /// How many events wait, as everybody may see.
    func queued() throws -> Int {
        let health = try members(try call("GET", "/healthz", token: "-").body)
        return try require(health["queued"] as? Int)
    }

    /// Sends one request on a connection of its own.
    ///
    /// - Returns: the status and the body, without the newline that ends JSON.
    func call(
        _ method: String, _ path: String, _ body: String = "", token: String? = nil,
        fields: [String] = []
    ) throws -> (status: Int, body: String, head: String) {
        let token = token ?? (self.token.isEmpty ? "-" : self.token)
        return Client.call(endpoint, method, path, body, token: token, fields: fields)
    }

    /// The owner's export, put together from its chunks.
    func export(_ format: String) throws -> (
        head: String, body: String
    ) {
        let client = Client(endpoint)
        client.send(
            "GET /export?format=\(format) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                + "Authorization: Bearer \(owner)\r\n\r\n")
        let answer = client.rest()
        let end = try require(answer.range(of: "\r\n\r\n"))
        var rest = Array(answer[end.upperBound...].utf8)[...]
        var body: [UInt8] = []
        while true {
            let digits = rest.prefix { $0 != 0x0D }
            let count = try require(Int(String(decoding: digits, as: UTF8.self), radix: 16))
            rest = rest.dropFirst(digits.count + 2)
            guard count > 0 else { break }
            body += rest.prefix(count)
            rest = rest.dropFirst(count + 2)
        }
        return (String(answer[..<end.lowerBound]), String(decoding: body, as: UTF8.self))
    }
}

extension Client {
    /// Sends one request on a connection of its own.
    ///
    /// - Parameter token: "-" for none.
    /// - Returns: the status and the body, without the newline that ends JSON.
    static func call(
        _ endpoint: Endpoint, _ method: String, _ path: String, _ body: String = "",
        token: String, fields: [String] = []
    ) -> (status: Int, body: String, head: String) {
        let client = Client(endpoint)
        var head = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + fields
        if token != "-" { head.append("Authorization: Bearer \(token)") }
        let hasLength = fields.contains { $0.hasPrefix("Content-Length:") }
        if !hasLength, !body.isEmpty || ["POST", "PUT"].contains(method) {
            head.append("Content-Length: \(body.utf8.count)")
        }
        client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        let answer = client.answer(toHead: method == "HEAD") ?? ""
        let parts = answer.components(separatedBy: "\r\n\r\n")
        let status = Int(answer.dropFirst(9).prefix(3)) ?? 0
        var content = parts.dropFirst().joined(separator: "\r\n\r\n")
        if parts[0].contains("json"), content.hasSuffix("}\n") { content.removeLast() }
        return (status, content, parts[0])
    }
}

extension RouteTable {
    /// The routes of the whole program.
    static let relay = RouteTable(of: Leaf.all)
}

/// A field of an answer, given as its head; nil when it has none of this name.
func headField(_ name: String, of head: String) -> String? {
    let line = head.components(separatedBy: "\r\n").first { $0.hasPrefix("\(name): ") }
    return line.map { String($0.dropFirst(name.count + 2)) }
}

/// The members of a JSON object, as a test compares them.
func members(_ body: String) throws -> NSDictionary {
    let value = try JSONSerialization.jsonObject(with: Data(body.utf8))
    return value as? NSDictionary ?? [:]
}

extension CommandTable {
    /// The command of these words; nil when there is none.
    static func command(_ words: [String]) -> CommandSpec? {
        all.first { $0.words == words }
    }
}

import BeemedDomain
import BeeminderSimulator
import Foundation
import RelayHTTP
import Synchronization

@testable import RelayTrunk

/// A server that answers as a test says, and keeps what it was asked.
final class ScriptedBeeminder: Sendable {
    struct Call: Sendable, Equatable {
        var method: String
        var path: String
        var query: String
        var body: String
        var authorization: String?

        /// The method and the path, as a test writes them.
        var line: String { "\(method) \(path)" }
    }

    enum Reply: Sendable {
        case says(Int, String, retryAfter: String? = nil)
        case redirects(to: String)
        case hangsUp
        case breaksOff(after: Int, of: String)
    }

    let endpoint: Endpoint
    private let loop = Loop()
    private let calls = CallLog()

    /// - Parameter reply: called on the server's thread, with how many calls there were before.
    init(_ reply: @escaping @Sendable (Call, Int) -> Reply) throws {
        var limits = Limits.unhurried
        limits.bodyBytes = 1 << 20
        let calls = calls
        let server = Server(
            on: loop, limits: limits,
            Application { exchanges in
                exchanges.map { exchange in
                    let call = Call(exchange.request)
                    return reply(call, calls.add(call)).answer(to: exchange.id)
                }
            })
        endpoint = server.listen(
            on: try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0)))
        Thread { [loop] in loop.run() }.start()
    }

    deinit {
        loop.stop()
    }

    /// The calls that came, in order.
    var asked: [Call] { calls.all }

    /// A client that goes there.
    func client(_ account: Account = .personalToken("s3cret")) throws -> BeeminderClient {
        try BeeminderClient(
            base: "http://\(endpoint)", account: account, wallClock: { .init(1_760_000_000) })
    }
}

/// The calls so far, from whatever thread.
private final class CallLog: Sendable {
    private let calls = Mutex<[ScriptedBeeminder.Call]>([])

    var all: [ScriptedBeeminder.Call] { calls.withLock { $0 } }

    /// - Returns: how many there were before.
    func add(_ call: ScriptedBeeminder.Call) -> Int {
        calls.withLock { calls in
            calls.append(call)
            return calls.count - 1
        }
    }
}

extension ScriptedBeeminder.Call {
    fileprivate init(_ request: Request) {
        self.init(
            method: request.method.token,
            path: request.target.path.replacingOccurrences(of: "/api/v1/users/me", with: "~"),
            query: request.target.query ?? "",
            body: String(decoding: request.body, as: UTF8.self),
            authorization: request.fields["authorization"])
    }
}

extension ScriptedBeeminder.Reply {
    fileprivate func answer(to id: ExchangeID) -> Answer {
        switch self {
        case .says(let status, let body, let retryAfter):
            var fields = [Response.Field("Content-Type", "application/json; charset=utf-8")]
            if let retryAfter { fields.append(Response.Field("Retry-After", retryAfter)) }
            return Answer(
                to: id, Response(status: status, fields: fields, body: Array(body.utf8)))
        case .redirects(let place):
            return Answer(
                to: id, Response(status: 302, fields: [Response.Field("Location", place)]))
        case .hangsUp: return Answer(to: id, .hangUp)
        case .breaksOff(let bytes, let body):
            return Answer(
                to: id, .brokenOff(Response(status: 200, body: Array(body.utf8)).cut(behind: bytes))
            )
        }
    }
}

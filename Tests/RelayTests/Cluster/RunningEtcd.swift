import BeeminderSimulator
import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// A member of etcd with the JSON gateway, on a loop and a port of its own. Members may share their
/// data, as a cluster does.
final class RunningEtcd: Sendable {
    /// The way in which a member fails a call.
    enum Trouble: Sendable {
        /// It answers this, without effect.
        case says(Int, String)
        /// It takes the call and hangs up.
        case losesAnswer
        /// It hangs up without effect.
        case losesCall
        /// It takes the call, and hangs up after so many bytes of the answer's content.
        case breaksOff(after: Int)
    }

    /// A call as it came.
    struct Call: Sendable {
        var path: String
        var body: String
        var token: String?
    }

    private struct State: Sendable {
        var calls: [Call] = []
        var trouble: (@Sendable (Call, Int) -> Trouble?)?
    }

    let endpoint: Endpoint
    let data: EtcdData
    private let loop = Loop()
    private let server: Server
    private let state: Shared

    private final class Shared: Sendable {
        let value = Mutex(State())
    }

    /// - Parameters:
    ///   - data: what it shares with other members.
    ///   - trouble: called with each call, and with how many there were before.
    init(
        _ data: EtcdData = EtcdData(), trouble: (@Sendable (Call, Int) -> Trouble?)? = nil
    ) throws {
        self.data = data
        let state = Shared()
        state.value.withLock { $0.trouble = trouble }
        self.state = state
        var limits = Limits.unhurried
        limits.bodyBytes = 8 << 20
        server = Server(
            on: loop, limits: limits,
            Application { exchanges in
                exchanges.map { RunningEtcd.answer($0, data, state) }
            })
        endpoint = server.listen(
            on: try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0)))
        Thread { [loop] in loop.run() }.start()
    }

    deinit {
        loop.stop()
    }

    /// Stops listening, and waits for it.
    func stop() {
        let done = DispatchSemaphore(value: 0)
        loop.post { [server] in server.assumeIsolated { $0.drain { done.signal() } } }
        expect(done.awaitSignal(), "etcd has not stopped")
    }

    /// Changes what it does to calls.
    func set(_ trouble: (@Sendable (Call, Int) -> Trouble?)?) {
        state.value.withLock { $0.trouble = trouble }
    }

    /// The calls so far, in order.
    var calls: [Call] { state.value.withLock { $0.calls } }

    /// The paths of the calls so far, without "/v3/".
    var paths: [String] { calls.map { String($0.path.dropFirst(4)) } }

    /// A store on it and on other members.
    func location(
        _ others: RunningEtcd..., user: String? = nil, store: String = "home"
    ) throws -> StoreLocation {
        let hosts = ([self] + others).map { "\($0.endpoint)" }.joined(separator: ",")
        let text = "etcd://\(user.map { "\($0)@" } ?? "")\(hosts)/\(store)"
        guard let location = StoreLocation(text) else { throw Failure(.usage, text) }
        return location
    }

    private static func answer(_ exchange: Exchange, _ data: EtcdData, _ state: Shared) -> Answer {
        let request = exchange.request
        let call = Call(
            path: request.target.path, body: String(decoding: request.body, as: UTF8.self),
            token: request.fields["authorization"])
        let trouble = state.value.withLock { state in
            defer { state.calls.append(call) }
            return state.trouble?(call, state.calls.count)
        }
        switch trouble {
        case .says(let status, let body): return Answer(to: exchange.id, json(status, body))
        case .losesCall: return Answer(to: exchange.id, .hangUp)
        case nil, .losesAnswer, .breaksOff: break
        }
        let (status, body) = data.answer(call)
        switch trouble {
        case .losesAnswer: return Answer(to: exchange.id, .hangUp)
        case .breaksOff(let bytes):
            return Answer(to: exchange.id, .brokenOff(json(status, body).cut(behind: bytes)))
        default: return Answer(to: exchange.id, json(status, body))
        }
    }

    private static func json(_ status: Int, _ body: String) -> Response {
        Response(
            status: status, fields: [Response.Field("Content-Type", "application/json")],
            body: Array(body.utf8))
    }
}

/// The answer of etcd's gateway to a call that failed.
func etcdError(_ code: Int, _ words: String) -> String {
    #"{"error":"\#(words)","code":\#(code),"message":"\#(words)"}"#
}

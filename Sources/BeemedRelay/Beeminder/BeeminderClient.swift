import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Beeminder over HTTPS. No token is ever part of anything that is logged.
///
/// The session is made with the first request; until then it costs no memory.
final class BeeminderClient: AccountUpstream {
    private let base: URL
    private let account: Mutex<Account?>
    private let transport = Mutex<HTTPTransport?>(nil)
    private let executor = UpstreamExecutor()
    let wallClock: @Sendable () -> UnixTime
    /// Is told every time that an answer says.
    private let listener = Mutex<(@Sendable (UpstreamTime) -> Void)?>(nil)

    /// - Parameter base: as the user gave it; without a path, `/api/v1/` is meant.
    /// - Throws: `Failure` when that is no URL of a server.
    init(
        base: String, account: Account?, wallClock: @escaping @Sendable () -> UnixTime
    ) throws(Failure) {
        guard var parts = URLComponents(string: base),
            parts.scheme == "https" || parts.scheme == "http",
            parts.host != nil
        else { throw Failure(.usage, "--beeminder-url '\(base)' is no http or https URL") }
        if parts.path.isEmpty || parts.path == "/" { parts.path = "/api/v1/" }
        if !parts.path.hasSuffix("/") { parts.path += "/" }
        guard let url = parts.url else {
            throw Failure(.usage, "--beeminder-url '\(base)' is no http or https URL")
        }
        self.base = url
        self.account = Mutex(account)
        self.wallClock = wallClock
    }

    var isConnected: Bool { account.withLock { $0 != nil } }

    func use(_ account: Account?) {
        self.account.withLock { $0 = account }
    }

    func onTime(_ listener: @escaping @Sendable (UpstreamTime) -> Void) {
        self.listener.withLock { $0 = listener }
    }

    private func hear(_ answer: UpstreamAnswer, sent: Instant) {
        guard
            let time = UpstreamTime(answer, sent: sent.monotonic, received: Instant.now.monotonic)
        else { return }
        let listener = listener.withLock { $0 }
        listener?(time)
    }

    func send(_ batch: DatapointBatch, report: @escaping @Sendable (BatchResult) -> Void) {
        run { operation in
            if batch.datapoints.count == 1, let outgoing = batch.datapoints.first {
                report(.whole(await operation.outcome(of: outgoing)))
            } else {
                report(await operation.result(on: batch))
            }
        }
    }

    func erase(_ deletion: DatapointDeletion, report: @escaping @Sendable (Outcome) -> Void) {
        run { report(await $0.outcome(of: deletion)) }
    }

    func fetchGoals(since: Int64?, report: @escaping @Sendable (GoalAnswer) -> Void) {
        run { report(await $0.goals(since: since)) }
    }

    /// Runs what thinks about answers, on a thread of its own.
    private func run(_ body: @escaping @Sendable (BeeminderOperation) async -> Void) {
        let operation = BeeminderOperation(
            client: self, account: account.withLock { $0 }, purpose: .work)
        Task(executorPreference: executor) { await body(operation) }
    }

    /// The same with an account that need not be the one that is connected.
    func run(
        as account: Account, _ body: @escaping @Sendable (BeeminderOperation) async -> Void
    ) {
        let operation = BeeminderOperation(client: self, account: account, purpose: .identity)
        Task(executorPreference: executor) { await body(operation) }
    }

    // MARK: Calls

    /// One call to the API.
    struct Call {
        var method = "GET"
        /// Below the base, without `.json`.
        var path: String
        var parameters: [(name: String, value: String)] = []
        /// How long the answer may be, in bytes.
        var most = 1 << 20
    }

    /// Bytes of a list of goals or datapoints, at most.
    static let longestList = 4 << 20

    /// Whether this is the account that is connected.
    func uses(_ account: Account) -> Bool { self.account.withLock { $0 == account } }

    /// Performs a call with that account's token.
    func perform(_ call: Call, as account: Account) async -> Result<UpstreamAnswer, CallFailure> {
        guard account.isPlausible else { return .success(.implausibleToken) }
        guard let request = request(for: call, as: account) else {
            return .failure(.transport(.network(URLError.badURL.rawValue)))
        }
        let transport = sharedTransport()
        let sent = Instant.now
        let result = await transport.send(request, atMost: call.most)
        switch result {
        case .failure: retire(transport)
        case .success(let answer): hear(answer, sent: sent)
        }
        return result.mapError(CallFailure.transport)
    }

    /// A personal token is a parameter: that it may come by Bearer too is written nowhere. So a GET
    /// has it in its query, as there is no other place; whatever has a body has it there.
    private func request(for call: Call, as account: Account) -> URLRequest? {
        var parameters = call.parameters
        if case .personalToken(let token) = account { parameters.append(("auth_token", token)) }
        let form = FormEncoder.encode(parameters)
        let query = call.method == "GET" && !form.isEmpty ? "?\(form)" : ""
        guard let url = URL(string: "\(base.absoluteString)\(call.path).json\(query)") else {
            return nil
        }
        var request = URLRequest(url: url)
        request.httpMethod = call.method
        if call.method != "GET", !form.isEmpty {
            request.httpBody = Data(form.utf8)
            request.setValue(
                "application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        }
        if case .accessToken(let token) = account {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        return request
    }

    /// After a failure there are new connections for everybody. On Linux a POST over a kept one
    /// that has died is begun again without its body and stalls until the time-out, and an answer
    /// that was given up may keep the library's loop busy.
    private func retire(_ retired: HTTPTransport) {
        transport.withLock { transport in
            if transport === retired { transport = nil }
        }
    }

    private func sharedTransport() -> HTTPTransport {
        transport.withLock { transport in
            if let transport { return transport }
            let made = HTTPTransport()
            transport = made
            return made
        }
    }
}

extension Instant {
    /// The same reading as the domain has it.
    fileprivate var monotonic: Monotonic { Monotonic(milliseconds: nanoseconds / 1_000_000) }
}

package import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization

/// Client of Beeminder's API over HTTPS, with an account that can be changed. Tokens are never
/// logged. Every call is reported once, on any thread.
package final class BeeminderClient: Sendable {
    /// The base URL, which ends with a slash.
    private let base: String
    private let transport = SystemTransport()
    private let state: Mutex<State>
    let wallClock: @Sendable () -> UnixTime
    /// Nil for a relay that is alone.
    private let term: LeaseTerm?

    /// A structure: a bare function in a mutex would be wrapped once more by each reading, which
    /// writes it back. After 13,000 answers a call went through 26,000 wrappers, and exceeded the
    /// stack of its thread.
    private struct State {
        var account: Account?
        /// Receives every time in an answer.
        var listener: (@Sendable (UpstreamTime) -> Void)?
    }

    /// - Parameters:
    ///   - base: the configured URL; `/api/v1/` is added if there is no path.
    ///   - term: for how long this relay leads its cluster; nil without one.
    package init(
        base: String, account: Account?, term: LeaseTerm? = nil,
        wallClock: @escaping @Sendable () -> UnixTime
    ) throws(Failure) {
        guard var parts = URLComponents(string: base),
            parts.scheme == "https" || parts.scheme == "http",
            parts.host != nil
        else { throw Failure(.usage, "--beeminder-url '\(base)' is not an http or https URL") }
        if parts.path.isEmpty || parts.path == "/" { parts.path = "/api/v1/" }
        if !parts.path.hasSuffix("/") { parts.path += "/" }
        self.base = parts.string ?? base
        state = Mutex(State(account: account))
        self.wallClock = wallClock
        self.term = term
    }

    /// Uses this account from now on; nil disconnects.
    func use(_ account: Account?) {
        state.withLock { $0.account = account }
    }

    /// Reports every time in Beeminder's answers, on any thread, before the rest of an answer.
    package func onTime(_ listener: @escaping @Sendable (UpstreamTime) -> Void) {
        state.withLock { $0.listener = listener }
    }

    func report(_ time: UpstreamTime) { state.withLock { $0.listener }?(time) }

    /// Posts datapoints: a single one by itself, several with `create_all`. If an answer is unclear,
    /// the goal's datapoints are searched before the result is reported.
    func send(_ batch: DatapointBatch, report: @escaping @Sendable (BatchResult) -> Void) {
        run { operation in
            if batch.datapoints.count == 1, let outgoing = batch.datapoints.first {
                report(.whole(operation.outcome(of: outgoing)))
            } else {
                report(operation.result(on: batch))
            }
        }
    }

    /// Deletes a datapoint; searches for it by its request id if its own id is unknown.
    func erase(_ deletion: DatapointDeletion, report: @escaping @Sendable (Outcome) -> Void) {
        run { report($0.outcome(of: deletion)) }
    }

    /// Requests the user and the active goals.
    ///
    /// - Parameters:
    ///   - since: the user's `updated_at` when the goals were last received; if it is still the
    ///     same, they are not requested again. Nil requests them in any case.
    ///   - names: goals that are requested by name if the list leaves them out.
    func fetchGoals(
        since: Int64?, names: [GoalSlug], report: @escaping @Sendable (GoalAnswer) -> Void
    ) {
        run { report($0.goals(since: since, names: names)) }
    }

    var connected: Account? { state.withLock { $0.account } }

    /// Runs an operation of the connected account on a thread of its own.
    private func run(_ body: @escaping @Sendable (BeeminderOperation) -> Void) {
        let operation = BeeminderOperation(client: self, account: connected)
        RequestThread.run { body(operation) }
    }

    // MARK: Calls

    struct APIRequest {
        var method = "GET"
        /// Below the base, without `.json`.
        var path: String
        var parameters: [(name: String, value: String)] = []
        /// Maximum length of the answer, in bytes.
        var most = 1 << 20
        /// Maximum duration of the whole exchange.
        var seconds = 30.0
    }

    /// Performs a call with that account's token, which may not be connected.
    func perform(
        _ call: APIRequest, as account: Account
    ) throws(TransportFailure) -> UpstreamAnswer {
        guard account.isPlausible else { return .implausibleToken }
        let request = request(for: call, as: account)
        guard term.maySend else { throw .notLeading }
        let sent = Instant.now
        let answer = try transport.perform(
            request, atMost: call.most, within: call.seconds, during: term
        ).get()
        let received = Instant.now.monotonic
        if let time = UpstreamTime(answer, sent: sent.monotonic, received: received) {
            report(time)
        }
        return answer
    }

    /// A personal token is sent as a parameter, since Beeminder does not document it as Bearer: in
    /// the query for GET, which has no body, else in the body.
    private func request(for call: APIRequest, as account: Account) -> OutgoingRequest {
        var parameters = call.parameters
        if account.kind == .personalToken { parameters.append(("auth_token", account.token)) }
        let form = FormEncoder.encode(parameters)
        let query = call.method == "GET" && !form.isEmpty ? "?\(form)" : ""
        var request = OutgoingRequest(call.method, "\(base)\(call.path).json\(query)")
        if call.method != "GET", !form.isEmpty {
            request.body = Array(form.utf8)
            request.set("Content-Type", "application/x-www-form-urlencoded")
        }
        if account.kind == .accessToken {
            request.set("Authorization", "Bearer \(account.token)")
        }
        return request
    }
}

extension Instant {
    /// The same reading as the domain's type.
    fileprivate var monotonic: Monotonic { Monotonic(milliseconds: nanoseconds / 1_000_000) }
}

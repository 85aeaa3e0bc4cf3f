import BeemedDomain
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Beeminder over HTTPS, by URLSession: no redirect is followed, nothing is cached, no cookie is
/// kept, and no token is ever part of anything that is logged.
///
/// The session is made with the first request; until then it costs no memory.
final class BeeminderClient: AccountUpstream {
    /// Where Beeminder is. Exactly this: another host or scheme is redirected, and a redirected
    /// POST loses its parameters (Beeminder API reference, "API Base URL").
    static let beeminder = "https://www.beeminder.com/api/v1/"

    private let base: URL
    private let account: Mutex<Account?>
    private let session = Mutex<URLSession?>(nil)
    /// Goals whose last attempt was cut off.
    private let troubled = Mutex<Set<GoalSlug>>([])
    /// How long an attempt may take, whatever drips in, in seconds.
    private static let patience = 30.0
    private let wallClock: @Sendable () -> UnixTime

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

    func send(_ consignment: Consignment, report: @escaping @Sendable (Verdict) -> Void) {
        guard consignment.shipments.count == 1, let shipment = consignment.shipments.first else {
            return report(.singly("one at a time"))
        }
        send(shipment) { report(.whole($0)) }
    }

    func erase(_ erasure: Erasure, report: @escaping @Sendable (Outcome) -> Void) {
        report(.unclear("datapoints cannot be deleted yet"))
    }

    private func send(_ shipment: Shipment, report: @escaping @Sendable (Outcome) -> Void) {
        var request = URLRequest(
            url: base.appending(path: "users/me/goals/\(shipment.goal)/datapoints.json"))
        request.httpMethod = "POST"
        var parameters = shipment.parameters
        switch account.withLock({ $0 }) {
        case .personalToken(let token): parameters.append(("auth_token", token))
        case .accessToken(let token): request.authorize(token)
        case nil: return report(.unreachable("no account is connected"))
        }
        request.setValue(
            "application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(FormEncoder.encode(parameters).utf8)
        let clock = wallClock
        perform(request, over: session(for: shipment.goal)) { result in
            switch result {
            case .success(let answer):
                self.note(shipment.goal, failed: false)
                report(
                    Outcome(
                        answer, requestID: shipment.requestID, comment: shipment.comment,
                        now: clock()))
            case .failure(let error):
                self.note(shipment.goal, failed: true)
                report(.unreachable(error.words))
            }
        }
    }

    func fetchGoals(
        since: Int64?, report: @escaping @Sendable (GoalAnswer) -> Void
    ) {
        get("users/me.json", []) { user in
            guard case .success(let user) = user else { return report(user.unclear) }
            self.get("users/me/goals.json", [URLQueryItem(name: "emaciated", value: "true")]) {
                switch $0 {
                case .success(let goals): report(GoalAnswer(user: user, goals: goals))
                case .failure: report($0.unclear)
                }
            }
        }
    }

    /// Reads something. A personal token can only stand in the query: it is documented as a
    /// parameter, and a GET has no other place for one.
    private func get(
        _ path: String, _ query: [URLQueryItem],
        report: @escaping @Sendable (Result<UpstreamAnswer, URLError>) -> Void
    ) {
        var query = query
        var token: String?
        switch account.withLock({ $0 }) {
        case .personalToken(let personal):
            query.append(URLQueryItem(name: "auth_token", value: personal))
        case .accessToken(let access): token = access
        case nil: return report(.failure(URLError(.userAuthenticationRequired)))
        }
        var request = URLRequest(url: base.appending(path: path).appending(queryItems: query))
        if let token { request.authorize(token) }
        perform(request, over: currentSession(), report: report)
    }

    /// A goal whose last attempt was cut off gets a connection of its own: on Linux a POST over a
    /// kept connection that dies is begun again without its body, and stalls until the time-out.
    private func session(for goal: GoalSlug) -> URLSession {
        let isTroubled = troubled.withLock { $0.contains(goal) }
        return isTroubled ? makeSession() : currentSession()
    }

    private func note(_ goal: GoalSlug, failed: Bool) {
        troubled.withLock { goals in
            if failed { goals.insert(goal) } else { goals.remove(goal) }
        }
    }

    private func perform(
        _ request: URLRequest, over session: URLSession,
        report: @escaping @Sendable (Result<UpstreamAnswer, URLError>) -> Void
    ) {
        let task = session.dataTask(with: request) { data, response, error in
            guard let response = response as? HTTPURLResponse else {
                let cause = error as? URLError ?? URLError(.badServerResponse)
                return report(.failure(cause))
            }
            report(
                .success(
                    UpstreamAnswer(
                        status: response.statusCode,
                        retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
                        body: data.map(Array.init) ?? [])))
        }
        task.resume()
        let isShared = self.session.withLock { $0 === session }
        if !isShared { session.finishTasksAndInvalidate() }
        // The session's own time-outs begin anew with every byte that drips in.
        DispatchQueue.global().asyncAfter(deadline: .now() + BeeminderClient.patience) {
            task.cancel()
        }
    }

    private func currentSession() -> URLSession {
        session.withLock { session in
            if let session { return session }
            let made = makeSession()
            session = made
            return made
        }
    }

    private func makeSession() -> URLSession {
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = BeeminderClient.patience
        settings.timeoutIntervalForResource = BeeminderClient.patience
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpAdditionalHeaders = ["User-Agent": "BeemedRelay"]
        return URLSession(
            configuration: settings, delegate: RedirectRefuser(), delegateQueue: nil)
    }
}

/// A redirect is an answer here and is never followed: as a GET it would come back with a 200
/// that means nothing.
private final class RedirectRefuser: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

extension URLRequest {
    fileprivate mutating func authorize(_ token: String) {
        setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }
}

extension URLError {
    /// What failed, without the URL, which may hold a token.
    fileprivate var words: String { "no answer (network error \(code.rawValue))" }
}

extension Result<UpstreamAnswer, URLError> {
    fileprivate var unclear: GoalAnswer {
        switch self {
        case .success(let answer): .unclear("status \(answer.status)")
        case .failure(let error): .unclear(error.words)
        }
    }
}

/// Encodes `application/x-www-form-urlencoded`.
enum FormEncoder {
    /// The pairs, in order.
    static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    /// Everything but RFC 3986's unreserved characters becomes `%XX`.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        let digits = Array("0123456789ABCDEF")
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                escaped.unicodeScalars.append(UnicodeScalar(byte))
            default:
                escaped.append("%")
                escaped.append(digits[Int(byte >> 4)])
                escaped.append(digits[Int(byte & 0xF)])
            }
        }
        return escaped
    }
}

import Foundation

/// `beemed-relay status`: the relay of a data folder, its account, its health.
struct StatusCommand {
    /// The answer to `GET /connection`.
    private struct Connection: Decodable {
        var state: String
        var user: String?
        var kind: String?
        var source: String?
    }

    /// The answer to `GET /healthz`.
    private struct Health: Decodable {
        var status: String
        var queued: Int
        var refused: Int
        var alarms: [String]?
    }

    private let arguments: Arguments
    private let settings: Settings
    private let environment: [String: String]

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(arguments, valued: ["data"], plain: ["help", "json"])
        settings = try Settings(self.arguments, environment: environment)
        self.environment = environment
    }

    /// - Returns: 69 when no relay runs or it is not healthy, for scripts.
    func run() throws(Failure) -> ExitCode {
        guard !arguments.has("help") else {
            Console.output(Usage.status)
            return .ok
        }
        guard let running = try RunningRelay(data: settings.data) else {
            try describeStopped()
            return .unavailable
        }
        let connection = try running.call("GET", "/connection", nil)
        let health = try running.call("GET", "/healthz", nil, accepting: [200, 503])
        return try describe(running.shown, connection, health)
    }

    private func describe(
        _ address: String, _ connection: Data, _ health: Data
    ) throws(Failure) -> ExitCode {
        let decoder = JSONDecoder()
        guard let account = try? decoder.decode(Connection.self, from: connection),
            let state = try? decoder.decode(Health.self, from: health)
        else { throw Failure(.dataError, "the running relay speaks of its state in words unknown") }
        if arguments.has("json") {
            Console.output(
                "{\"running\":true,\"address\":\"\(address)\",\"connection\":"
                    + String(decoding: connection, as: UTF8.self) + ",\"health\":"
                    + String(decoding: health, as: UTF8.self) + "}")
        } else {
            Console.output("relay       http://\(address) (\(state.status))")
            Console.output("data        \(settings.data)")
            Console.output("account     \(words(account))")
            Console.output("queue       \(state.queued) queued, \(state.refused) refused")
            for alarm in state.alarms ?? [] { Console.output("alarm       \(alarm)") }
        }
        return state.status == "ok" ? .ok : .unavailable
    }

    private func words(_ account: Connection) -> String {
        guard let kind = account.kind else { return "none; see 'beemed-relay connect --help'" }
        let user = account.user ?? "a user not heard of yet"
        let token = kind == "accessToken" ? "by OAuth" : "by personal token"
        let source = account.source == "environment" ? ", from the environment" : ""
        return "\(user), \(token)\(source): \(account.state)"
    }

    private func describeStopped() throws(Failure) {
        let account =
            Account(environment: environment) == nil
            ? try RelayStore(folder: settings.data).accounts.load() : nil
        let isConnected = account != nil || Account(environment: environment) != nil
        if arguments.has("json") {
            Console.output("{\"running\":false,\"connected\":\(isConnected)}")
        } else {
            Console.output("relay       not running")
            Console.output("data        \(settings.data)")
            let user = account.map { $0.isVerified ? $0.user : nil } ?? nil
            let saved = "connected, not verified yet"
            Console.output("account     \(isConnected ? user ?? saved : "none")")
        }
    }
}

import BeemedDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay status`: the relay of a data folder, its account, its health, its settings.
struct StatusCommand {
    /// The answer to `GET /connection`.
    private struct Connection: Decodable {
        var state: String
        var user: String?
        var kind: String?
        var source: String?
        var detail: String?
    }

    /// The answer to `GET /healthz`.
    private struct Health: Decodable {
        var status: String
        /// `follower` for a relay of a cluster that another one leads.
        var role: String?
        var leader: String?
        /// Nil at a follower.
        var queued: Int?
        var refused: Int?
        /// Datapoints that wait to be deleted; nil at an earlier version.
        var deletions: Int?
        var sync: String?
        var alarms: [String]?

        /// Whether nothing is wrong but that no account was connected yet, as at the first start.
        var isNew: Bool {
            sync == SyncState.notConnected.rawValue && alarms?.count == 1 && queued == 0
                && refused == 0 && deletions ?? 0 == 0
        }
    }

    /// The answer to `GET /settings`.
    private struct Shown: Codable {
        var settings: [SettingOrigin]
        /// Added by this command.
        var warnings: [String]?
    }

    private let invocation: Invocation
    private let data: String

    init(_ invocation: Invocation) throws(Failure) {
        let place = invocation.place()
        data = place.folder
        self.invocation = try invocation.at(place)
    }

    /// - Returns: 69 when no relay runs or it is not healthy, for scripts.
    func run() throws(Failure) -> ExitCode {
        let running = try RunningRelay(data: data)
        if invocation.arguments.has("ready") {
            let ready = try RunningRelay.needed(on: data).send("GET", "/readyz", Data())
            ready.data.print()
            return ready.status == 200 ? .ok : .unavailable
        }
        if invocation.arguments.has("settings") { return try showSettings(running) }
        guard let running else {
            try describeStopped()
            return .unavailable
        }
        let connection = try running.call("GET", "/connection")
        let health = try running.call("GET", "/healthz", accepting: [200, 503])
        return try describe(running.shown, connection, health)
    }

    /// The settings of the running relay, or those with which one would start here.
    private func showSettings(_ running: RunningRelay?) throws(Failure) -> ExitCode {
        var shown = Shown(settings: invocation.settings.origins)
        if let running { shown = try running.call("GET", "/settings").decoded(Shown.self) }
        let settings = invocation.settings
        guard !invocation.wantsJSON else {
            shown.warnings = settings.warnings.isEmpty ? nil : settings.warnings
            invocation.printJSON(shown)
            return .ok
        }
        for warning in settings.warnings { Console.notice(warning) }
        let ofStart =
            settings.startFaults.isEmpty
            ? "no relay runs; these are the settings of a start"
            : "no relay runs, and a start would fail until \(ConfigFile.name) is corrected"
        Console.notice(running == nil ? ofStart : "the running relay")
        Console.table(
            ["SETTING", "VALUE", "FROM"],
            shown.settings.map { [$0.name, $0.value, StatusCommand.words($0)] })
        return .ok
    }

    private static func words(_ setting: SettingOrigin) -> String {
        let known = Setting.all.first { $0.name == setting.name }
        return switch setting.from {
        case .option: "--\(setting.name)"
        case .environment: known?.variable ?? "environment"
        case .config: ConfigFile.name
        case .default: "default"
        }
    }

    private func describe(
        _ address: String, _ connection: Data, _ health: Data
    ) throws(Failure) -> ExitCode {
        let account = try connection.decoded(Connection.self)
        let state = try health.decoded(Health.self)
        if invocation.wantsJSON {
            let (connection, health) = (StatusCommand.line(connection), StatusCommand.line(health))
            Console.output(
                json: "{\"running\":true,\"address\":\"\(address)\",\"connection\":\(connection),"
                    + "\"health\":\(health)}")
        } else {
            let health = state.isNew ? "no account yet" : state.status
            Console.output("relay       http://\(address) (\(health))")
            Console.output("data        \(data)")
            Console.output("account     \(Console.plain(words(account)))")
            if state.role == "follower" {
                Console.output("cluster     follows \(state.leader ?? "nobody")")
            }
            if let queued = state.queued, let refused = state.refused {
                let queue = JournalQueue(
                    presses: queued, deletions: state.deletions ?? 0, refused: refused)
                Console.output("queue       \(StatusCommand.words(queue))")
            }
            for alarm in state.alarms ?? [] {
                Console.output("alarm       \(Console.plain(RunningRelay.words(alarm)))")
            }
        }
        return state.status == "ok" || state.isNew ? .ok : .unavailable
    }

    private static func line(_ json: Data) -> String {
        String(decoding: json, as: UTF8.self).trimmed
    }

    private func words(_ account: Connection) -> String {
        guard let kind = account.kind else { return "none; run 'beemed-relay connect'" }
        let user = account.user ?? "a user not heard of yet"
        let token = kind == "accessToken" ? "by OAuth" : "by personal token"
        let source = account.source == "environment" ? ", from the environment" : ""
        if account.state == SyncState.signInAgain.rawValue, let fault = account.detail {
            return fault
        }
        return "\(user), \(token)\(source): \(StatusCommand.words(account.state))"
    }

    /// A state of the account, and what to do about it. Another version may know other states.
    private static func words(_ state: String) -> String {
        switch SyncState(rawValue: state) {
        case .offline: "Beeminder cannot be reached; presses wait"
        case .unverified: "not verified yet: Beeminder has not said whose the token is"
        case .signInAgain: "Beeminder refuses the token; run 'beemed-relay connect'"
        case .diskFull: "the disk is full; free some space"
        case .online, .notConnected, nil: state
        }
    }

    /// `1 press waits, 1 deletion waits, 0 refused`.
    private static func words(_ queue: JournalQueue) -> String {
        func waits(_ count: Int, _ one: String, _ many: String) -> String {
            count == 1 ? "1 \(one) waits, " : "\(count) \(many) wait, "
        }
        let deletions =
            queue.deletions > 0 ? waits(queue.deletions, "deletion", "deletions") : ""
        return waits(queue.presses, "press", "presses") + deletions + "\(queue.refused) refused"
    }

    /// What waits in the folder of a relay that does not run; nil when it has no journal here, or
    /// it cannot be read.
    private var queueOfStopped: JournalQueue? {
        let store = RelayStore(folder: data)
        guard let disk = try? SystemDisk(dataFolder: data) else { return nil }
        return JournalQueue(in: disk, isUsed: store.isUsed, store: store.storeName())
    }

    private func describeStopped() throws(Failure) {
        let environment = invocation.environment
        let account =
            Account(environment: environment) == nil
            ? try RelayStore(folder: data).accounts.load() : nil
        let isConnected = account != nil || Account(environment: environment) != nil
        if invocation.wantsJSON {
            let queue = queueOfStopped.map {
                ",\"queued\":\($0.presses),\"deletions\":\($0.deletions),\"refused\":\($0.refused)"
            }
            Console.output(
                json: "{\"running\":false,\"connected\":\(isConnected)\(queue ?? "")}")
        } else {
            let start = DataPlace.start(on: data)
            Console.output("relay       not running; start it with '\(start)'")
            Console.output("data        \(data)")
            let user = account.map { $0.isVerified ? $0.user : nil } ?? nil
            let saved = "connected, not verified yet"
            let none = "none; run 'beemed-relay connect'"
            let fault = Account(environment: environment)?.faultOfEnvironment
            Console.output("account     \(fault ?? (isConnected ? user ?? saved : none))")
            if let queue = queueOfStopped {
                Console.output("queue       \(StatusCommand.words(queue))")
            }
        }
    }
}

import BeemedDomain
import RelayHTTP
import RelayTrunk

/// `beemed-relay status`: the relay of a data folder, its account, its health, its settings.
struct StatusCommand: CommandAction {
    let invocation: Invocation
    private var data: String { invocation.settings.data }

    /// - Returns: 69 when no relay runs or the relay is not healthy, for scripts.
    func run() throws(Failure) -> ExitCode {
        let running = try RunningRelay(data: data)
        if invocation.arguments.has("ready") {
            let ready = try RunningRelay.needed(on: data).send("GET", "/readyz")
            try RelayAnswer(ready.body).print()
            return ready.status == 200 ? .ok : .unavailable
        }
        if invocation.arguments.has("settings") { return try showSettings(running) }
        if let running { return try describe(running) }
        try describeStopped()
        return .unavailable
    }

    /// The settings of the running relay, or those with which one would start here.
    private func showSettings(_ running: RunningRelay?) throws(Failure) -> ExitCode {
        let settings = invocation.settings
        let saved = JSONMembers(["settings": settings.origins]).bytes
        let shown =
            if let running { try running.call("GET", "/settings") } else { try RelayAnswer(saved) }
        guard !invocation.wantsJSON else {
            var members: [String: any Encodable] = ["settings": shown["settings"].tree]
            if !settings.warnings.isEmpty { members["warnings"] = settings.warnings }
            Console.json(members)
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
            shown["settings"].list.map { setting in
                let (name, from) = (setting["name"].text, setting["from"].text)
                let variable = Setting.all.first { $0.name == name }?.variable
                let origins = [
                    "option": "--\(name)", "environment": variable, "config": ConfigFile.name,
                ]
                return [name, setting["value"].text, origins[from, default: from] ?? from]
            })
        return .ok
    }

    private func describe(_ running: RunningRelay) throws(Failure) -> ExitCode {
        // Asked first, so that the account is no older than its alarm.
        let health = try running.health()
        let account = try running.call("GET", "/connection")
        // Nothing is wrong but that no account was connected yet, as at the first start.
        let isNew =
            health["sync"].text == SyncState.notConnected.rawValue
            && health["alarms"].list.count == 1
            && ["queued", "refused", "deletions"].allSatisfy { health[$0].number ?? 0 == 0 }
        if invocation.wantsJSON {
            Console.json([
                "running": true, "address": running.shown, "connection": account.tree,
                "health": health.tree,
            ])
        } else {
            let isFollower = health["role"].text == "follower"
            let state = isNew ? "no account yet" : health["status"].text
            let alarms = health["alarms"].list.map { ("alarm", RunningRelay.words($0.text)) }
            let queue = health["queued"].whole.map { queued in
                (
                    presses: Int(queued), deletions: Int(health["deletions"].whole ?? 0),
                    refused: Int(health["refused"].whole ?? 0)
                )
            }
            Console.pairs(
                [
                    ("relay", "http://\(running.shown) (\(state))"), ("data", data),
                    ("account", words(account)),
                    ("cluster", isFollower ? "follows \(health["leader"].words ?? "nobody")" : nil),
                    ("queue", queue.map(StatusCommand.words)),
                ] + alarms)
        }
        return health["status"].text == "ok" || isNew ? .ok : .unavailable
    }

    private func words(_ account: RelayAnswer) -> String {
        guard let kind = account["kind"].words else { return ConnectedAccount?.none.words }
        let state = account["state"].text
        if state == SyncState.signInAgain.rawValue, let fault = account["detail"].words {
            return fault
        }
        let user = account["user"].words ?? "a user not heard of yet"
        let token = kind == "accessToken" ? "by OAuth" : "by personal token"
        let source = account["source"].text == "environment" ? ", from the environment" : ""
        return "\(user), \(token)\(source): \(StatusCommand.words(state))"
    }

    /// A state of the account, and the next step. Another version may know other states.
    private static func words(_ state: String) -> String {
        switch SyncState(rawValue: state) {
        case .offline: "Beeminder cannot be reached; presses wait"
        case .unverified: ConnectedAccount.unverified
        case .signInAgain: "Beeminder refuses the token; run 'beemed-relay connect'"
        case .diskFull: "the disk is full; free some space"
        case .online, .notConnected, nil: state
        }
    }

    /// `1 press waits, 1 deletion waits, 0 refused`.
    private static func words(_ queue: Journal.OpenWork) -> String {
        func waits(_ count: Int, _ one: String, _ many: String) -> String {
            count == 1 ? "1 \(one) waits, " : "\(count) \(many) wait, "
        }
        let deletions =
            queue.deletions > 0 ? waits(queue.deletions, "deletion", "deletions") : ""
        return waits(queue.presses, "press", "presses") + deletions + "\(queue.refused) refused"
    }

    private func describeStopped() throws(Failure) {
        let store = RelayStore(folder: data)
        let account = try store.account(.given(in: invocation.environment))
        // Nil without a readable journal.
        let queue = (try? SystemDisk(dataFolder: data)).flatMap {
            Journal.openWork(in: $0, isUsed: store.isUsed, store: store.storeName())
        }
        if invocation.wantsJSON {
            var members: [String: any Encodable] = ["running": false, "connected": account != nil]
            if let queue {
                members["queued"] = queue.presses
                members["deletions"] = queue.deletions
                members["refused"] = queue.refused
            }
            return Console.json(members)
        }
        Console.pairs([
            ("relay", "not running; start it with '\(DataFolderLocator.start(on: data))'"),
            ("data", data),
            ("account", account.words),
            ("queue", queue.map(StatusCommand.words)),
        ])
    }
}

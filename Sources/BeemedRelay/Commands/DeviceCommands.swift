import BeemedDomain
import RelayHTTP
import RelayTrunk

enum DeviceCommands {
    static let all = [
        CommandSpec(
            "device add NAME", "make a device and print its token",
            options: [
                CommandOption("--goals A,B", "the only goals it may log to", .list),
                CommandOption(
                    "--can RIGHTS", "any of log, read, health and manage (default log,read)", .list),
                CommandOption("--goal GOAL", "the goal of a press that names none"),
                CommandOption("--value V", "the value of a press that has none", .number),
                CommandOption(
                    "--expect TIME", "remind when it is silent for longer, as in 1d or 12h"),
                CommandOption("--strict", "refuse presses with unknown fields"), .json, .data,
            ],
            about: [
                "The token is printed alone on standard output, this once. With --goal and "
                    + "--value an empty press is enough. A device that is removed and added again "
                    + "is another one, also under the same name: what its predecessor sent is "
                    + "neither seen nor undone by it.",
                "Works whether a relay runs on that data folder or not.",
            ], examples: ["device add kitchen --goals water,pushups"]
        ).runs(DeviceCommand.add),
        CommandSpec(
            "device list", "show devices, and when each was last seen", options: [.json, .data],
            about: [
                "EMPTY PRESS is what a press without a value or a goal is.", CommandSpec.columns,
            ]
        ).runs(DeviceCommand.list),
        CommandSpec("device rotate NAME", "give a device another token", options: [.json, .data])
            .runs(DeviceCommand.rotate),
        CommandSpec("device remove NAME", "shut a device out", options: [.data]).runs(
            DeviceCommand.remove),
        CommandSpec(
            "device export [NAME ...]", "print devices for another relay", options: [.data],
            about: [
                "A JSON object a line: all devices, or the named ones. No token is in them, only "
                    + "its SHA-256."
            ]
        ).runs(DeviceCommand.export),
        CommandSpec(
            "device import", "take over devices of another relay", options: [.data],
            about: [
                "Reads what 'device export' prints from standard input, so that both relays know "
                    + "the same devices, and a press sent to both is one datapoint."
            ], examples: ["device import < devices.jsonl"]
        ).runs(DeviceCommand.adopt),
        CommandSpec(
            "device expect NAME TIME", "be reminded when a device is silent",
            members: ["TIME": "expect"], options: [.data],
            about: ["TIME is the longest silence, as in 1d, 12h or 30m, or off."],
            examples: ["device expect kitchen 1d"]
        ).runs(DeviceCommand.expect),
    ]
}

/// Devices at the relay that runs on the folder, or in the folder itself when none runs.
private struct DeviceCommand: CommandAction {
    private let invocation: Invocation
    private let running: RunningRelay?
    private var folder: String { invocation.settings.data }
    private var arguments: Arguments { invocation.arguments }
    private var name: String { arguments.words[0] }

    init(invocation: Invocation) throws(Failure) {
        self.invocation = invocation
        running = try RunningRelay(data: invocation.settings.data)
    }

    /// Asks the running relay for a member of its answer, or changes the folder.
    private func ask(
        _ method: String, _ path: String, for member: String,
        orElse change: (inout DeviceBook) throws(Problem) -> String
    ) throws(Failure) -> String {
        if let running {
            return try invocation.ask(method, path, at: running)[member].text
        }
        return try StoppedRelay.change(folder) { (store) throws(Failure) in
            var devices = try store.devices()
            let result: String
            do throws(Problem) { result = try change(&devices) } catch {
                throw Failure(.usage, error.detail)
            }
            try save(devices, store)
            return result
        }
    }

    private func save(_ devices: DeviceBook, _ store: RelayStore) throws(Failure) {
        guard store.save(devices, as: .devices, .standard) else {
            throw Failure(.ioError, "the devices could not be saved")
        }
    }

    // MARK: Tokens

    func add() throws(Failure) -> ExitCode {
        let token = try ask("POST", "/devices", for: "token") { (book) throws(Problem) in
            try book.add(
                name: name, rights: rights, goals: list("goals"), goal: arguments["goal"],
                value: arguments["value"].flatMap(Double.init), strict: arguments.has("strict"),
                expect: arguments["expect"]
            ).text
        }
        tell(token)
        warn(of: (list("goals") ?? []) + [arguments["goal"]].compactMap(\.self), name)
        return .ok
    }

    func rotate() throws(Failure) -> ExitCode {
        let token = try ask("POST", "/devices/{NAME}/rotate", for: "token") {
            (book) throws(Problem) in try book.rotate(name).text
        }
        tell(token)
        return .ok
    }

    private var rights: [String] { list("can") ?? ["log", "read"] }

    private func list(_ option: String) -> [String]? {
        arguments[option].map { $0.split(separator: ",").map(String.init) }
    }

    /// Prints a token alone on standard output, for scripts; on a terminal also a line to try it.
    private func tell(_ token: String) {
        if invocation.wantsJSON {
            Console.json(["name": name, "token": token])
        } else {
            Console.output(token)
        }
        guard Console.isTerminal, rights.contains(Right.log.rawValue) else { return }
        let address = running?.shown ?? "\(FirstSteps.address(of: invocation.settings.listen))"
        let known = try? running?.call("GET", "/context?limit=1")["pinnedGoals"].list.first
        let goal = arguments["goal"] ?? list("goals")?.first ?? known?["slug"].words
        let start = running == nil ? "When the relay runs, try" : "Try"
        Console.error(
            """
            The token is shown this once. \(start) it, from any machine at home:
              \(FirstSteps.curl(address, token: token, goal: goal))
            """)
    }

    // MARK: Changes

    func remove() throws(Failure) -> ExitCode {
        let waiting = try ask("DELETE", "/devices/{NAME}", for: "waiting") {
            (book) throws(Problem) in
            try book.remove(name)
            return ""
        }
        let presses =
            switch waiting {
            case "": "; presses of it that wait are still delivered"
            case "0": ""
            case "1": "; 1 press of it waits and is still delivered"
            default: "; \(waiting) presses of it wait and are still delivered"
            }
        Console.output(
            "\(name) is shut out\(presses). Added again, it counts as another device: what it "
                + "sends again counts again.")
        return .ok
    }

    func expect() throws(Failure) -> ExitCode {
        let time = arguments.words[1]
        _ = try ask("PUT", "/devices/{NAME}/expect", for: "expect") {
            (book) throws(Problem) in
            try book.expect(time, of: name)
            return ""
        }
        Console.output(
            time == "off"
                ? "\(name) may be silent: no reminder says so"
                : "a reminder comes when \(name) has been silent for \(time)")
        return .ok
    }

    // MARK: Lists

    /// Name, rights, goals, meaning of an empty press, and last request.
    func list() throws(Failure) -> ExitCode {
        let answer = if let running { try running.call("GET", "/devices") } else { try saved() }
        return invocation.show(answer) { answer in
            let devices = answer["devices"].list
            if devices.isEmpty {
                Console.notice("there are no devices; make one: beemed-relay device add NAME")
            }
            Console.table(
                ["DEVICE", "RIGHTS", "GOALS", "EMPTY PRESS", "LAST SEEN"],
                devices.map { device in
                    let goal = device["goal"].words.map { " to \($0)" } ?? ""
                    return [
                        device["name"].text, device["can"].text, device["goals"].words ?? "all",
                        device["value"].signed + goal,
                        device["lastSeen"].isTrue ? device["lastSeen"].time : "never",
                    ]
                })
        }
    }

    private func saved() throws(Failure) -> RelayAnswer {
        let store = RelayStore(folder: folder)
        let seen = LastSeen(store.saved(.lastSeen, [String: Int64].self) ?? [:])
        let devices = try store.devices()
        return try RelayAnswer(JSONWriter.object { devices.write(to: &$0, seen) })
    }

    /// The file is what a running relay has saved, so it is read in any case.
    func export() throws(Failure) -> ExitCode {
        guard invocation.settings.cluster.store == nil else {
            throw Failure(
                .config, "the devices are in the cluster's store, where each of its relays has them"
            )
        }
        let book = try RelayStore(folder: folder).devices()
        for line in try book.lines(arguments.words) { Console.output(line) }
        return .ok
    }

    func adopt() throws(Failure) -> ExitCode {
        let devices = try DeviceBook.devices(in: try Invocation.standardInput())
        let lines: [String]
        if let running {
            var book = try RelayStore(folder: folder).devices()
            lines = try book.adopt(devices)
            for device in devices {
                let body = device.json ?? []
                let path = "/devices/\(device.name)"
                _ = try running.call("PUT", path, content: body)
            }
        } else {
            lines = try StoppedRelay.change(folder) { (store) throws(Failure) in
                var book = try store.devices()
                let lines = try book.adopt(devices)
                try save(book, store)
                return lines
            }
        }
        for line in lines { Console.output(line) }
        for device in devices {
            warn(of: (device.goals ?? []) + [device.goal].compactMap(\.self), "\(device.name)")
        }
        return .ok
    }

    /// Warns of a device's goals that the account does not have, once Beeminder has told the goals.
    /// They are not refused, since a goal may be made later. But a mistyped name would show only
    /// when the device's presses are refused.
    private func warn(of names: [String], _ device: String) {
        let store = RelayStore(folder: folder)
        let goals = store.goals()
        let unknown = names.compactMap(GoalSlug.init).filter { goal in
            goals.isKnown && goals[goals.current(goal)] == nil
        }
        guard !unknown.isEmpty else { return }
        // The relays of a cluster have presets elsewhere, so a running one is asked.
        let asked = try? running?.call("GET", "/presets")["presets"].list.map { $0["name"].text }
        let presets = asked ?? store.saved(Preset.self).sorted.map(\.name)
        var seen: Set<GoalSlug> = []
        for goal in unknown where !presets.contains("\(goal)") && seen.insert(goal).inserted {
            let hint = goals.suggestion(for: goal).map { "; did you mean '\($0)'?" } ?? ""
            Console.notice("'\(device)' may log to '\(goal)', which is none of your goals\(hint)")
        }
        guard !seen.isEmpty else { return }
        Console.notice(
            "make that goal at Beeminder, or remove the device and add it again: "
                + "beemed-relay device remove \(device)")
    }
}

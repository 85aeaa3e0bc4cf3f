import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay device`: calls the relay that runs on the folder, or changes the folder itself
/// when none runs.
struct DeviceCommand {
    private enum Verb {
        case add(String), rotate(String), remove(String)
        /// How long a device may be silent.
        case expect(String, String)
        case list
        /// All devices when none is named.
        case export([String])
        case `import`([DeviceRecord])
    }

    private struct Made: Decodable {
        var token: String
    }

    /// The answer to the removal of a device.
    private struct Removed: Decodable {
        /// How many of its presses wait; nil at an earlier version.
        var waiting: Int?
    }

    private struct Listed: Codable {
        struct Device: Codable {
            var name: String
            var can: [String]
            var goals: [String]?
            var goal: String?
            var value: Double?
            var lastSeen: Int64?
        }
        var devices: [Device]
    }

    private let invocation: Invocation
    private let word: String
    private let folder: String
    private var arguments: Arguments { invocation.arguments }

    /// - Parameter word: `add`, `list`, `rotate`, `remove`, `expect`, `export` or `import`.
    init(_ invocation: Invocation, _ word: String) throws(Failure) {
        let place = invocation.place()
        folder = place.folder
        self.invocation = try invocation.at(place)
        self.word = word
    }

    /// Calls the relay that runs on the folder, or changes the folder.
    func run() throws(Failure) -> ExitCode {
        let verb = try verb()
        let store = RelayStore(folder: folder)
        if case .export(let names) = verb {
            // The file is what a running relay has saved, so it is read in any case.
            for line in try DeviceRecord.lines(of: store.devices(), names) { Console.output(line) }
            return .ok
        }
        let running = try RunningRelay(data: folder)
        if case .list = verb {
            let devices = if let running { try listed(running) } else { try listed(in: store) }
            try show(devices)
            return .ok
        }
        let lines =
            if let running {
                try ask(running, verb)
            } else {
                try StoppedRelay.change(folder) { (store) throws(Failure) in
                    try change(store, verb)
                }
            }
        switch verb {
        case .add(let name), .rotate(let name): tell(name, lines[0], running)
        default: for line in lines { Console.output(line) }
        }
        warn(verb, GoalWarning(store, running))
        return .ok
    }

    /// Warns of goals that are none of the account's.
    private func warn(_ verb: Verb, _ warning: GoalWarning) {
        switch verb {
        case .add(let name):
            let goals = (list("goals") ?? []) + [arguments["goal"]].compactMap(\.self)
            warning.print(about: goals, of: name)
        case .import(let records):
            for record in records {
                let goals = (record.goals ?? []) + [record.goal].compactMap(\.self)
                warning.print(about: goals, of: record.name)
            }
        case .rotate, .remove, .expect, .list, .export: break
        }
    }

    private func verb() throws(Failure) -> Verb {
        for (name, example) in [("goals", "water,pushups"), ("can", "log,read")]
        where list(name)?.isEmpty == true {
            throw Failure(
                .usage,
                "--\(name) names nothing, so the token could do nothing; leave it out, or write "
                    + "it as in --\(name) \(example)")
        }
        let words = arguments.words
        switch word {
        case "add": return .add(words[0])
        case "rotate": return .rotate(words[0])
        case "remove": return .remove(words[0])
        case "expect": return .expect(words[0], words[1])
        case "export": return .export(words)
        case "import":
            return .import(try DeviceRecord.records(in: try Invocation.standardInput()))
        default: return .list
        }
    }

    /// Prints a token alone on standard output, for scripts; on a terminal also, on standard error,
    /// a line that tries it.
    private func tell(_ name: String, _ token: String, _ running: RunningRelay?) {
        if invocation.wantsJSON {
            Console.json(["name": name, "token": token])
        } else {
            Console.output(token)
        }
        guard Console.isTerminal else { return }
        let start = running == nil ? "When the relay runs, try" : "Try"
        Console.error(
            """
            The token is shown this once. \(start) it, from any machine at home:
              \(trial(of: token, running))
            """)
    }

    /// A line that uses a right of the token.
    private func trial(of token: String, _ running: RunningRelay?) -> String {
        let address = running?.shown ?? "\(FirstSteps.shown(invocation.settings.listen))"
        guard rights.contains(Right.log.rawValue) else {
            return rights.contains(Right.health.rawValue)
                ? FirstSteps.curlHealth(address, token: token)
                : FirstSteps.curlContext(address, token: token)
        }
        let given = arguments["goal"] ?? list("goals")?.first
        return FirstSteps.curl(address, token: token, goal: given ?? goal(of: running))
    }

    /// One of the user's goals, so that the line works as it stands; nil when none is known.
    private func goal(of running: RunningRelay?) -> String? {
        struct Context: Decodable {
            struct Goal: Decodable {
                var slug: String
            }
            var pinnedGoals: [Goal]
        }
        let answer = try? running?.call("GET", "/context?limit=1")
        return (try? answer?.decoded(Context.self))?.pinnedGoals.first?.slug
    }

    private func show(_ listed: Listed) throws(Failure) {
        guard !invocation.wantsJSON else {
            return invocation.printJSON(listed)
        }
        if listed.devices.isEmpty {
            Console.notice("there are no devices; make one: beemed-relay device add NAME")
        }
        Console.table(
            ["DEVICE", "RIGHTS", "GOALS", "EMPTY PRESS", "LAST SEEN"], listed.devices.map(row))
    }

    private func listed(_ running: RunningRelay) throws(Failure) -> Listed {
        try running.call("GET", "/devices").decoded(Listed.self)
    }

    private func listed(in store: RelayStore) throws(Failure) -> Listed {
        let seen = LastSeen(store.saved(.lastSeen, [String: Int64].self) ?? [:])
        return Listed(
            devices: try store.devices().devices.map { device in
                Listed.Device(
                    name: device.name, can: device.rights.map(\.rawValue), goals: device.goals,
                    goal: device.goal, value: device.value, lastSeen: seen.time(of: device))
            })
    }

    // MARK: The running relay

    private func ask(_ running: RunningRelay, _ verb: Verb) throws(Failure) -> [String] {
        switch verb {
        case .add(let name):
            var body: [String: any Encodable] = ["name": name, "can": rights]
            body["goals"] = list("goals")
            body["goal"] = arguments["goal"]
            body["value"] = try value
            body["expect"] = arguments["expect"]
            if arguments.has("strict") { body["strict"] = true }
            return [try token(try running.call("POST", "/devices", body))]
        case .rotate(let name):
            return [try token(try running.call("POST", "/devices/\(name.asPathSegment)/rotate"))]
        case .remove(let name):
            let answer = try running.call("DELETE", "/devices/\(name.asPathSegment)")
            return [DeviceCommand.farewell(name, waiting: try answer.decoded(Removed.self).waiting)]
        case .expect(let name, let time):
            let path = "/devices/\(name.asPathSegment)/expect"
            _ = try running.call("PUT", path, ["expect": time])
            return [DeviceCommand.expectation(name, time)]
        case .list, .export: return []
        case .import(let records): return try adopt(records, by: running)
        }
    }

    /// Has the running relay adopt devices; none of them on a conflict.
    private func adopt(
        _ records: [DeviceRecord], by running: RunningRelay
    ) throws(Failure) -> [String] {
        var book = try RelayStore(folder: folder).devices()
        let lines = try DeviceRecord.adopt(records, in: &book)
        for record in records {
            _ = try running.call("PUT", "/devices/\(record.name)", record.members)
        }
        return lines
    }

    private func token(_ answer: Data) throws(Failure) -> String {
        try answer.decoded(Made.self).token
    }

    /// What becomes of a device that was removed.
    ///
    /// - Parameter waiting: how many of its presses wait; nil when that is not known.
    private static func farewell(_ name: String, waiting: Int?) -> String {
        let presses =
            switch waiting {
            case nil: "; presses of it that wait are still delivered"
            case 0?: ""
            case 1?: "; 1 press of it waits and is still delivered"
            case let count?: "; \(count) presses of it wait and are still delivered"
            }
        return "\(name) is shut out\(presses). Added again, it counts as another device: what it "
            + "sends again counts again."
    }

    private static func expectation(_ name: String, _ time: String) -> String {
        time == "off"
            ? "\(name) may be silent: no reminder says so"
            : "a reminder comes when \(name) has been silent for \(time)"
    }

    // MARK: The folder

    private func change(_ store: RelayStore, _ verb: Verb) throws(Failure) -> [String] {
        var devices = try store.devices()
        let value = try value
        var lines: [String] = []
        do throws(DeviceFault) {
            switch verb {
            case .add(let name):
                let token = try devices.add(
                    name: name, rights: rights, goals: list("goals"), goal: arguments["goal"],
                    value: value, strict: arguments.has("strict"), expect: arguments["expect"])
                lines = [token.text]
            case .rotate(let name): lines = [try devices.rotate(name).text]
            case .remove(let name):
                try devices.remove(name)
                lines = [DeviceCommand.farewell(name, waiting: nil)]
            case .expect(let name, let time):
                try devices.expect(time, of: name)
                lines = [DeviceCommand.expectation(name, time)]
            case .list, .export, .import: break
            }
        } catch {
            throw Failure(.usage, error.advice)
        }
        if case .import(let records) = verb {
            lines = try DeviceRecord.adopt(records, in: &devices)
        }
        guard store.save(devices, as: .devices, .standard) else {
            throw Failure(.ioError, "the devices could not be saved")
        }
        return lines
    }

    private var rights: [String] { list("can") ?? ["log", "read"] }

    private func list(_ option: String) -> [String]? {
        arguments[option].map { $0.split(separator: ",").map(String.init) }
    }

    /// The value of a press that has none.
    private var value: Double? {
        get throws(Failure) {
            guard let text = arguments["value"] else { return nil }
            guard let value = Double(text), value.isFinite else {
                throw Failure(.usage, "--value '\(text)' is not a number")
            }
            return value
        }
    }

    /// Name, rights, goals, meaning of an empty press, and last request.
    private func row(_ device: Listed.Device) -> [String] {
        let value = (device.value ?? 1).signedText
        return [
            device.name, device.can.joined(separator: ","),
            device.goals?.joined(separator: ",") ?? "all",
            device.goal.map { "\(value) to \($0)" } ?? value,
            device.lastSeen.map(Console.localTime) ?? "never",
        ]
    }
}

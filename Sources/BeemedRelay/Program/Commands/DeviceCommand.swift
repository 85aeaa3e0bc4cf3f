import BeemedDomain
import Foundation
import RelayHTTP

/// `beemed-relay device`: calls the relay that runs on the folder, or changes the folder itself
/// when none runs.
struct DeviceCommand {
    private enum Verb {
        case add(String), rotate(String), remove(String), list
        /// All devices when none is named.
        case export([String])
        case `import`([DeviceRecord])
    }

    private struct Made: Decodable {
        var token: String
    }

    private struct Listed: Decodable {
        struct Device: Decodable {
            var name: String
            var can: [String]
            var goals: [String]?
            var goal: String?
            var value: Double?
            var lastSeen: Int64?
        }
        var devices: [Device]
    }

    private let arguments: Arguments
    private let settings: Settings

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(
            arguments, valued: ["data", "goals", "can", "goal", "value"], plain: ["help", "strict"])
        settings = try Settings(self.arguments, environment: environment)
    }

    /// Calls the relay that runs on the folder, or changes the folder.
    func run() throws(Failure) -> ExitCode {
        guard !arguments.has("help") else {
            Console.output(Usage.device)
            return .ok
        }
        let verb = try verb()
        if case .export(let names) = verb {
            // The file is what a running relay has saved, so it is read in any case.
            let book = try RelayStore(folder: settings.data).devices()
            for line in try DeviceRecord.lines(of: book, names) { Console.output(line) }
            return .ok
        }
        let lines =
            if let running = try RunningRelay(data: settings.data) {
                try ask(running, verb)
            } else {
                try change(try RelayFolder(settings.data).store, verb)
            }
        for line in lines { Console.output(line) }
        return .ok
    }

    private func verb() throws(Failure) -> Verb {
        let words = arguments.words
        switch (words.first, words.count) {
        case ("add", 2): return .add(words[1])
        case ("rotate", 2): return .rotate(words[1])
        case ("remove", 2): return .remove(words[1])
        case ("list", 1): return .list
        case ("export", _): return .export(Array(words.dropFirst()))
        case ("import", 1):
            return .import(
                try DeviceRecord.records(in: FileHandle.standardInput.readDataToEndOfFile()))
        default: throw Failure(.usage, "'device' needs a verb and a name\n\(Usage.device)")
        }
    }

    // MARK: The running relay

    private func ask(_ running: RunningRelay, _ verb: Verb) throws(Failure) -> [String] {
        switch verb {
        case .add(let name):
            var body: [String: Any] = ["name": name, "can": rights]
            body["goals"] = list("goals")
            body["goal"] = arguments["goal"]
            body["value"] = try value
            if arguments.has("strict") { body["strict"] = true }
            return [try token(try running.call("POST", "/devices", body))]
        case .rotate(let name):
            return [try token(try running.call("POST", "/devices/\(name)/rotate", nil))]
        case .remove(let name):
            _ = try running.call("DELETE", "/devices/\(name)", nil)
            return []
        case .list:
            let answer = try running.call("GET", "/devices", nil)
            guard let all = try? JSONDecoder().decode(Listed.self, from: answer) else {
                throw Failure(.software, "the relay's answer cannot be read")
            }
            return all.devices.map(line)
        case .export: return []
        case .import(let records): return try adopt(records, by: running)
        }
    }

    /// Has the running relay adopt devices; none of them on a conflict.
    private func adopt(
        _ records: [DeviceRecord], by running: RunningRelay
    ) throws(Failure) -> [String] {
        var book = try RelayStore(folder: settings.data).devices()
        let lines = try DeviceRecord.adopt(records, in: &book)
        for record in records {
            _ = try running.call("PUT", "/devices/\(record.name)", record.members)
        }
        return lines
    }

    private func token(_ answer: Data) throws(Failure) -> String {
        guard let made = try? JSONDecoder().decode(Made.self, from: answer) else {
            throw Failure(.software, "the relay's answer cannot be read")
        }
        return made.token
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
                    value: value, strict: arguments.has("strict"))
                lines = [token.text]
            case .rotate(let name): lines = [try devices.rotate(name).text]
            case .remove(let name): try devices.remove(name)
            case .export, .import: break
            case .list:
                let seen = LastSeen(store.lastSeen())
                return devices.devices.map { device in
                    line(
                        Listed.Device(
                            name: device.name, can: device.rights.map(\.rawValue),
                            goals: device.goals, goal: device.goal, value: device.value,
                            lastSeen: seen.time(of: device)))
                }
            }
        } catch {
            throw Failure(.usage, error.advice)
        }
        if case .import(let records) = verb {
            lines = try DeviceRecord.adopt(records, in: &devices)
        }
        guard store.save(devices, .standard) else {
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

    /// Name, rights, goals, meaning of an empty press, and last request, separated by tabs.
    private func line(_ device: Listed.Device) -> String {
        let goals = device.goals?.joined(separator: ",") ?? "all goals"
        let value = (device.value ?? 1).formatted(
            .number.grouping(.never).sign(strategy: .always()))
        let empty = "\(device.goal ?? "-") \(value)"
        let seen = device.lastSeen.map { "seen \(HTTPDate.text(Int($0)))" } ?? "never seen"
        return [device.name, device.can.joined(separator: ","), goals, empty, seen]
            .joined(separator: "\t")
    }
}

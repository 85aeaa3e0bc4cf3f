import BeemedDomain
import Foundation

/// `beemed-relay device add`.
struct DeviceCommand {
    private struct Made: Decodable {
        var token: String
    }

    private let arguments: Arguments
    private let settings: Settings

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(
            arguments, valued: ["data", "goals", "can"], plain: ["help"])
        settings = try Settings(self.arguments, environment: environment)
    }

    func run() throws(Failure) -> ExitCode {
        guard !arguments.has("help") else {
            Console.output(Usage.device)
            return .ok
        }
        guard arguments.words.count == 2, arguments.words[0] == "add" else {
            throw Failure(.usage, "'device' needs 'add NAME'\n\(Usage.device)")
        }
        Console.output(try add(arguments.words[1]))
        return .ok
    }

    private func add(_ name: String) throws(Failure) -> String {
        let rights = list("can") ?? ["log", "read"]
        guard let running = try RunningRelay(data: settings.data) else {
            return try addToFolder(name, rights)
        }
        var body: [String: Any] = ["name": name, "can": rights]
        body["goals"] = list("goals")
        let made = try running.call("POST", "/devices", body)
        guard let token = try? JSONDecoder().decode(Made.self, from: made).token else {
            throw Failure(.software, "the relay's answer cannot be read")
        }
        return token
    }

    private func addToFolder(_ name: String, _ rights: [String]) throws(Failure) -> String {
        let store = try RelayFolder(settings.data).store
        var devices = try store.devices()
        let token: Token
        do throws(DeviceFault) {
            token = try devices.add(name: name, rights: rights, goals: list("goals"))
        } catch {
            throw Failure(.usage, error.advice)
        }
        guard store.save(devices, .standard) else {
            throw Failure(.ioError, "the device could not be saved")
        }
        return token.text
    }

    private func list(_ option: String) -> [String]? {
        arguments[option].map { $0.split(separator: ",").map(String.init) }
    }
}

import BeemedDomain
import Foundation
import RelayHTTP

/// `beemed-relay demo`: a relay and a test server for Beeminder in one process.
struct DemoCommand {
    private var settings: Settings
    private let arguments: Arguments

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(
            arguments, valued: Settings.options, plain: Settings.flags)
        settings = try Settings(self.arguments, environment: environment)
        if self.arguments["data"] == nil { settings.data = try DemoCommand.temporaryFolder() }
        if self.arguments["listen"] == nil {
            settings.listen = Endpoint(Address([127, 0, 0, 1]), port: 2336)
        }
    }

    private static func temporaryFolder() throws(Failure) -> String {
        NSTemporaryDirectory() + "beemed-relay-demo-\(UUID().uuidString.prefix(8))"
    }

    func run() throws(Failure) -> ExitCode {
        guard !arguments.has("help") else {
            Console.output(Usage.demo)
            return .ok
        }
        Signals.prepare()
        defer {
            if arguments["data"] == nil {
                try? FileManager.default.removeItem(atPath: settings.data)
            }
        }
        let loop = Loop()
        let simulator = try DemoBeeminder.start(
            on: loop, Endpoint(Address([127, 0, 0, 1]), port: 0))
        var settings = settings
        settings.beeminderURL = "http://\(simulator.endpoint)/api/v1/"
        let folder = try RelayFolder(settings.data)
        let program = try RelayProgram(
            settings, folder, account: .personalToken(simulator.token), on: loop,
            log: Log(level: .warning) { Console.error($0) })
        let token = try folder.firstDevice(log: .standard)
        let endpoint = try program.listen(orElseAnywhere: arguments["listen"] == nil)
        Console.output("Listening on http://\(endpoint)")
        Console.output("The stand-in for Beeminder: http://\(simulator.endpoint)/")
        Console.output(FirstSteps.ownerLink(endpoint, program.ownerLink()))
        Console.output(
            FirstSteps.text(endpoint, token: token ?? "TOKEN", goal: simulator.goal))
        return program.run()
    }
}

import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay demo`: a relay and a test server for Beeminder in one process.
struct DemoCommand {
    private var settings: Settings
    private let environment: [String: String]
    /// Whether the data folder is removed at the end.
    private let isTemporary: Bool
    /// Whether another port will do when this one is in use.
    private let mayListenElsewhere: Bool

    init(_ invocation: Invocation) {
        settings = invocation.settings
        // The demo's reminders must not come to the user's own phone.
        settings.keepOwnAccountsOut()
        environment = invocation.environment
        isTemporary = invocation.arguments["data"] == nil
        mayListenElsewhere = invocation.arguments["listen"] == nil
        if isTemporary {
            settings.data =
                FileManager.default.temporaryDirectory.path
                + "/beemed-relay-demo-\(UUID().uuidString.prefix(8))"
        }
        if mayListenElsewhere {
            settings.listen = Endpoint(Address([127, 0, 0, 1]), port: 2336)
        }
    }

    func run() throws(Failure) -> ExitCode {
        Signals.prepare()
        let port = try RelayProgram.open(settings, orElseAnywhere: mayListenElsewhere)
        defer {
            if isTemporary { try? FileManager.default.removeItem(atPath: settings.data) }
            DataPlace.unlink(demo: settings.data, environment)
        }
        let loop = Loop()
        let simulator = try DemoBeeminder.start(
            on: loop, Endpoint(Address([127, 0, 0, 1]), port: 0))
        var settings = settings
        settings.beeminderURL = "http://\(simulator.endpoint)/api/v1/"
        settings.choose(.data, settings.data)
        settings.choose(.listen, "\(port.endpoint)")
        settings.choose(.beeminderURL, settings.beeminderURL)
        let folder = try RelayFolder(settings.data)
        // Presses are told by the simulator's lines, so the log is for what went wrong.
        let log = Log.standard
        log.change(settings.logLevel == .info ? .warning : settings.logLevel, settings.logFormat)
        let program = try RelayProgram(
            settings, folder, account: .personalToken(simulator.token), on: loop, log: log)
        let token = try folder.demoDevice(log: log)
        let endpoint = try program.listen(on: port)
        DataPlace.link(demo: settings.data, environment)
        let banner = Banner(settings: settings, endpoint: endpoint)
        Console.output(banner.ready)
        for line in banner.lines(account: "as alice, of the simulated Beeminder") {
            Console.output(line)
        }
        Console.output("Simulated Beeminder: http://\(simulator.endpoint)/")
        Console.output(FirstSteps.text(endpoint, token: token, goal: simulator.goal))
        Console.output(
            FirstSteps.linkText("http://\(FirstSteps.shown(endpoint))\(program.ownerLink())"))
        return program.run()
    }
}

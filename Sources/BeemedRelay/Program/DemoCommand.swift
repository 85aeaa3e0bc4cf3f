import BeemedDomain
import BeeminderSimulator
import Foundation
import RelayHTTP
import RelayTrunk

/// `beemed-relay demo`: a relay and a test server for Beeminder in one process.
struct DemoCommand: CommandAction {
    let invocation: Invocation
    private var isTemporary: Bool { invocation.arguments["data"] == nil }
    /// Whether another port will do when this one is in use.
    private var mayListenElsewhere: Bool { invocation.arguments["listen"] == nil }

    /// The settings, each time with another folder where none is named.
    private func chosenSettings() -> Settings {
        var settings = invocation.settings
        // The demo's reminders must not come to the user's own phone.
        settings.keepOwnAccountsOut()
        if isTemporary {
            settings.data =
                FileManager.default.temporaryDirectory.path
                + "/beemed-relay-demo-\(UUID().uuidString.prefix(8))"
        }
        if mayListenElsewhere {
            settings.listen = Endpoint(Address([127, 0, 0, 1]), port: 2336)
        }
        return settings
    }

    func run() throws(Failure) -> ExitCode {
        Signals.prepare()
        let environment = invocation.environment
        var settings = chosenSettings()
        let port = try RelayProgram.open(settings, orElseAnywhere: mayListenElsewhere)
        defer {
            if isTemporary { try? FileManager.default.removeItem(atPath: settings.data) }
            DataFolderLocator.unlink(demo: settings.data, environment)
        }
        let loop = Loop()
        let simulator = try DemoBeeminder.start(
            on: loop, Endpoint(Address([127, 0, 0, 1]), port: 0))
        settings.beeminderURL = "http://\(simulator.endpoint)/api/v1/"
        settings.choose(.data, settings.data)
        settings.choose(.listen, "\(port.endpoint)")
        settings.choose(.beeminderURL, settings.beeminderURL)
        let folder = try RelayFolder(settings.data)
        // Presses are told by the simulator's lines, so the log is for what went wrong.
        let log = Log.standard
        log.change(settings.logLevel == .info ? .warning : settings.logLevel, settings.logFormat)
        let program = try RelayProgram(
            settings, folder, account: .personalToken(simulator.token), leaves: invocation.leaves,
            on: loop, log: log)
        let token = try folder.store.firstDevice(log: log)
        let endpoint = program.listen(on: port)
        DataFolderLocator.link(demo: settings.data, environment)
        Console.output(Banner.ready(endpoint))
        Banner.show(settings, endpoint, account: "as alice, of the simulated Beeminder")
        Console.output("Simulated Beeminder: http://\(simulator.endpoint)/")
        Console.output(FirstSteps.text(endpoint, token: token, goal: simulator.goal))
        let link = "http://\(FirstSteps.address(of: endpoint))\(program.ownerLink())"
        Console.output(FirstSteps.linkText(link))
        Console.output(DemoCommand.closing(program: CommandLine.arguments[0], settings.data))
        if let show = DemoCommand.showing(link, isTerminal: Console.isTerminal, environment) {
            try? SystemTool(name: show[0]).call(Array(show.dropFirst()))
        }
        return program.run()
    }

    /// The last lines: what to do next, by commands that work as they stand, also outside of
    /// `PATH`.
    static func closing(program: String, _ data: String) -> String {
        let command = [program, "owner-link", "--data", data].map(shellWord).joined(separator: " ")
        return """
            Another link, from another terminal:
              \(command)
            Run the curl line in another terminal, too. Ctrl-C here ends the demo.
            """
    }

    private static func shellWord(_ word: String) -> String {
        word.wholeMatch(of: /[A-Za-z0-9_.:\/@+-]+/) == nil ? word.inShellQuotes : word
    }

    /// The command that opens an address in the user's browser; nil where no user would see that,
    /// as under a service manager, or over ssh. On Linux the browser gets a session of its own, so
    /// that Ctrl-C does not end it.
    static func showing(
        _ address: String, isTerminal: Bool, _ environment: [String: String]
    ) -> [String]? {
        guard isTerminal else { return nil }
        #if !os(Linux)
            return environment["SSH_CONNECTION"] == nil ? ["open", address] : nil
        #else
            let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0] ?? "" != "" }
            guard hasDisplay, SystemTool.file(of: "xdg-open") != nil else { return nil }
            return ["setsid", "--fork", "xdg-open", address]
        #endif
    }
}

/// `beemed-relay simulator`: only the test server for Beeminder.
enum SimulatorCommand {
    static func run(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let listen = invocation.arguments["listen"] ?? "127.0.0.1:2337"
        guard let endpoint = Endpoint(listen) else {
            throw Failure(.usage, "--listen '\(listen)' is not HOST:PORT, as in 127.0.0.1:2337")
        }
        Signals.prepare()
        let loop = Loop()
        let beeminder = try DemoBeeminder.start(on: loop, endpoint)
        Console.output("Listening on http://\(beeminder.endpoint)")
        Console.output("auth_token: \(beeminder.token)")
        Signals.watch {
            loop.post {
                beeminder.simulator.assumeIsolated { $0.drain { loop.stop() } }
            }
        }
        loop.run()
        return .ok
    }
}

/// A test server with a user and three goals, which prints the calls it receives.
struct DemoBeeminder {
    let simulator: Simulator
    let endpoint: Endpoint
    let token: String
    let goal = "pushups"

    static func start(on loop: Loop, _ endpoint: Endpoint) throws(Failure) -> DemoBeeminder {
        let token = "simulated-token"
        let now = Double(Instant.wallNanoseconds) / 1e9
        var world = SimulatedBeeminder.demo(authToken: token, zone: .current, at: now)
        world.style = String(decoding: EmbeddedFiles.pageStyle, as: UTF8.self)
        let simulator = Simulator(on: loop, world: world, onDatapoint: tell)
        do throws(ListenError) {
            let bound = try simulator.listen(on: endpoint)
            return DemoBeeminder(simulator: simulator, endpoint: bound, token: token)
        } catch {
            throw Failure(.unavailable, "\(error)")
        }
    }

    private static func tell(_ datapoint: PostedDatapoint) {
        let comment = datapoint.comment.isEmpty ? "" : " \"\(datapoint.comment)\""
        Console.output(
            "simulator: \(datapoint.goal) \(datapoint.value)\(comment) \(datapoint.status.rawValue)"
        )
    }
}

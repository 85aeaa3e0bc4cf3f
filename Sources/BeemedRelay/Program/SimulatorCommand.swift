import BeeminderSimulator
import RelayHTTP
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay simulator`: only the test server for Beeminder.
struct SimulatorCommand: CommandAction {
    private let endpoint: Endpoint

    init(invocation: Invocation) throws(Failure) {
        let listen = invocation.arguments["listen"] ?? "127.0.0.1:2337"
        guard let endpoint = Endpoint(listen) else {
            throw Failure(.usage, "--listen '\(listen)' is not HOST:PORT, as in 127.0.0.1:2337")
        }
        self.endpoint = endpoint
    }

    func run() throws(Failure) -> ExitCode {
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

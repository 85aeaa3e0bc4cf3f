import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator

/// A simulated Beeminder on a loop and a port of its own, with the goals of the demo.
final class RunningBeeminder: Sendable {
    static let token = "alices-token"
    let endpoint: Endpoint
    private let loop = Loop()
    private let simulator: Simulator
    private let postings = Postings()

    init(port: UInt16 = 0) throws {
        let now = Double(Instant.wallNanoseconds) / 1e9
        let world = SimulatedBeeminder.demo(
            authToken: RunningBeeminder.token, graphSeconds: 0, at: now)
        simulator = Simulator(
            on: loop, world: world, onDatapoint: { [postings] in postings.record($0) })
        let own = port == 0 ? try LoopbackPort.reserved() : port
        endpoint = try simulator.listen(on: Endpoint(Address([127, 0, 0, 1]), port: own))
        Thread { [loop] in loop.run() }.start()
    }

    deinit {
        loop.stop()
    }

    /// Stops listening, so that nobody is at its port any more.
    func stop() async {
        await withCheckedContinuation { done in
            loop.post { [simulator] in
                simulator.assumeIsolated { $0.drain { done.resume() } }
            }
        }
    }

    var base: String { "http://\(endpoint)" }

    /// The datapoints that came with a request id, in the order they came.
    func posted(to goal: String) async -> [SimulatedDatapoint] {
        await simulator.datapoints(of: goal).filter { $0.requestID != nil }
    }

    /// Changes its world.
    func change(_ body: @Sendable (inout SimulatedBeeminder) -> Void) async {
        await simulator.change(body)
    }

    /// Adds bob, whose token is `bobs-token`, with a goal of the same name as one of alice's.
    func addBob() async {
        await change { world in
            let now = Double(Instant.wallNanoseconds) / 1e9
            let bob = world.addUser("bob", authToken: "bobs-token", at: now)
            _ = world.add(GoalPlan(slug: "water", units: "l", rate: 1), to: bob, at: now)
        }
    }

    /// Bob's datapoints that came with a request id.
    var bobs: [SimulatedDatapoint] {
        get async {
            await simulator.change { world in
                world.users.filter { $0.username == "bob" }.flatMap(\.goals)
                    .flatMap(\.datapoints).filter { $0.requestID != nil }
            }
        }
    }

    /// Opens a page of it as a browser does.
    ///
    /// - Returns: where the browser is sent.
    func redirect(from url: String) async throws -> String {
        let target = try require(url.components(separatedBy: "\(endpoint)").last)
        let now = Double(Instant.wallNanoseconds) / 1e9
        let response = await simulator.change { world in
            world.respond(to: SimulatedCall(.get, target), at: now).response
        }
        return try require(response.field("Location"))
    }

    /// Changes its mood.
    func set(_ faults: [SimulatedFault]) async {
        await simulator.change { $0.faults = faults }
    }

    /// Waits until so many datapoints have come, over those goals together.
    ///
    /// - Returns: false on a hang.
    func awaitPosted(_ count: Int, to goals: [String]) async -> Bool {
        await postings.await(count, in: Set(goals))
    }
}

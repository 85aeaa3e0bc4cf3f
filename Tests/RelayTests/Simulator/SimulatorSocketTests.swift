import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import BeeminderSimulator

struct SimulatorSocketTests {
    /// A simulator on a loop of its own, gone when the body returns.
    private func serve(
        onDatapoint: @escaping @Sendable (PostedDatapoint) -> Void = { _ in },
        _ body: (Simulator, Endpoint) async throws -> Void
    ) async throws {
        let loop = Loop()
        let world = SimulatedBeeminder.demo(authToken: "t0ken", graphSeconds: 0, at: 1.8e9)
        let simulator = Simulator(
            on: loop, world: world, clock: { 1.8e9 }, onDatapoint: onDatapoint)
        let here = try require(Endpoint("127.0.0.1:0"))
        let bound = try simulator.listen(on: here)
        Thread { loop.run() }.start()
        defer { loop.stop() }
        try await body(simulator, bound)
    }

    /// - Returns: the status, 0 without a whole answer, and the body.
    private func call(
        _ endpoint: Endpoint, _ method: String, _ path: String, _ form: String = ""
    ) -> (status: Int, body: String, head: String) {
        let type = "Content-Type: application/x-www-form-urlencoded"
        return Client.call(endpoint, method, path, form, token: "-", fields: [type])
    }

    @Test func `takes a datapoint over a real connection`() async throws {
        let seen = Mutex<[PostedDatapoint]>([])
        let note: @Sendable (PostedDatapoint) -> Void = { datapoint in
            seen.withLock { $0.append(datapoint) }
        }
        try await serve(onDatapoint: note) { simulator, endpoint in
            let goals = "/api/v1/users/me/goals"
            let posted = call(
                endpoint, "POST", goals + "/pushups/datapoints.json",
                "auth_token=t0ken&value=5&comment=now&requestid=r1")
            expect(posted.status, is: 200)
            let listed = call(endpoint, "GET", goals + ".json?auth_token=t0ken&emaciated=true")
            expect(listed.body.hasPrefix(#"[{"slug":""#))
            let points = await simulator.datapoints(of: "pushups")
            expect(points.last?.comment, is: "now")
            expect(points.map(\.value), is: [20, 15, 20, 5])
        }
        expect(
            seen.withLock { $0 },
            is: [
                PostedDatapoint(
                    goal: "pushups", value: 5, comment: "now", requestID: "r1", status: .created)
            ])
    }

    @Test func `loses the answer to a datapoint that it took`() async throws {
        try await serve { simulator, endpoint in
            await simulator.change { world in
                world.faults = [
                    SimulatedFault(
                        .hangUp, isApplied: true, route: "datapoints", timing: .onCall(1)),
                    SimulatedFault(
                        .cutShort(bytes: 9), isApplied: true, route: "datapoints",
                        timing: .onCall(2)),
                ]
            }
            let path = "/api/v1/users/me/goals/water/datapoints.json"
            for requestID in ["r1", "r2"] {
                let form = "auth_token=t0ken&value=1&requestid=\(requestID)"
                expect(call(endpoint, "POST", path, form).status, is: 0)
            }
            let again = call(endpoint, "POST", path, "auth_token=t0ken&value=1&requestid=r1")
            expect(again.status == 422 && again.body == #"{"errors":"Duplicate request"}"#)
            let points = await simulator.datapoints(of: "water").suffix(2)
            expect(points.map(\.requestID), is: ["r1", "r2"])
        }
    }

    @Test func `keeps waiting whom it is told to, and nobody else`() async throws {
        try await serve { simulator, endpoint in
            await simulator.change { world in
                world.faults = [SimulatedFault(.slow, delaySeconds: 0.05, route: "user")]
            }
            let start = Instant.now
            let user = call(endpoint, "GET", "/api/v1/users/me.json?auth_token=t0ken")
            expect(user.status, is: 200)
            expect(start.advanced(bySeconds: 0.05) < Instant.now)
            expect(call(endpoint, "GET", "/").status, is: 200)
        }
    }
}

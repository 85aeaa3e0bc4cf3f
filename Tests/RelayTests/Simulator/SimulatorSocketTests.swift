import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import BeeminderSimulator

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct SimulatorSocketTests {
    /// A simulator on a loop of its own, gone when the body returns.
    private func serve(
        onDatapoint: @escaping @Sendable (PostedDatapoint) -> Void = { _ in },
        _ body: (Simulator, _ base: String) async throws -> Void
    ) async throws {
        let loop = Loop()
        let world = SimulatedBeeminder.demo(authToken: "t0ken", graphSeconds: 0, at: 1.8e9)
        let simulator = Simulator(
            on: loop, world: world, clock: { 1.8e9 }, onDatapoint: onDatapoint)
        let here = try #require(Endpoint("127.0.0.1:0"))
        let bound = try simulator.listen(on: here)
        Thread { loop.run() }.start()
        defer { loop.stop() }
        try await body(simulator, "http://\(bound)")
    }

    private func call(
        _ method: String, _ url: String, _ form: String = ""
    ) async throws -> (status: Int, body: Data) {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        if !form.isEmpty { request.httpBody = Data(form.utf8) }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
    }

    @Test func `takes a datapoint over a real connection`() async throws {
        let seen = Mutex<[PostedDatapoint]>([])
        let note: @Sendable (PostedDatapoint) -> Void = { datapoint in
            seen.withLock { $0.append(datapoint) }
        }
        try await serve(onDatapoint: note) { simulator, base in
            let goals = base + "/api/v1/users/me/goals"
            let posted = try await call(
                "POST", goals + "/pushups/datapoints.json",
                "auth_token=t0ken&value=5&comment=now&requestid=r1")
            #expect(posted.status == 200)
            let listed = try await call("GET", goals + ".json?auth_token=t0ken&emaciated=true")
            #expect(String(decoding: listed.body, as: UTF8.self).hasPrefix(#"[{"slug":""#))
            let points = await simulator.datapoints(of: "pushups")
            #expect(points.last?.comment == "now")
            #expect(points.map(\.value) == [20, 15, 20, 5])
        }
        #expect(
            seen.withLock { $0 } == [
                PostedDatapoint(
                    goal: "pushups", value: 5, comment: "now", requestID: "r1", status: .created)
            ])
    }

    @Test func `loses the answer to a datapoint that it took`() async throws {
        try await serve { simulator, base in
            await simulator.change { world in
                world.faults = [
                    SimulatedFault(
                        .hangUp, isApplied: true, route: "datapoints", timing: .onCall(1)),
                    SimulatedFault(
                        .cutShort(bytes: 9), isApplied: true, route: "datapoints",
                        timing: .onCall(2)),
                ]
            }
            let url = base + "/api/v1/users/me/goals/water/datapoints.json"
            for requestID in ["r1", "r2"] {
                await #expect(throws: (any Error).self) {
                    _ = try await call(
                        "POST", url, "auth_token=t0ken&value=1&requestid=\(requestID)")
                }
            }
            let again = try await call("POST", url, "auth_token=t0ken&value=1&requestid=r1")
            #expect(again.status == 422)
            let words = String(decoding: again.body, as: UTF8.self)
            #expect(words == #"{"errors":"Duplicate request"}"#)
            let points = await simulator.datapoints(of: "water").suffix(2)
            #expect(points.map(\.requestID) == ["r1", "r2"])
        }
    }

    @Test func `keeps waiting whom it is told to, and nobody else`() async throws {
        try await serve { simulator, base in
            await simulator.change { world in
                world.faults = [SimulatedFault(.slow, delaySeconds: 0.05, route: "user")]
            }
            let start = Instant.now
            let user = try await call("GET", base + "/api/v1/users/me.json?auth_token=t0ken")
            #expect(user.status == 200)
            #expect(start.advanced(bySeconds: 0.05) < Instant.now)
            #expect(try await call("GET", base + "/").status == 200)
        }
    }
}

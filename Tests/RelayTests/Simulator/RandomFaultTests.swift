import RelayHTTP
import Testing

@testable import BeeminderSimulator

/// Random clients against a moody Beeminder: whatever goes wrong, a `requestid` is one datapoint.
struct RandomFaultTests {
    private static let moods: [SimulatedFault] = [
        SimulatedFault(.hangUp, isApplied: true, timing: .chance(0.1)),
        SimulatedFault(.hangUp, timing: .chance(0.1)),
        SimulatedFault(.status(503), timing: .chance(0.1)),
        SimulatedFault(.status(504), isApplied: true, timing: .chance(0.1)),
        SimulatedFault(.cutShort(bytes: 9), isApplied: true, timing: .chance(0.1)),
        SimulatedFault(.html, timing: .chance(0.1)),
    ]

    /// Whether a careful client may believe that its datapoint lies there.
    private func isConfirmed(_ reply: SimulatedWorld.Reply, _ requestID: String) -> Bool {
        guard reply.action.ending == .whole else { return false }
        if reply.status == 422 { return reply.text.contains("Duplicate request") }
        return reply.status == 200 && reply["requestid"] == .string(requestID)
    }

    @Test(arguments: 1...50)
    func `loses and doubles nothing for a client that tries again`(seed: Int) {
        var luck = SeededGenerator(seed: UInt64(seed))
        var world = SimulatedWorld()
        world.beeminder.random = SeededGenerator(seed: UInt64(seed) &* 977)
        world.beeminder.faults = Self.moods
        world.beeminder.quirks.graphSeconds = Double.random(in: 0...5, using: &luck)
        var open = (0..<20).map { "press-\($0)" }
        while let requestID = open.randomElement(using: &luck) {
            world.now += Double.random(in: 0...3, using: &luck)
            let reply = world.post("value=1&timestamp=1769380000&requestid=\(requestID)")
            if isConfirmed(reply, requestID) { open.removeAll { $0 == requestID } }
        }
        let stored = world.beeminder.datapoints(of: "test").compactMap(\.requestID)
        expect(Set(stored).count == 20 && stored.count == 20, "seed \(seed)")
        world.beeminder.faults = []
        world.now += 10
        expect(world.get("users/me/goals/test.json")["curval"], is: .number(20), "seed \(seed)")
    }

    @Test(arguments: [
        "value=1e308", "value=-1e308", "timestamp=99999999999&value=1",
        "timestamp=-99999999999&value=1", "value=1&daystamp=00010101", "value=1&daystamp=99991231",
        "value=5e-324", "urtext=^^^^^^^^ 1:59:59", "value=1&comment=%00%ff%7f",
        "value=1&requestid=",
    ])
    func `survives the edge of what it accepts`(form: String) {
        var world = SimulatedWorld()
        for _ in 0..<2 { expect(world.post(form).status, is: 200) }
        expect(world.get("users/me/goals.json").status, is: 200)
        expect(world.get("users/me/goals/test/datapoints.json").list.count, is: 3)
        expect(world.send(.get, "/", token: nil).status, is: 200)
    }

    @Test(arguments: ["rate=1e308", "rate=-1e308", "rate=5e-324", "rate=0", "pledge=1e300"])
    func `survives a goal that nobody would want`(form: String) {
        var world = SimulatedWorld()
        expect(world.send(.post, "/control/goals", "slug=odd&\(form)").status, is: 200)
        let path = "/api/v1/users/me/goals/odd/datapoints"
        expect(world.send(.post, path, "value=1").status, is: 200)
        expect(world.get("users/me/goals.json").list.count, is: 2)
    }
}

import RelayHTTP
import Testing

@testable import BeeminderSimulator

/// Values at the edge of what is accepted.
struct SimulatedEdgeTests {
    @Test func `survives values and goals that nobody would want`() {
        for form in [
            "value=1e308", "value=-1e308", "timestamp=99999999999&value=1",
            "timestamp=-99999999999&value=1", "value=1&daystamp=00010101",
            "value=1&daystamp=99991231", "value=5e-324", "urtext=^^^^^^^^ 1:59:59",
            "value=1&comment=%00%ff%7f", "value=1&requestid=",
        ] {
            var world = SimulatedWorld()
            for _ in 0..<2 { expect(world.post(form).status, is: 200, "\(form)") }
            expect(world.get("users/me/goals.json").status, is: 200)
            expect(world.get("users/me/goals/test/datapoints.json").list.count, is: 3)
            expect(world.send(.get, "/", token: nil).status, is: 200)
        }
        for form in ["rate=1e308", "rate=-1e308", "rate=5e-324", "rate=0", "pledge=1e300"] {
            var world = SimulatedWorld()
            let created = world.send(.post, "/control/goals", "slug=odd&\(form)")
            expect(created.status, is: 200, "\(form)")
            let path = "/api/v1/users/me/goals/odd/datapoints"
            expect(world.send(.post, path, "value=1").status, is: 200, "\(form)")
            expect(world.get("users/me/goals.json").list.count, is: 2)
        }
    }
}

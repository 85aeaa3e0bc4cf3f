import RelayHTTP
import Testing

@testable import BeeminderSimulator

/// Pledges and charges, as recorded 2026-01 and as the API reference has them.
struct SimulatedPledgeTests {
    private static let goal = "/api/v1/users/me/goals/test"
    /// 2026-02-01 00:00 in New York, as recorded for a stepdown of 2026-01-25.
    private static let nextWeek = 1_769_922_000

    private func world(pledge: Double) -> SimulatedWorld {
        var world = SimulatedWorld()
        world.beeminder.users[0].goals[0].pledge = pledge
        return world
    }

    @Test func `a stepdown`() {
        part("a stepdown is scheduled for the beginning of the day in a week") {
            var world = world(pledge: 30)
            let before = world.get("users/me/goals/test.json")
            world.now += 60
            let reply = world.send(.post, Self.goal + "/stepdown.json")
            expect(reply.status, is: 200)
            expect(reply.keys, is: SimulatedGoalTests.recordedKeys)
            expect(reply["contract"]?["amount"], is: .number(30))
            expect(reply["contract"]?["stepdown_at"], is: .number(Double(Self.nextWeek)))
            expect(reply["queued"], is: .bool(false))
            expect(reply["updated_at"], is: before["updated_at"])
            world.now += 86_400
            let again = world.send(.post, Self.goal + "/stepdown")
            expect(again["contract"]?["stepdown_at"], is: .number(Double(Self.nextWeek)))
        }
        part("a pledge reverts when its time has come, and not before") {
            var world = world(pledge: 30)
            _ = world.send(.post, Self.goal + "/stepdown.json")
            world.now = Double(Self.nextWeek) - 1
            expect(world.get("users/me/goals/test.json")["pledge"], is: .number(30))
            world.now += 1
            let reply = world.get("users/me/goals/test.json")
            expect(reply["pledge"], is: .number(10))
            expect(reply["contract"]?["stepdown_at"], is: .null)
            expect(world.get("users/me.json")["updated_at"], is: .number(Double(Self.nextWeek)))
        }
        // The lowest pledges cannot be stepped down.
        for (pledge, shown) in [(5.0, "5"), (0, "0")] as [(Double, String)] {
            var world = world(pledge: pledge)
            let reply = world.send(.post, Self.goal + "/stepdown.json")
            expect(reply.status, is: 422, "\(pledge)")
            let words = "Cannot schedule a stepdown for a contract with amount $\(shown)"
            expect(reply.text, is: #"{"errors":"\#(words)"}"#, "\(pledge)")
        }
        part("a stepdown is cancelled, and 200 also where there was none") {
            var world = world(pledge: 30)
            expect(world.send(.post, Self.goal + "/cancel_stepdown.json").status, is: 200)
            _ = world.send(.post, Self.goal + "/stepdown.json")
            let reply = world.send(.post, Self.goal + "/cancel_stepdown.json")
            expect(reply.status, is: 200)
            expect(reply["contract"]?["stepdown_at"], is: .null)
            world.now = Double(Self.nextWeek) + 1
            expect(world.get("users/me/goals/test.json")["pledge"], is: .number(30))
        }
    }

    @Test func `charges, and who may make them`() {
        part("a short circuit charges the pledge and raises it") {
            var world = world(pledge: 0)
            world.beeminder.quirks.graphSeconds = 5
            world.now += 10
            let first = world.send(.post, Self.goal + "/shortcircuit.json")
            expect(first.status, is: 200)
            expect(first["pledge"] == .number(5) && first["contract"]?["amount"] == .number(5))
            expect(first["queued"], is: .bool(true))
            expect(first["updated_at"], is: .number(world.now))
            expect(world.beeminder.charges.isEmpty)
            expect(world.send(.post, Self.goal + "/shortcircuit")["pledge"], is: .number(10))
            expect(world.beeminder.charges.map(\.amount), is: [5])
            world.beeminder.users[0].goals[0].pledge = 2_430
            expect(world.send(.post, Self.goal + "/shortcircuit")["pledge"], is: .number(2_430))
            expect(world.send(.get, "/control").text.contains(#""amount":2430"#))
        }
        part("a charge is made, tried, and refused below a dollar") {
            var world = SimulatedWorld()
            let path = "/api/v1/charges.json"
            let reply = world.send(.post, path, "user_id=felixm&amount=10&note=not%20worthy")
            expect(reply.status, is: 200)
            expect(reply.keys, is: ["id", "amount", "note", "username"])
            expect(reply["amount"] == .number(10) && reply["username"] == .string("felixm"))
            expect(world.send(.post, path, "amount=1.5&dryrun=true").status, is: 200)
            expect(world.beeminder.charges.map(\.note), is: ["not worthy"])
            for amount in ["0.99", "-5", "", "ten"] {
                expect(world.send(.post, path, "amount=\(amount)").status, is: 422, "\(amount)")
            }
            expect(world.send(.post, path, "user_id=somebody&amount=10").status, is: 404)
            expect(world.send(.post, path, "amount=10", token: nil).status, is: 401)
            expect(world.send(.get, path).status, is: 404)
            expect(world.beeminder.charges.count, is: 1)
        }
        // Pledges are for their owner, and for POST.
        for word in ["stepdown", "cancel_stepdown", "shortcircuit"] {
            var world = world(pledge: 30)
            expect(world.send(.post, Self.goal + "/\(word).json", token: nil).status, is: 401)
            expect(world.send(.get, Self.goal + "/\(word).json").status, is: 404, "\(word)")
            expect(world.send(.post, "/api/v1/users/me/goals/no/\(word).json").status, is: 404)
            expect(world.beeminder.users[0].goals[0].pledge, is: 30, "\(word)")
            expect(world.beeminder.users[0].goals[0].stepdownAt == nil, "\(word)")
        }
    }
}

import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator

/// A goal whose datapoints are readings: no way to send a press makes a 1 of nothing.
struct ReadingGoalRouteTests {
    private let folder = TemporaryFolder()

    private func relay(_ kind: GoalKind = .fatloser) async throws -> (
        RunningBeeminder, RunningRelayProgram
    ) {
        let beeminder = try RunningBeeminder()
        await beeminder.change { world in
            var plan = GoalPlan(slug: "weight", units: "kg", rate: 1)
            plan.kind = kind
            plan.history = [70.6]
            _ = world.add(plan, to: 0, at: Double(Instant.wallNanoseconds) / 1e9)
        }
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        return (beeminder, relay)
    }

    private func refusal(_ answer: (status: Int, body: String, head: String)) throws -> String {
        let problem = try members(answer.body)
        expect(answer.status == 422 && problem["code"] as? String == "unusable_value")
        return problem["detail"] as? String ?? ""
    }

    @Test(arguments: [GoalKind.fatloser, .gainer, .inboxer, .biker])
    func `an empty press is refused with words, however it comes`(_ kind: GoalKind) async throws {
        let (beeminder, relay) = try await relay(kind)
        let preset = #"{"goal":"weight","comment":"scale"}"#
        try expect(relay.call("PUT", "/presets/scale", preset, token: relay.owner).status, is: 200)
        let requests = [
            ("POST", "/log/weight", ""), ("POST", "/log/weight", "{}"),
            ("POST", "/log/weight", #"{"comment":"scale"}"#), ("PUT", "/log/weight", ""),
            ("POST", "/log", #"{"goal":"weight","id":"1"}"#), ("POST", "/log/scale", ""),
            ("POST", "/log/weight", "comment=scale"), ("GET", "/log/weight/trigger", ""),
            ("POST", "/log/weight?dry_run=1", ""), ("POST", "/log/weight?comment=a", ""),
        ]
        for (method, path, body) in requests {
            let answer = try relay.call(method, path, body)
            let detail = try refusal(answer)
            expect(
                detail.contains("'weight'") && detail.contains("a press without a value"),
                "\(method) \(path) \(body): \(detail)")
            expect(answer.body.utf8.count < 512)
        }
        let many = #"[{"goal":"weight"},{"goal":"weight","value":70.5},{"goal":"water"}]"#
        let events = try members(try relay.call("POST", "/events", many).body)["events"]
        let each = try require(events as? [[String: Any]])
        expect(each.map { $0["code"] as? String }, is: ["unusable_value", nil, nil], "\(each)")
        try expect(relay.call("POST", "/log/weight", "+1").status, is: 200)
        try expect(relay.call("GET", "/log/weight/trigger?value=1").status, is: 200)
        await expect(beeminder.awaitPosted(3, to: ["weight"]))
        await expect(beeminder.posted(to: "weight").map(\.value), is: [70.5, 1, 1])
    }

    @Test func `a preset's value is a value`() async throws {
        let (beeminder, relay) = try await relay()
        let preset = #"{"goal":"weight","value":71}"#
        try expect(relay.call("PUT", "/presets/tare", preset, token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/tare").status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["weight"]))
    }

    @Test func `goals and context offer the last value, and no sum of today`() async throws {
        let (_, relay) = try await relay()
        func weight(_ path: String, _ list: String) throws -> [String: Any]? {
            let goals = try members(try relay.call("GET", path).body)[list] as? [[String: Any]]
            return goals?.first { $0["slug"] as? String == "weight" }
        }
        let before = try require(try weight("/goals", "goals"))
        expect(before["adds"] as? Bool == false && before["lastValue"] as? Double == 70.6)
        for value in ["70.4", "70.3"] {
            try expect(relay.call("POST", "/log/weight", value).status, is: 200)
        }
        let after = try require(try weight("/goals?days=2", "goals"))
        expect(after["today"] as? Double == 70.3 && after["lastValue"] as? Double == 70.3)
        expect(after["days"] as? [Double], is: [70.6, 70.3])
        let shown = try weight("/context?fields=slug,adds,lastValue", "pinnedGoals")
        expect(shown?.count == 3 && shown?["lastValue"] as? Double == 70.3)
        let all = try members(try relay.call("GET", "/goals").body)["goals"] as? [[String: Any]]
        expect(all?.filter { $0["adds"] != nil }.count, is: 1, "the others count presses")
    }

    @Test func `an archived goal takes no presses, though Beeminder has it`() async throws {
        let (beeminder, relay) = try await relay()
        await beeminder.change { world in
            guard let place = world.locate(goal: "weight") else { return }
            world.users[place.user].goals[place.goal].isArchived = true
        }
        try expect(relay.call("POST", "/goals/refresh").status, is: 200)
        while try relay.call("GET", "/goals").body.contains("weight") {}
        try expect(relay.call("POST", "/log/weight", "70").status, is: 404)
    }
}
